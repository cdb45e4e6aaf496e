//! The solver as the layers above see it.

use std::collections::TryReserveError;
use std::sync::Arc;

use crate::board::{Board, Edges, State};

use super::alpha_beta::AlphaBeta;
use super::plan::{Order, Plan};
use super::query::StateQuery;
use super::shared::Shared;
use super::{Bounds, SolverHandle};

/// The result of a solve, in boxes still to come, for the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Proved bounds of the margin.
    pub bounds: Bounds,
    /// Every edge that reaches the margin; empty when the budget ended before they were known, and at the game's end.
    pub best: Edges,
    /// Capture-free positions expanded.
    pub nodes: u64,
}

impl Solution {
    /// The exact margin, when the bounds meet.
    pub fn margin(&self) -> Option<i32> {
        self.bounds.margin()
    }
}

/// Edges that a solver proved, see [`Solver::proved_edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvedEdges {
    /// The edges; empty when nothing was proved.
    pub edges: Edges,
    /// Whether no other edge has a better result. Edges that tie may be all that the budget found, or all that there is.
    pub is_final: bool,
}

/// An exact solver for one board. Its table lives on from call to call, so that related positions cost less.
///
/// ```
/// use doublecross::board::State;
/// use doublecross::solver::Solver;
/// let state: State = "2x2".parse()?;
/// let mut solver = Solver::new(state.board(), 1 << 16);
/// let solution = solver.solve(state, 1_000_000);
/// assert_eq!(solution.margin(), Some(2));
/// assert_eq!(solution.best.len(), 8);
/// assert_eq!(solver.is_at_least(state, 1, 1_000_000), Some(true));
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
pub struct Solver {
    plans: Plans,
    search: AlphaBeta,
}

/// The constants for positions near the empty board, and for the others.
#[derive(Clone)]
pub(super) struct Plans {
    pub early: Arc<Plan>,
    pub late: Arc<Plan>,
}

/// Questions about positions with at most one edge in this many drawn are early: positions are looked up under all
/// symmetries. Further on, symmetric images of one position hardly ever meet in one search.
const EARLY_SHARE: usize = 4;

impl Solver {
    /// Bytes of a position in the table.
    pub const ENTRY_BYTES: usize = 8;

    /// Checks that tables of so many positions in all can be allocated, by allocating and freeing them. Allocation failure
    /// later on would abort the process.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn check_memory(entries: usize) -> Result<(), TryReserveError> {
        Vec::<u64>::new().try_reserve_exact(entries)
    }

    /// A solver with a table of about `entries` positions, and a small one beside it.
    pub fn new(board: Board, entries: usize) -> Solver {
        let early = Arc::new(Plan::new(board, Order::MiddleLines));
        let late = Arc::new(Plan::new(board, Order::Distance));
        let search = AlphaBeta::new(late.clone(), Arc::new(Shared::new(entries)));
        Solver { plans: Plans { early, late }, search }
    }

    /// Another solver on the same table, for another thread. Answers do not depend on which worker finds them.
    pub fn worker(&mut self) -> Solver {
        let plans = self.plans.clone();
        let mut search = AlphaBeta::new(plans.late.clone(), self.search.shared.clone());
        (search.is_parallel, self.search.is_parallel) = (true, true);
        Solver { plans, search }
    }

    /// Makes this one of the workers report the moves that it tries, for [`SolverHandle::move_progress`].
    pub fn report_moves(&mut self) {
        self.search.reports_moves = true;
    }

    /// A handle to this solver and its workers, for another thread.
    pub fn handle(&self) -> SolverHandle {
        SolverHandle::new(self.search.shared.clone())
    }

    /// The board it solves.
    pub fn board(&self) -> Board {
        self.plans.late.board()
    }

    /// Clears the table, so that answers within a budget do not depend on earlier questions. Other workers must be idle;
    /// their own small tables stay as they are.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Capture-free positions expanded for the last question.
    pub fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    /// Returns `true` if the last question was ended by [`SolverHandle::stop`] rather than by its budget.
    pub fn was_stopped(&self) -> bool {
        self.search.was_stopped()
    }

    /// The margin for the player to move, or `None` when `nodes` capture-free positions did not settle it.
    ///
    /// # Panics
    /// This method and the following ones panic if the state is of another board.
    pub fn margin(&mut self, state: State, nodes: u64) -> Option<i32> {
        self.query(state, nodes).value(state, 0).ok()
    }

    /// Bounds of the margin for the player to move, as close as `nodes` capture-free positions bring them. The first
    /// question is whether the margin is at least the guess, or one more.
    pub fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds {
        self.query(state, nodes).value(state, guess).map_or_else(|bounds| bounds, Bounds::exact)
    }

    /// Whether the margin for the player to move is at least this: cheaper than the margin itself. With the lead `l` of
    /// the player to move, `1 - l` asks for a win and `-l` for at least a tie. `None` when the budget ends first.
    pub fn is_at_least(&mut self, state: State, margin: i32, nodes: u64) -> Option<bool> {
        self.query(state, nodes).reaches(state, margin).ok()
    }

    /// The margin and all optimal edges, within one budget of nodes; bounds when that does not settle it.
    pub fn solve(&mut self, state: State, nodes: u64) -> Solution {
        let mut query = self.query(state, nodes);
        let bounds = query.value(state, 0).map_or_else(|bounds| bounds, Bounds::exact);
        let best = bounds.margin().and_then(|margin| query.edges_worth(state, margin).ok());
        Solution { bounds, best: best.unwrap_or(Edges::EMPTY), nodes: self.search.nodes() }
    }

    /// Edges for a player who leads by `lead`, within a budget of nodes.
    ///
    /// They are optimal where the margin can be settled, all of them if the budget goes so far. Where it cannot, they are
    /// edges proved to win, or else to tie. Empty if that cannot be proved either.
    pub fn proved_edges(&mut self, state: State, lead: i32, nodes: u64) -> ProvedEdges {
        let mut query = self.query(state, nodes);
        let bounds = value_with_reserve(&mut query, state, -lead, nodes);
        let exact = bounds.margin();
        let result = match bounds.lower + lead {
            1.. => Some(1 - lead),
            0 => Some(-lead),
            _ => None,
        };
        // A known margin does not tell which edge reaches it, but an edge for the result may be known all the same.
        let targets = exact.into_iter().chain(result);
        let found = targets.map(|target| query.edges_reaching(state, target)).find(|edges| !edges.is_empty());
        ProvedEdges {
            edges: found.unwrap_or(Edges::EMPTY),
            is_final: found.is_some() && (exact.is_some() || bounds.lower + lead > 0),
        }
    }

    /// Optimal edges, where the margin can be settled within a budget of nodes: all of them if the budget goes so far.
    /// Empty otherwise.
    pub fn best_edges(&mut self, state: State, nodes: u64) -> Edges {
        let mut query = self.query(state, nodes);
        let margin = value_with_reserve(&mut query, state, 0, nodes).margin();
        margin.map_or(Edges::EMPTY, |margin| query.edges_reaching(state, margin))
    }

    fn query(&mut self, state: State, nodes: u64) -> StateQuery<'_> {
        assert!(state.board() == self.board(), "{state} is not of the {} board", self.board());
        let is_early = state.drawn().len() * EARLY_SHARE <= self.board().edges();
        let plan = if is_early { &self.plans.early } else { &self.plans.late };
        StateQuery::new(&self.plans, is_early, self.search.query(plan, nodes))
    }
}

/// Looks for the value from `guess` with three quarters of a budget, and leaves the rest for finding edges, once it is known
/// what they have to reach.
fn value_with_reserve(query: &mut StateQuery<'_>, state: State, guess: i32, nodes: u64) -> Bounds {
    query.set_limit(nodes - nodes / 4);
    let bounds = query.value(state, guess).map_or_else(|bounds| bounds, Bounds::exact);
    query.set_limit(nodes);
    bounds
}
