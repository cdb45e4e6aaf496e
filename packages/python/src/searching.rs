//! Tree search.

use std::collections::BTreeMap;

use doublecross::board::Board;
use doublecross::built_in;
use doublecross::search::{Budget, MOST_SIMULATIONS, NetworkEvaluator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::count::count;
use crate::long_call::long_call;
use crate::network::Network;
use crate::position::{Position, numbers};

/// The result of a search.
#[pyclass(module = "doublecross", frozen, get_all)]
pub struct SearchResult {
    /// The edge to draw.
    edge: usize,
    /// The edges that are proved to be best, or at least to win, or else `None`.
    proved: Option<Vec<usize>>,
    /// The share of each edge in the search's choice; empty if the search did not choose,
    /// because the move was proved or there is no choice. Edges that come to the same are one. Where
    /// boxes can be taken, the edges stand for taking all of them and for leaving the last two or
    /// four.
    policy: BTreeMap<usize, f32>,
    /// The number of simulations that were made.
    simulations: usize,
}

#[pymethods]
impl SearchResult {
    fn __repr__(&self) -> String {
        format!("<SearchResult edge {} by {} simulations>", self.edge, self.simulations)
    }
}

/// Checks a number of simulations that a caller gives.
pub fn check_simulations(simulations: usize) -> PyResult<()> {
    match simulations <= MOST_SIMULATIONS {
        true => Ok(()),
        false => {
            let error = format!("simulations = {simulations} is out of range; expected 0 to {MOST_SIMULATIONS}");
            Err(PyValueError::new_err(error))
        }
    }
}

/// The most nodes of the solver for a search: some minutes.
const MOST_NODES: u64 = 1_000_000_000;

/// Searches for the best edge with a network, by `simulations` simulations, with `nodes` nodes of
/// the exact solver (0: without it).
#[pyfunction]
#[pyo3(signature = (position, network, *, simulations = 200, nodes = 20_000))]
pub fn search(
    py: Python<'_>,
    position: &Position,
    network: &Network,
    #[pyo3(from_py_with = count)] simulations: usize,
    #[pyo3(from_py_with = count)] nodes: u64,
) -> PyResult<SearchResult> {
    if position.0.is_over() {
        return Err(PyValueError::new_err("a game that is over has no edge to draw"));
    }
    if nodes > MOST_NODES {
        return Err(PyValueError::new_err(format!("nodes = {nodes} is out of range; expected 0 to {MOST_NODES}")));
    }
    check_simulations(simulations)?;
    let board: Board = position.0.board();
    let evaluator = NetworkEvaluator::new(network.of(board)?);
    let mut player = Budget::new(simulations, nodes).player(board, evaluator);
    if let Some(book) = built_in().books.of(board).filter(|_| nodes > 0) {
        player = player.with_book(book.clone());
    }
    let play = long_call(py, &player.stop(), || player.decide(&position.0))?;
    let mut policy = BTreeMap::new();
    if let Some(outcome) = &play.searched {
        for action in &outcome.actions {
            if let Some(edge) = action.choice.first_edge(position.0.state()) {
                *policy.entry(edge.index()).or_insert(0.0) += action.policy;
            }
        }
    }
    Ok(SearchResult {
        edge: play.edge.index(),
        proved: play.proved.filter(|proved| proved.is_final).map(|proved| numbers(proved.edges)),
        policy,
        simulations: play.searched.map_or(0, |outcome| outcome.simulations),
    })
}
