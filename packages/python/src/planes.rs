//! Input planes of networks.

use doublecross::board::{Board, State};
use doublecross::net::{PLANES, PolicyCell, write_planes};
use pyo3::prelude::*;

use crate::arrays::array;
use crate::errors::invalid;
use crate::position::{marked_edges, parse_board};

/// Returns the input planes of states, whose drawn edges are given as one byte for each edge, as an array
/// `[states, planes, rows + 1, cols + 1]`.
#[pyfunction]
pub fn input_planes<'py>(py: Python<'py>, board: &str, drawn: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let board: Board = parse_board(board)?;
    let cells = PolicyCell::count(board);
    let states = drawn.len() / board.edges();
    let mut planes = vec![0.0f32; states * PLANES * cells];
    let mut of_cells = vec![0.0; cells * PLANES];
    let each = drawn.chunks_exact(board.edges()).zip(planes.chunks_exact_mut(PLANES * cells)).enumerate();
    for (index, (drawn, planes)) in each {
        let state = State::checked(board, marked_edges(board, drawn)).filter(|state| state.is_capture_free());
        let state = state.ok_or_else(|| invalid(format!("state {index} has a box on offer: networks see none")))?;
        write_planes(state, &mut of_cells);
        for (place, &number) in of_cells.iter().enumerate() {
            planes[place % PLANES * cells + place / PLANES] = number;
        }
    }
    array(py, &planes, &[states, PLANES, board.rows() + 1, board.cols() + 1])
}
