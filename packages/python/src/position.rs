//! Positions and edges.

use std::fmt::Display;
use std::hash::{Hash, Hasher};

use doublecross::analysis::shapes;
use doublecross::board::{self, Board, Edge, Edges, Orientation, State};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::arrays::array;
use crate::errors::invalid;

/// A position of a game: what is drawn, who owns the boxes, and who is to move.
///
/// `Position("5x5")` is an empty board of 5 rows and 5 columns of boxes. `Position("2x3 H0,0 V1,2")`
/// is the game in which these edges were drawn in turn. `Position("5x5:0x1f")` is the state in which
/// the edges of this mask are drawn, without scores.
///
/// Edges are numbers from 0 on: the horizontal ones row by row, then the vertical ones. `name` and
/// `index` convert them to names and back, which are `H` or `V`, row and column: `H0,1` is the second
/// horizontal edge of the top line.
///
/// `str(position)` is the state alone, as in `5x5:0x1f`: without the owners of boxes and the player to
/// move. `with_owners` takes those too, and `pickle` and `copy` keep them.
#[pyclass(module = "doublecross", eq, hash, frozen)]
#[derive(Clone, PartialEq, Eq)]
pub struct Position(pub board::Position);

impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.0.state(), self.0.mover(), self.0.scores()).hash(hasher);
    }
}

/// The parts that [`Position::with_owners`] makes a position of: the state, the owners and the player to move.
type Parts = (String, Vec<Option<usize>>, usize);

/// An edge as callers give it.
pub struct EdgeArgument(i64);

impl FromPyObject<'_, '_> for EdgeArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<EdgeArgument> {
        if value.is_instance_of::<PyBool>() {
            return Err(PyValueError::new_err(format!("{} is no edge: edges are numbers", &*value)));
        }
        if value.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("edges are numbers; `index` returns the number of a name"));
        }
        match value.extract() {
            Ok(index) => Ok(EdgeArgument(index)),
            // No board has an edge of such a number.
            Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(EdgeArgument(-1)),
            Err(error) => Err(error),
        }
    }
}

impl EdgeArgument {
    /// Returns the edge of a board.
    pub fn of(&self, board: Board) -> PyResult<Edge> {
        match (0..board.edges() as i64).contains(&self.0) {
            true => Ok(Edge::new(self.0 as usize)),
            false => Err(PyValueError::new_err(format!("no such edge: {board} has edges 0 to {}", board.edges() - 1))),
        }
    }
}

/// A box or a player as callers give it.
struct Index {
    /// The number, or one that nothing has.
    value: usize,
    /// The number in the caller's words.
    text: String,
}

impl FromPyObject<'_, '_> for Index {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Index> {
        let index = match value.extract::<usize>() {
            Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => return Err(error),
            // It is negative or too large.
            index => index.unwrap_or(usize::MAX),
        };
        Ok(Index { value: index, text: value.to_string() })
    }
}

/// Returns the numbers of edges, in ascending order.
pub fn numbers(edges: Edges) -> Vec<usize> {
    edges.iter().map(Edge::index).collect()
}

/// Returns the names of edges, for people.
pub fn names(board: Board, edges: Edges) -> String {
    edges.iter().map(|edge| board.edge_name(edge)).collect::<Vec<_>>().join(" ")
}

/// Returns the edges of a board that a row of bytes, one for each edge, marks by other numbers than 0.
pub fn marked_edges(board: Board, row: &[u8]) -> Edges {
    board.all().iter().filter(|edge| row[edge.index()] != 0).collect()
}

/// Parses a board, as in 5x5.
pub fn parse_board(text: &str) -> PyResult<Board> {
    parse(text, |text| text.parse::<Board>())
}

/// Returns a text with the letters of its board and its edges as they are written, as in `3x3 H0,0` for `3X3 h0,0`.
fn with_letters(text: &str) -> String {
    let word = |word: &str| match word.chars().next() {
        Some('0'..='9') => word.replace('X', "x"),
        Some('h' | 'v') => word.replacen('h', "H", 1).replacen('v', "V", 1),
        _ => word.into(),
    };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// Parses a text. The error names the text that was probably meant.
pub fn parse<T, E: Display>(text: &str, parse: impl Fn(&str) -> Result<T, E>) -> PyResult<T> {
    parse(text).map_err(|error| match with_letters(text) {
        meant if meant != text && parse(&meant).is_ok() => invalid(format!("{text:?}: did you mean {meant:?}?")),
        _ => invalid(error),
    })
}

#[pymethods]
impl Position {
    #[new]
    fn new(text: &str) -> PyResult<Position> {
        let position = parse(text, |text| {
            text.parse::<board::Position>().or_else(|error| match text.contains(':') {
                true => text.parse().map(board::Position::from_state),
                false => Err(error),
            })
        });
        position.map(Position)
    }

    /// The position with these drawn edges, as in `"2x2:0x1f"`, these owners of the boxes, row by row
    /// (0, 1 or `None`), and this player to move.
    ///
    /// Raises `ValueError` if an open box has an owner.
    #[staticmethod]
    #[pyo3(
        signature = (text, owners, mover = Index { value: 0, text: "0".into() }),
        text_signature = "(text, owners, mover=0)"
    )]
    fn with_owners(text: &str, owners: Vec<Option<Index>>, mover: Index) -> PyResult<Position> {
        let state = parse(text, |text| text.parse::<State>())?;
        let boxes = state.board().boxes();
        if owners.len() != boxes || mover.value > 1 {
            let (count, mover) = (owners.len(), mover.text);
            let error = format!("{count} owners and player {mover}: expected {boxes} owners and player 0 or 1");
            return Err(PyValueError::new_err(error));
        }
        let mut owned = [0u128; 2];
        for (index, owner) in owners.into_iter().enumerate() {
            let Some(owner) = owner else { continue };
            if owner.value > 1 || !state.is_closed(index) {
                let owner = owner.text;
                let error = format!("box {index} has owner {owner}: expected 0 or 1 for a box with four sides drawn");
                return Err(PyValueError::new_err(error));
            }
            owned[owner.value] |= 1 << index;
        }
        Ok(Position(board::Position::from_state(state).with_owners(owned, mover.value)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let make = py.get_type::<Position>().getattr("with_owners")?;
        let owners = (0..self.0.board().boxes()).map(|index| self.0.owner(index)).collect();
        Ok((make, (self.0.state().to_string(), owners, self.0.mover())))
    }

    fn __copy__(slf: Py<Position>) -> Py<Position> {
        slf
    }

    fn __deepcopy__(slf: Py<Position>, _memo: &Bound<'_, PyAny>) -> Py<Position> {
        slf
    }

    /// The rows and columns of boxes, as in `"5x5"`.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// The number of rows of boxes.
    #[getter]
    fn rows(&self) -> usize {
        self.0.board().rows()
    }

    /// The number of columns of boxes.
    #[getter]
    fn cols(&self) -> usize {
        self.0.board().cols()
    }

    /// The number of edges of the board.
    #[getter]
    fn edges(&self) -> usize {
        self.0.board().edges()
    }

    /// The number of boxes of the board.
    #[getter]
    fn boxes(&self) -> usize {
        self.0.board().boxes()
    }

    /// The player to move: 0 or 1.
    #[getter]
    fn mover(&self) -> usize {
        self.0.mover()
    }

    /// The boxes of both players.
    #[getter]
    fn scores(&self) -> (usize, usize) {
        let [first, second] = self.0.scores();
        (first, second)
    }

    /// `True` if every edge is drawn.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// `True` if no box can be taken at once.
    #[getter]
    fn is_capture_free(&self) -> bool {
        self.0.state().is_capture_free()
    }

    /// The edges that are not drawn, which are the legal moves, in ascending order.
    fn undrawn(&self) -> Vec<usize> {
        numbers(self.0.undrawn())
    }

    /// The edges that are drawn, in ascending order.
    fn drawn(&self) -> Vec<usize> {
        numbers(self.0.drawn())
    }

    /// The undrawn edges that are the third side of no box.
    fn safe(&self) -> Vec<usize> {
        numbers(self.0.state().safe_edges())
    }

    /// The owner of a box by its index, row by row: 0, 1 or `None`.
    fn owner(&self, box_index: Index) -> PyResult<Option<usize>> {
        let boxes = self.0.board().boxes();
        if box_index.value >= boxes {
            let error = format!("box {}: {} has boxes 0 to {}", box_index.text, self.board(), boxes - 1);
            return Err(PyValueError::new_err(error));
        }
        Ok(self.0.owner(box_index.value))
    }

    /// The position after an edge is drawn.
    ///
    /// Raises `ValueError` if the edge is drawn already.
    fn after(&self, edge: EdgeArgument) -> PyResult<Position> {
        let edge = edge.of(self.0.board())?;
        let mut after = self.0.clone();
        after.play(edge).map_err(invalid)?;
        Ok(Position(after))
    }

    /// The number of boxes that drawing an edge takes: 0, 1 or 2.
    ///
    /// Raises `ValueError` if the edge is drawn already.
    fn captures(&self, edge: EdgeArgument) -> PyResult<usize> {
        let edge = edge.of(self.0.board())?;
        if !self.0.undrawn().contains(edge) {
            return Err(PyValueError::new_err(format!("{} is drawn already", self.0.board().edge_name(edge))));
        }
        Ok(self.0.state().captures(edge))
    }

    /// The chains and loops, each with the indices of its boxes and whether it is a loop.
    ///
    /// Raises `ValueError` if a box can be taken at once.
    fn chains(&self) -> PyResult<Vec<(Vec<usize>, bool)>> {
        self.capture_free()?;
        // Bytes would come to Python as one string.
        let boxes = |boxes: Vec<u8>| boxes.into_iter().map(usize::from).collect();
        Ok(shapes(self.0.state()).into_iter().map(|shape| (boxes(shape.boxes), shape.is_loop)).collect())
    }

    /// The edge of this name.
    fn index(&self, name: &str) -> PyResult<usize> {
        parse(name, |name| self.0.board().parse_edge(name)).map(Edge::index)
    }

    /// The name of an edge.
    fn name(&self, edge: EdgeArgument) -> PyResult<String> {
        let board = self.0.board();
        Ok(board.edge_name(edge.of(board)?))
    }

    /// The position as planes of numbers, as a player sees it: an array of float32,
    /// `[3, 2 * rows + 1, 2 * cols + 1]`, of the lattice of dots, edges and boxes. The planes have 1
    /// for each drawn edge, for each box of the player, and for each box of the opponent.
    fn planes<'py>(&self, py: Python<'py>, player: Index) -> PyResult<Bound<'py, PyAny>> {
        if player.value > 1 {
            return Err(PyValueError::new_err(format!("player {}: expected 0 or 1", player.text)));
        }
        let board = self.0.board();
        let (height, width) = (2 * board.rows() + 1, 2 * board.cols() + 1);
        let mut planes = vec![0.0f32; 3 * height * width];
        for edge in self.0.drawn() {
            let (orientation, row, col) = board.coordinates(edge);
            let (row, col) = match orientation {
                Orientation::Horizontal => (2 * row, 2 * col + 1),
                Orientation::Vertical => (2 * row + 1, 2 * col),
            };
            planes[row * width + col] = 1.0;
        }
        for index in 0..board.boxes() {
            let Some(owner) = self.0.owner(index) else { continue };
            let plane = 1 + usize::from(owner != player.value);
            let (row, col) = (2 * (index / board.cols()) + 1, 2 * (index % board.cols()) + 1);
            planes[(plane * height + row) * width + col] = 1.0;
        }
        array(py, &planes, &[3, height, width])
    }

    /// A drawing of the board as text.
    fn draw(&self) -> String {
        format!("{:#}", self.0)
    }

    /// A drawing of the board as SVG.
    ///
    /// `values` has a number for each edge that is shown, as an array by edge, in which nan is none,
    /// or as a dictionary; bounds, as `Solver.edge_values` returns them, are numbers too. Good edges
    /// are green, bad ones red. `policy` has the share of each edge, which makes its line wide.
    /// `chains` outlines chains and loops.
    #[pyo3(signature = (*, values = None, policy = None, chains = false))]
    fn svg(
        slf: &Bound<'_, Position>,
        values: Option<Bound<'_, PyAny>>,
        policy: Option<Bound<'_, PyAny>>,
        chains: bool,
    ) -> PyResult<String> {
        let drawing = slf.py().import("doublecross._drawing")?;
        drawing.call_method1("position_svg", (slf, values, policy, chains))?.extract()
    }

    fn _repr_svg_(slf: &Bound<'_, Position>) -> PyResult<String> {
        Position::svg(slf, None, None, false)
    }

    fn __str__(&self) -> String {
        self.0.state().to_string()
    }

    fn __repr__(&self) -> String {
        let (first, second) = self.scores();
        format!("<Position {}, {first}-{second}, player {} to move>", self.0.state(), self.mover())
    }
}

impl Position {
    /// Returns an error if a box can be taken at once.
    pub fn capture_free(&self) -> PyResult<()> {
        match self.0.state().is_capture_free() {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("{} has boxes that can be taken at once", self.0.state()))),
        }
    }
}
