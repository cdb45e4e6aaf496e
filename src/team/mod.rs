//! A team of solvers on one table, for what takes seconds to days: threads, limits, a stop from outside, and a snapshot
//! on disk from which a killed solve goes on.

mod snapshot;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::board::{Board, Edge, Edges};
use crate::solver::{Reins, Solution, Solver, Window, equal_edges};

pub use snapshot::{SnapshotError, check_saving, load, save};

/// A question that takes fewer nodes than this is answered by one solver: it is not worth waking the others.
const ALONE: u64 = 20_000;

/// Positions in the table of the solver that is asked first. What it settles does not touch a table of gigabytes, which
/// the system hands out slowly.
const FIRST_ENTRIES: usize = 1 << 18;

/// The first budget of a question, in nodes, where there is a limit.
const FIRST_BUDGET: u64 = 100_000;

/// How often the watch is asked.
const WATCH: Duration = Duration::from_millis(100);

/// When a team gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes of all solvers together.
    pub nodes: u64,
    /// The time to end at.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// What is left when so many nodes are spent.
    pub fn after(self, nodes: u64) -> Limits {
        // No limit stays none.
        let left = if self.nodes < u64::MAX { self.nodes.saturating_sub(nodes) } else { u64::MAX };
        Limits { nodes: left, ..self }
    }
}

/// How far a solve has come.
#[derive(Clone, Copy, Debug)]
pub struct Glimpse {
    /// Nodes so far.
    pub nodes: u64,
    /// The bounds of the margin proved so far.
    pub lower: i32,
    /// See `lower`.
    pub upper: i32,
    /// The edge whose worth is being found out, when it is not the margin of the position.
    pub edge: Option<Edge>,
}

/// The worth of equally good edges: bounds of the mover's margin after them.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// The edges.
    pub edges: Edges,
    /// The margin is at least this.
    pub lower: i32,
    /// The margin is at most this.
    pub upper: i32,
}

/// Solvers that work on one position at a time.
pub struct Team {
    /// Asked first, until a question is too much for it.
    scout: Option<Solver>,
    solvers: Vec<Solver>,
    reins: Reins,
    limits: Limits,
    nodes: u64,
    stopped: bool,
}

impl Team {
    /// A team of `threads` solvers, at least one, with a table of about `entries` positions.
    pub fn new(board: Board, entries: usize, threads: usize) -> Team {
        let scout = (entries > FIRST_ENTRIES).then(|| Solver::new(board, FIRST_ENTRIES));
        let mut first = Solver::new(board, entries);
        let companions: Vec<Solver> = (1..threads).map(|_| first.companion()).collect();
        first.tell_tries();
        let reins = first.reins();
        let solvers = std::iter::once(first).chain(companions).collect();
        Team { scout, solvers, reins, limits: Limits { nodes: u64::MAX, deadline: None }, nodes: 0, stopped: false }
    }

    /// The board it solves.
    pub fn board(&self) -> Board {
        self.solvers[0].board()
    }

    /// A hold on the team's table, its count of nodes and what it tries. It does not stop the team: that is for limits and
    /// `watch`.
    pub fn reins(&self) -> Reins {
        self.reins.clone()
    }

    /// The margin and all optimal edges, or the bounds proved when the limits end the work or `watch` answers false.
    /// The bounds close in from where a player who leads by `lead` wins: so that is what is known first.
    pub fn solve(
        &mut self,
        drawn: Edges,
        lead: i32,
        limits: Limits,
        watch: &mut dyn FnMut(Glimpse) -> bool,
    ) -> Solution {
        self.solve_within(drawn, self.everything(drawn), lead, limits, watch)
    }

    /// As [`Team::solve`], where these bounds of the margin are known already, so that they need not be proved. The answer
    /// is as true as they are.
    pub fn solve_within(
        &mut self,
        drawn: Edges,
        known: Window,
        lead: i32,
        limits: Limits,
        watch: &mut dyn FnMut(Glimpse) -> bool,
    ) -> Solution {
        self.start(limits);
        let (lower, upper) = self.close_in(drawn, known, -lead, &mut |nodes, lower, upper| {
            watch(Glimpse { nodes, lower, upper, edge: None })
        });
        let mut best = Edges::EMPTY;
        if lower == upper {
            for equals in equal_edges(self.board(), drawn) {
                let Some(edge) = equals.lowest() else { continue };
                let mut watch = |nodes| watch(Glimpse { nodes, lower, upper, edge: Some(edge) });
                let captured = self.board().captures(drawn, edge) as i32;
                let target = if captured > 0 { lower - captured } else { 1 - lower };
                match self.ask(drawn.with(edge), target, u64::MAX, &mut watch) {
                    Some(reached) if reached == (captured > 0) => best = best.union(equals),
                    Some(_) => {}
                    None => {
                        best = Edges::EMPTY;
                        break;
                    }
                }
            }
        }
        Solution { lower, upper, best, nodes: self.nodes }
    }

    /// What each undrawn edge is worth, as far as the limits allow.
    pub fn worths(&mut self, drawn: Edges, limits: Limits, watch: &mut dyn FnMut(Glimpse) -> bool) -> Vec<Worth> {
        self.start(limits);
        let mut worths = Vec::new();
        for edges in equal_edges(self.board(), drawn) {
            let Some(edge) = edges.lowest() else { continue };
            let captured = self.board().captures(drawn, edge) as i32;
            let after = drawn.with(edge);
            let (low, high) = self.close_in(after, self.everything(after), 0, &mut |nodes, lower, upper| {
                watch(Glimpse { nodes, lower, upper, edge: Some(edge) })
            });
            let (lower, upper) = if captured > 0 { (captured + low, captured + high) } else { (-high, -low) };
            worths.push(Worth { edges, lower, upper });
        }
        worths
    }

    /// The bounds of a position of which nothing is known.
    fn everything(&self, drawn: Edges) -> Window {
        Window::new(self.board().open_boxes(drawn) as i32)
    }

    fn start(&mut self, limits: Limits) {
        self.limits = limits;
        self.nodes = 0;
        self.stopped = false;
    }

    /// Bounds of a position's margin within known ones, from `guess` outwards. Where there is a limit the questions
    /// around the guess, which are the hard ones, get a budget at first, and when it does not do, the easy ones at the
    /// far ends are asked before a larger one: so there is something to tell whenever the limit comes.
    fn close_in(
        &mut self,
        drawn: Edges,
        mut bounds: Window,
        guess: i32,
        watch: &mut dyn FnMut(u64, i32, i32) -> bool,
    ) -> (i32, i32) {
        let narrow = |bounds: &mut Window, target, is_reached| {
            bounds.narrow(target, if is_reached { target } else { target - 1 });
        };
        let is_limited = self.limits.nodes < u64::MAX || self.limits.deadline.is_some();
        let mut budget = if is_limited { FIRST_BUDGET } else { u64::MAX };
        while !bounds.is_closed() && !self.is_over() {
            let middle = bounds.next(guess);
            let Window { lower, upper } = bounds;
            if let Some(reached) = self.ask(drawn, middle, budget, &mut |nodes| watch(nodes, lower, upper)) {
                narrow(&mut bounds, middle, reached);
                continue;
            }
            for is_low in [true, false] {
                loop {
                    let Window { lower, upper } = bounds;
                    let target = if is_low { lower + 2 } else { upper };
                    if target == middle || lower == upper {
                        break;
                    }
                    let watch = &mut |nodes| watch(nodes, lower, upper);
                    let Some(reached) = self.ask(drawn, target, budget / 2, watch) else { break };
                    narrow(&mut bounds, target, reached);
                }
            }
            budget = budget.saturating_mul(4);
        }
        (bounds.lower, bounds.upper)
    }

    /// Whether the margin of a position is at least `target`; `None` when the budget, a limit or the watch ends it.
    fn ask(&mut self, drawn: Edges, target: i32, budget: u64, watch: &mut dyn FnMut(u64) -> bool) -> Option<bool> {
        self.reins.release();
        let left = self.limits.nodes.saturating_sub(self.nodes).min(budget);
        if self.is_over() {
            return None;
        }
        let first = self.scout.as_mut().unwrap_or(&mut self.solvers[0]);
        let answer = first.is_at_least(drawn, target, left.min(ALONE));
        self.nodes += first.nodes();
        if answer.is_some() || left <= ALONE {
            return answer;
        }
        self.scout = None;
        let share = (left - ALONE) / self.solvers.len() as u64;
        let before = self.reins.nodes();
        let (sender, receiver) = channel();
        let mut answer = None;
        thread::scope(|scope| {
            for solver in &mut self.solvers {
                let sender = sender.clone();
                // A send fails only when nobody listens any more, and then the answer is known.
                scope.spawn(move || sender.send(solver.is_at_least(drawn, target, share)).ok());
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(WATCH) {
                    Ok(Some(found)) => {
                        answer = Some(found);
                        self.reins.stop();
                    }
                    Ok(None) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
                        if answer.is_none() && (late || !watch(self.nodes + self.reins.nodes() - before)) {
                            self.stopped = true;
                            self.reins.stop();
                        }
                    }
                }
            }
        });
        self.nodes += self.solvers.iter().map(Solver::nodes).sum::<u64>();
        answer
    }

    fn is_over(&self) -> bool {
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.stopped || late || self.nodes >= self.limits.nodes
    }
}

#[cfg(test)]
mod tests;
