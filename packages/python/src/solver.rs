//! The exact solver.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use doublecross::board::Board;
use doublecross::built_in;
use doublecross::proof::parallel::{Limits, ParallelSolver, SolveProgress};
use doublecross::solver;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::count::{count, optional_count};
use crate::errors::invalid;
use crate::long_call::{failed, long_call, short_call};
use crate::position::{Position, names, numbers, parse_board};

/// An exact solver of positions of one board. It remembers what it has proved.
///
/// `memory` is the size of its table in MiB, `threads` the number of threads that solve together.
///
/// Calls release the interpreter, and Ctrl-C ends them.
#[pyclass(module = "doublecross", frozen)]
pub struct Solver {
    solver: Mutex<ParallelSolver>,
    board: Board,
}

/// The result of solving a position, for the player to move, in boxes still to come.
#[pyclass(module = "doublecross", frozen)]
#[derive(Clone)]
pub struct Solution {
    board: Board,
    solution: solver::Solution,
}

#[pymethods]
impl Solution {
    /// The boxes that the player to move gets with best play less those of the opponent, or `None`
    /// if a limit ended the solve.
    #[getter]
    fn margin(&self) -> Option<i32> {
        self.solution.margin()
    }

    /// The least margin that is possible by what was proved.
    #[getter]
    fn lower(&self) -> i32 {
        self.solution.bounds.lower
    }

    /// The greatest margin that is possible by what was proved.
    #[getter]
    fn upper(&self) -> i32 {
        self.solution.bounds.upper
    }

    /// All best edges; empty if they are not known, and at the end of the game.
    #[getter]
    fn best(&self) -> Vec<usize> {
        numbers(self.solution.best)
    }

    /// The number of positions that the solver expanded.
    #[getter]
    fn nodes(&self) -> u64 {
        self.solution.nodes
    }

    fn __repr__(&self) -> String {
        match self.margin() {
            Some(margin) => format!("<Solution margin {margin:+}, best {}>", names(self.board, self.solution.best)),
            None => format!("<Solution not settled, {:+} to {:+}>", self.lower(), self.upper()),
        }
    }
}

/// The nodes of a call that is too short to be worth a thread of its own.
const SHORT: u64 = 2_000;

/// Limits as callers give them.
fn limits(nodes: Option<u64>, seconds: Option<f64>) -> PyResult<Limits> {
    if let Some(seconds) = seconds.filter(|&seconds| seconds.is_nan() || seconds < 0.0) {
        return Err(invalid(format!("seconds = {seconds} is out of range; expected a number from 0 on, or None")));
    }
    // A time that no clock reaches is no limit.
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let deadline = duration.and_then(|duration| Instant::now().checked_add(duration));
    Ok(Limits { nodes: nodes.unwrap_or(u64::MAX), deadline })
}

impl Solver {
    /// Works with the solver once no other thread does. Ctrl-C ends the work, and the wait for it.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut ParallelSolver, &mut dyn FnMut(SolveProgress) -> bool) -> T + Send,
    ) -> PyResult<T> {
        let stop = Arc::<AtomicBool>::default();
        let done = long_call(py, &stop, || {
            let mut solver = self.lock(&stop)?;
            Some(work(&mut solver, &mut |_| !stop.load(Ordering::Relaxed)))
        })?;
        // The wait ends by a signal alone, which is the error then.
        done.ok_or_else(failed)
    }

    /// Waits until no other thread solves with this solver. Returns `None` if `stop` is set before.
    fn lock(&self, stop: &AtomicBool) -> Option<MutexGuard<'_, ParallelSolver>> {
        loop {
            match self.solver.try_lock() {
                Ok(solver) => return Some(solver),
                Err(TryLockError::Poisoned(solver)) => return Some(solver.into_inner()),
                Err(TryLockError::WouldBlock) if stop.load(Ordering::Relaxed) => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Solves within a few milliseconds, unless another thread solves with this solver.
    fn solve_shortly(
        &self,
        py: Python<'_>,
        state: doublecross::State,
        lead: i32,
        limits: Limits,
    ) -> PyResult<Option<solver::Solution>> {
        let limits = Limits { nodes: limits.nodes.min(SHORT), ..limits };
        short_call(py, || Some(self.solver.try_lock().ok()?.solve(state, lead, limits, &mut |_| true)))
    }

    fn state(&self, position: &Position) -> PyResult<doublecross::State> {
        match position.0.board() == self.board {
            true => Ok(position.0.state()),
            false => {
                let board = position.0.board();
                Err(PyValueError::new_err(format!("the position is of {board}; the solver is of {}", self.board)))
            }
        }
    }
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (board, *, memory = 64, threads = 1))]
    fn new(
        board: &str,
        #[pyo3(from_py_with = count)] memory: usize,
        #[pyo3(from_py_with = count)] threads: usize,
    ) -> PyResult<Solver> {
        let board = parse_board(board)?;
        if !(1..=1 << 20).contains(&memory) {
            return Err(PyValueError::new_err(format!(
                "memory = {memory} MiB is out of range; expected 1 to {}",
                1 << 20
            )));
        }
        if !(1..=1024).contains(&threads) {
            return Err(PyValueError::new_err(format!("threads = {threads} is out of range; expected 1 to 1024")));
        }
        let entries = ParallelSolver::entries_for(board, memory << 20);
        solver::Solver::check_memory(entries).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        let mut solver = ParallelSolver::new(board, entries, threads);
        if let Some(book) = built_in().books.of(board) {
            solver.add_book(book);
        }
        Ok(Solver { solver: Mutex::new(solver), board })
    }

    /// The margin of a position and all best edges, or what is proved within `nodes` nodes and
    /// `seconds` seconds.
    #[pyo3(signature = (position, *, nodes = None, seconds = None))]
    fn solve(
        &self,
        py: Python<'_>,
        position: &Position,
        #[pyo3(from_py_with = optional_count)] nodes: Option<u64>,
        seconds: Option<f64>,
    ) -> PyResult<Solution> {
        let (state, limits, lead) = (self.state(position)?, limits(nodes, seconds)?, position.0.lead());
        let board = self.board;
        let begun = self.solve_shortly(py, state, lead, limits)?;
        let spent = begun.as_ref().map_or(0, |begun| begun.nodes);
        // Where the nodes run out, the margin may be proved without the best edges.
        let is_whole = |begun: &solver::Solution| begun.margin().is_some() && begun.nodes < SHORT;
        if let Some(solution) = begun.filter(|begun| limits.nodes <= SHORT || is_whole(begun)) {
            return Ok(Solution { board, solution });
        }
        let limits = limits.after(spent);
        let solution = self.work(py, |solver, goes_on| solver.solve(state, lead, limits, goes_on))?;
        Ok(Solution { board, solution: solver::Solution { nodes: spent + solution.nodes, ..solution } })
    }

    /// The margin of the player who draws it for each undrawn edge, as `(lower, upper)`: the
    /// same number twice where it is proved.
    #[pyo3(signature = (position, *, nodes = None, seconds = None))]
    fn edge_values(
        &self,
        py: Python<'_>,
        position: &Position,
        #[pyo3(from_py_with = optional_count)] nodes: Option<u64>,
        seconds: Option<f64>,
    ) -> PyResult<BTreeMap<usize, (i32, i32)>> {
        let (state, limits, lead) = (self.state(position)?, limits(nodes, seconds)?, position.0.lead());
        let values = self.work(py, |solver, goes_on| {
            let solution = solver.solve(state, lead, limits, goes_on);
            solver.edge_values(state, &solution, limits.after(solution.nodes), goes_on)
        })?;
        let of_edges = |value: &doublecross::proof::parallel::EdgeValue| {
            let bounds = (value.bounds.lower, value.bounds.upper);
            value.edges.iter().map(move |edge| (edge.index(), bounds)).collect::<Vec<_>>()
        };
        Ok(values.iter().flat_map(of_edges).collect())
    }

    /// `True` if the player to move will be in control, `False` if the opponent will be, and `None`
    /// if no long chain or loop is opened any more or a limit left it open.
    ///
    /// Raises `ValueError` if a box can be taken at once.
    #[pyo3(signature = (position, *, nodes = 10_000_000))]
    fn controls(
        &self,
        py: Python<'_>,
        position: &Position,
        #[pyo3(from_py_with = count)] nodes: u64,
    ) -> PyResult<Option<bool>> {
        position.capture_free()?;
        let (state, lead) = (self.state(position)?, position.0.lead());
        self.work(py, |solver, goes_on| {
            let limits = Limits { nodes, deadline: None };
            let solution = solver.solve(state, lead, limits, goes_on);
            solver.controls(state, solution.margin()?, limits.after(solution.nodes), goes_on)
        })
    }

    /// The board of the solver.
    #[getter]
    fn board(&self) -> String {
        self.board.to_string()
    }
}
