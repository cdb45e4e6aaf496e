//! The solver, as the layers above use it.

use std::collections::TryReserveError;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::{Board, Edges, State};

use super::alpha_beta::AlphaBeta;
use super::graph::{Outline, Plan, Plans, STRING_PLACES};
use super::graph_query::GraphQuery;
use super::shared::Shared;
use super::state_query::{Form, StateQuery};
use super::table::Table;
use super::{Bounds, ProvedEdges, Solution, SolverHandle};

/// An exact solver for one board. Its table is kept from call to call, so that related positions
/// take fewer nodes.
///
/// Budgets are in nodes. A node is a [capture-free](State::is_capture_free) position whose moves
/// must be tried, because neither the closed form of endgames nor the table settles it.
///
/// ```
/// use doublecross_core::board::State;
/// use doublecross_core::solver::Solver;
/// let state: State = "2x2".parse()?;
/// let mut solver = Solver::new(state.board(), 1 << 16);
/// let solution = solver.solve(state, 1_000_000);
/// assert_eq!(solution.margin(), Some(2));
/// assert_eq!(solution.best.len(), 8);
/// assert_eq!(solver.is_at_least(state, 1, 1_000_000), Some(true));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub struct Solver {
    plans: Plans,
    search: AlphaBeta,
}

/// A query about a position is early if at most one edge in this many is drawn. Its positions are
/// looked up under all symmetries. Later on, symmetric images of one position hardly ever meet in
/// one search.
const EARLY_SHARE: usize = 4;

impl Solver {
    /// The number of looks into the table for one expected mistake.
    pub const PROBES_PER_MISTAKE: f64 = Table::PROBES_PER_MISTAKE;

    /// Returns the number of positions that a table of this size can hold.
    pub const fn entries_in(bytes: usize) -> usize {
        Table::entries_in(bytes)
    }

    /// Returns the size of a table of this many entries, in bytes.
    pub const fn table_bytes(entries: usize) -> usize {
        Table::bytes(entries)
    }

    /// Checks that tables of this many entries in all can be allocated, by allocating and freeing
    /// them. Allocation failure later on would abort the process.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn check_memory(entries: usize) -> Result<(), TryReserveError> {
        Vec::<u8>::new().try_reserve_exact(Table::bytes(entries))
    }

    /// Creates a solver with a table of about `entries` positions, 11 bytes each, and a small one
    /// beside it.
    pub fn new(board: Board, entries: usize) -> Solver {
        let plans = Plans::new(board);
        let search = AlphaBeta::new(plans.late().clone(), Arc::new(Shared::new(entries)));
        Solver { plans, search }
    }

    /// Returns the solver with a flag that ends its queries soon, as if their budgets were exhausted, as
    /// long as it is set. Workers that are made of it have the same flag.
    #[must_use]
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Solver {
        self.search.stop = stop;
        self
    }

    /// Returns another solver on the same table, for another thread. Answers do not depend on which
    /// worker finds them.
    pub fn worker(&mut self) -> Solver {
        let plans = self.plans.clone();
        let mut search = AlphaBeta::new(plans.late().clone(), self.search.shared.clone());
        (search.is_parallel, self.search.is_parallel) = (true, true);
        search.stop = self.search.stop.clone();
        Solver { plans, search }
    }

    /// Makes this worker report the moves that it tries, for [`SolverHandle::move_progress`].
    pub fn report_moves(&mut self) {
        self.search.reports_moves = true;
    }

    /// Returns a handle to this solver and its workers, for another thread.
    pub fn handle(&self) -> SolverHandle {
        SolverHandle::new(self.search.shared.clone(), self.plans.clone())
    }

    /// Returns `true` if the solver can search a state at all: if what is left when all boxes on
    /// offer are taken has at most 64 strings and 25 joints (docs/strategy.md, section 9). All
    /// states of a board of at most 64 edges have.
    pub fn is_in_reach(state: State) -> bool {
        state.board().edges() <= STRING_PLACES || Outline::new(state.offer().rest).fits()
    }

    /// Returns the board of the solver.
    pub fn board(&self) -> Board {
        self.plans.board()
    }

    /// Clears the table, so that answers within a budget do not depend on earlier queries. Other
    /// workers must be idle. Their own small tables are left as they are.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Returns the number of nodes of the last query.
    pub fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    /// Returns the number of times that the last query looked a position up in a table.
    ///
    /// One look in [`PROBES_PER_MISTAKE`](Solver::PROBES_PER_MISTAKE) is expected to take a
    /// position for another.
    pub fn probes(&self) -> u64 {
        self.search.probes()
    }

    /// Returns `true` if the last query was ended by [`SolverHandle::stop`] or by the flag of
    /// [`Solver::with_stop`] rather than by its budget.
    pub fn was_stopped(&self) -> bool {
        self.search.was_stopped()
    }

    /// Returns the margin of the player to move, or `None` if `nodes` nodes do not settle it.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn margin(&mut self, state: State, nodes: u64) -> Option<i32> {
        self.query(state, nodes).value(state, 0).ok()
    }

    /// Returns bounds of the margin of the player to move, as close as `nodes` nodes bring them.
    /// The first question is whether the margin is at least `guess`, or one more if the parity
    /// requires it.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds {
        self.query(state, nodes).value(state, guess).map_or_else(|bounds| bounds, Bounds::exact)
    }

    /// Returns `Some(true)` if the margin of the player to move is at least `margin`, `Some(false)`
    /// if it is not, and `None` if the budget of `nodes` nodes ends first. This takes fewer nodes
    /// than the margin itself.
    ///
    /// If the player to move leads by `l`, a `margin` of `1 - l` stands for a win and `-l` for at
    /// least a tie.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn is_at_least(&mut self, state: State, margin: i32, nodes: u64) -> Option<bool> {
        self.query(state, nodes).reaches(state, margin).ok()
    }

    /// Returns the margin and all optimal edges within a budget of `nodes` nodes, or bounds of the
    /// margin if the budget does not settle it.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn solve(&mut self, state: State, nodes: u64) -> Solution {
        let mut query = self.query(state, nodes);
        let bounds = query.value(state, 0).map_or_else(|bounds| bounds, Bounds::exact);
        let best = bounds.margin().and_then(|margin| query.edges_worth(state, margin).ok());
        Solution { bounds, best: best.unwrap_or(Edges::EMPTY), nodes: self.search.nodes() }
    }

    /// Returns edges with a proved result, for a player to move who leads by `lead`, within a
    /// budget of `nodes` nodes.
    ///
    /// If the margin can be settled, the edges are optimal, and all optimal edges are among them if
    /// the budget is large enough. Otherwise they are edges that are proved to win, or else to tie.
    /// The set is empty if nothing of that kind can be proved.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn proved_edges(&mut self, state: State, lead: i32, nodes: u64) -> ProvedEdges {
        let mut query = self.query(state, nodes);
        let bounds = value_with_reserve(&mut query, state, -lead, nodes);
        let exact = bounds.margin();
        let result = match bounds.lower + lead {
            1.. => Some(1 - lead),
            0 => Some(-lead),
            _ => None,
        };
        let is_final = exact.is_some() || bounds.lower + lead > 0;
        if !is_final && result.is_some() {
            // A tie is proved. An edge may be known to win, as by the book.
            query.set_limit(nodes - nodes / 8);
            let winning = query.edges_reaching(state, 1 - lead);
            query.set_limit(nodes);
            if !winning.is_empty() {
                return ProvedEdges { edges: winning, is_final: true };
            }
        }
        // The budget may settle the margin but not the edges that reach it, and still suffice for
        // edges with the same result.
        let targets = exact.into_iter().chain(result);
        let found = targets.map(|target| query.edges_reaching(state, target)).find(|edges| !edges.is_empty());
        ProvedEdges { edges: found.unwrap_or(Edges::EMPTY), is_final: found.is_some() && is_final }
    }

    /// Returns optimal edges if the margin can be settled within a budget of `nodes` nodes: all of
    /// them if the budget is large enough. Returns the empty set otherwise.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn best_edges(&mut self, state: State, nodes: u64) -> Edges {
        let mut query = self.query(state, nodes);
        let margin = value_with_reserve(&mut query, state, 0, nodes).margin();
        margin.map_or(Edges::EMPTY, |margin| query.edges_reaching(state, margin))
    }

    fn query(&mut self, state: State, nodes: u64) -> StateQuery<'_> {
        assert!(state.board() == self.board(), "{state} is not a state of the {} board", self.board());
        let is_early = state.drawn().len() * EARLY_SHARE <= self.board().edges();
        let (plan, form) = match &self.plans {
            Plans::Whole { early, .. } if is_early => (early.clone(), Form::Symmetric(early.images())),
            Plans::Whole { late, .. } => (late.clone(), Form::Plain),
            Plans::OfPositions(_) => match Plan::of_outline(Outline::new(state.offer().rest)) {
                Some(plan) => (Arc::new(plan), Form::Plain),
                None => (self.plans.late().clone(), Form::TooLarge),
            },
        };
        StateQuery::new(form, GraphQuery::new(&mut self.search, &plan, nodes))
    }
}

/// Searches for the value from `guess` with three quarters of a budget. The rest is left for the
/// edges that reach it.
fn value_with_reserve(query: &mut StateQuery<'_>, state: State, guess: i32, nodes: u64) -> Bounds {
    query.set_limit(nodes - nodes / 4);
    let bounds = query.value(state, guess).map_or_else(|bounds| bounds, Bounds::exact);
    query.set_limit(nodes);
    bounds
}
