//! Parallel solving, for questions that take seconds to days: several workers on one table, limits, a stop from outside, and a
//! snapshot on disk from which a killed solve goes on.

mod limits;
mod snapshot;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::board::{Board, Edge, Edges, State};
use crate::solver::{Bounds, MoveQuestion, Solution, Solver, SolverHandle};

pub use limits::Limits;
pub use snapshot::{SnapshotError, check_saving, load, save};

/// A question that takes fewer nodes than this is answered by one solver: it is not worth waking the workers.
const ALONE: u64 = 20_000;

/// Positions in the table of the solver that is asked first. What it settles does not touch a table of gigabytes, whose
/// memory the system hands out slowly.
const FIRST_ENTRIES: usize = 1 << 18;

/// The first budget of a question, in nodes, where there is a limit.
const FIRST_BUDGET: u64 = 100_000;

/// The interval at which the observer is asked.
const OBSERVE: Duration = Duration::from_millis(100);

/// The progress of a solve.
#[derive(Clone, Copy, Debug)]
pub struct SolveProgress {
    /// Nodes so far.
    pub nodes: u64,
    /// The bounds of the margin proved so far.
    pub bounds: Bounds,
    /// The edge whose value is being found out, when it is not the margin of the state.
    pub edge: Option<Edge>,
}

/// The value of equivalent edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeValue {
    /// The edges.
    pub edges: Edges,
    /// Bounds of the mover's margin after them.
    pub bounds: Bounds,
}

/// An exact solver with several worker threads on one table.
///
/// `observer` is called about ten times a second; the work ends when it answers `false`.
pub struct ParallelSolver {
    /// Asked first, until a question is too much for it.
    first: Option<Solver>,
    workers: Vec<Solver>,
    handle: SolverHandle,
    limits: Limits,
    nodes: u64,
    is_stopped: bool,
}

impl ParallelSolver {
    /// A solver with `threads` workers, at least one, and a table of about `entries` positions.
    pub fn new(board: Board, entries: usize, threads: usize) -> ParallelSolver {
        let first = (entries > FIRST_ENTRIES).then(|| Solver::new(board, FIRST_ENTRIES));
        let mut main = Solver::new(board, entries);
        let others: Vec<Solver> = (1..threads).map(|_| main.worker()).collect();
        main.report_moves();
        let handle = main.handle();
        let workers = std::iter::once(main).chain(others).collect();
        ParallelSolver { first, workers, handle, limits: Limits::NONE, nodes: 0, is_stopped: false }
    }

    /// The board it solves.
    pub fn board(&self) -> Board {
        self.workers[0].board()
    }

    /// A handle to the shared table, the node count and the moves being tried. It does not stop a solve: limits and the
    /// observer do.
    pub fn handle(&self) -> SolverHandle {
        self.handle.clone()
    }

    /// The margin and all optimal edges, or the bounds proved when the limits or the observer end the work.
    ///
    /// The bounds close in from where a player who leads by `lead` wins, so the winner is known first.
    pub fn solve(
        &mut self,
        state: State,
        lead: i32,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Solution {
        self.solve_within(state, Bounds::of_state(state), lead, limits, observer)
    }

    /// As [`ParallelSolver::solve`], where these bounds of the margin are known already, so that they need not be proved. The
    /// answer is as true as they are.
    pub fn solve_within(
        &mut self,
        state: State,
        known: Bounds,
        lead: i32,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Solution {
        self.start(limits);
        let observe = &mut |nodes, bounds| observer(SolveProgress { nodes, bounds, edge: None });
        let bounds = self.close_in(state, known, -lead, observe);
        let best = bounds.margin().and_then(|margin| self.edges_worth(state, margin, observer));
        Solution { bounds, best: best.unwrap_or(Edges::EMPTY), nodes: self.nodes }
    }

    /// The edges after which the mover still gets `margin`, the state's value; `None` when the work ends before they are
    /// known.
    fn edges_worth(
        &mut self,
        state: State,
        margin: i32,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Option<Edges> {
        let (bounds, mut best) = (Bounds::exact(margin), Edges::EMPTY);
        for equivalent in state.equivalent_edges() {
            let Some(edge) = equivalent.lowest() else { continue };
            let observe = &mut |nodes| observer(SolveProgress { nodes, bounds, edge: Some(edge) });
            let MoveQuestion { target, wanted } = MoveQuestion::new(state.captures(edge), margin);
            if self.ask(state.after(edge), target, u64::MAX, observe)? == wanted {
                best = best.union(equivalent);
            }
        }
        Some(best)
    }

    /// The value of each undrawn edge, as far as the limits allow.
    pub fn edge_values(
        &mut self,
        state: State,
        limits: Limits,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Vec<EdgeValue> {
        self.start(limits);
        let mut values = Vec::new();
        for edges in state.equivalent_edges() {
            let Some(edge) = edges.lowest() else { continue };
            let after = state.after(edge);
            let observe = &mut |nodes, bounds| observer(SolveProgress { nodes, bounds, edge: Some(edge) });
            let bounds = self.close_in(after, Bounds::of_state(after), 0, observe);
            values.push(EdgeValue { edges, bounds: bounds.after(state.captures(edge)) });
        }
        values
    }

    fn start(&mut self, limits: Limits) {
        self.limits = limits;
        self.nodes = 0;
        self.is_stopped = false;
    }

    /// Bounds of a state's margin within known ones, from `guess` outwards.
    ///
    /// Where there is a limit the questions around the guess, which are the hard ones, get a budget at first. When it does
    /// not suffice, the easy ones at the far ends are asked before the budget grows, so that some bounds are proved whenever
    /// the limit comes.
    fn close_in(
        &mut self,
        state: State,
        mut bounds: Bounds,
        guess: i32,
        observe: &mut dyn FnMut(u64, Bounds) -> bool,
    ) -> Bounds {
        let mut budget = if self.limits.are_set() { FIRST_BUDGET } else { u64::MAX };
        while !bounds.is_exact() && !self.is_over() {
            let middle = bounds.next_target(guess);
            let proved = bounds;
            if let Some(reached) = self.ask(state, middle, budget, &mut |nodes| observe(nodes, proved)) {
                bounds.answer(middle, reached);
                continue;
            }
            for is_low in [true, false] {
                loop {
                    let proved = bounds;
                    let target = if is_low { bounds.lower + 2 } else { bounds.upper };
                    if target == middle || bounds.lower == bounds.upper {
                        break;
                    }
                    let observe = &mut |nodes| observe(nodes, proved);
                    let Some(reached) = self.ask(state, target, budget / 2, observe) else { break };
                    bounds.answer(target, reached);
                }
            }
            budget = budget.saturating_mul(4);
        }
        bounds
    }

    /// Whether the margin of a state is at least `target`; `None` when the budget, a limit or the observer ends it.
    fn ask(&mut self, state: State, target: i32, budget: u64, observe: &mut dyn FnMut(u64) -> bool) -> Option<bool> {
        self.handle.resume();
        let left = self.limits.nodes.saturating_sub(self.nodes).min(budget);
        if self.is_over() {
            return None;
        }
        let first = self.first.as_mut().unwrap_or(&mut self.workers[0]);
        let answer = first.is_at_least(state, target, left.min(ALONE));
        self.nodes += first.nodes();
        if answer.is_some() || left <= ALONE {
            return answer;
        }
        self.first = None;
        self.ask_workers(state, target, left - ALONE, observe)
    }

    /// Asks all workers at once; the first answer stops the others.
    fn ask_workers(
        &mut self,
        state: State,
        target: i32,
        nodes: u64,
        observe: &mut dyn FnMut(u64) -> bool,
    ) -> Option<bool> {
        let share = nodes / self.workers.len() as u64;
        let before = self.handle.nodes();
        let (sender, receiver) = channel();
        let mut answer = None;
        thread::scope(|scope| {
            for solver in &mut self.workers {
                let sender = sender.clone();
                // A send fails only when nobody listens any more, and then the answer is known.
                scope.spawn(move || sender.send(solver.is_at_least(state, target, share)).ok());
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(OBSERVE) {
                    Ok(Some(found)) => {
                        answer = Some(found);
                        self.handle.stop();
                    }
                    Ok(None) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        let is_late = self.limits.is_late(Instant::now());
                        if answer.is_none() && (is_late || !observe(self.nodes + self.handle.nodes() - before)) {
                            self.is_stopped = true;
                            self.handle.stop();
                        }
                    }
                }
            }
        });
        self.nodes += self.workers.iter().map(Solver::nodes).sum::<u64>();
        answer
    }

    fn is_over(&self) -> bool {
        self.is_stopped || self.limits.is_late(Instant::now()) || self.nodes >= self.limits.nodes
    }
}

#[cfg(test)]
mod tests;
