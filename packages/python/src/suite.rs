//! Suites of positions with exact answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use doublecross::arena::suite::{self, evaluate_suite, suite_budget};
use doublecross::board;
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;

use crate::count::count;
use crate::errors::suite_error;
use crate::long_call::long_call;
use crate::network::Network;
use crate::position::{Position, numbers};
use crate::searching::check_simulations;

/// A suite: positions of one board with their margins and best edges.
///
/// `Suite("tests/data/suites/5x5-careful.tsv")` reads a file as `doublecross suite` draws it.
#[pyclass(module = "doublecross", frozen, subclass)]
pub struct Suite(suite::Suite);

#[pymethods]
impl Suite {
    #[new]
    fn new(path: PathBuf) -> PyResult<Suite> {
        suite::Suite::read(&path).map(Suite).map_err(suite_error)
    }

    /// The name of the suite.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The board of the suite.
    #[getter]
    fn board(&self) -> String {
        self.0.board.to_string()
    }

    fn __len__(&self) -> usize {
        self.0.positions.len()
    }

    /// A position with its margin, for the player to move, and all best edges.
    fn __getitem__(&self, index: isize) -> PyResult<(Position, i32, Vec<usize>)> {
        let count = self.0.positions.len();
        let at = if index < 0 { count.checked_add_signed(index) } else { Some(index as usize) };
        let position = at.and_then(|at| self.0.positions.get(at));
        let position = position.ok_or_else(|| PyIndexError::new_err(format!("position {index} of {count}")))?;
        let state = position.state;
        Ok((Position(board::Position::from_state(state)), position.margin, numbers(position.best)))
    }

    /// Scores a network on the suite: the share of positions where its likeliest edge is best, and
    /// where the edge is that it finds by `simulations` simulations with `nodes` nodes of the exact
    /// solver. Returns the figures for each number of undrawn edges and for all as JSON.
    #[pyo3(signature = (network, *, simulations, nodes))]
    fn _score(
        &self,
        py: Python<'_>,
        network: &Network,
        #[pyo3(from_py_with = count)] simulations: usize,
        #[pyo3(from_py_with = count)] nodes: u64,
    ) -> PyResult<String> {
        check_simulations(simulations)?;
        let network = network.of(self.0.board)?;
        let budget = suite_budget(simulations, nodes);
        let stop = Arc::<AtomicBool>::default();
        let bands = long_call(py, &stop, || evaluate_suite(&network, &self.0, &budget, &|_| (), &stop))?;
        serde_json::to_string(&bands).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    fn __repr__(&self) -> String {
        format!("<Suite {} of {} positions on {}>", self.0.name, self.0.positions.len(), self.0.board)
    }
}
