//! Exact play: the margin still to come and every edge that reaches it.
//!
//! Alpha-beta with zero windows over capture-free positions: boxes on offer are resolved at once into «take all» or
//! «keep control» ([`Offer`]), an opened chain is one move, chains and loops that hang on no joint are a multiset of
//! lengths and are settled in closed form when nothing else is left ([`loony`]), positions are the same when their
//! graphs of joints and chains are, and a table keeps a lower and an upper bound of each. [`Solver`] is all that the
//! layers below see.

mod ahead;
mod alpha_beta;
mod bits;
mod control;
mod equals;
mod graph;
mod handouts;
pub mod loony;
mod memory;
mod offer;
mod openings;
mod plan;
mod shared;
mod step;
mod sums;
mod table;
mod window;

use std::collections::TryReserveError;
use std::sync::Arc;

use crate::board::{Board, Edges};

pub use control::{capturing_edge, keeping_edge};
pub use equals::equal_edges;
pub use offer::Offer;
pub use openings::{Opening, Openings, smallest_first};
pub use shared::Try;
pub use window::Window;

use alpha_beta::{AlphaBeta, Spent};
use graph::Graph;
use plan::{Order, Plan};
use shared::Shared;

/// The edges of a capture-free position that put no box on offer.
pub fn safe_edges(board: Board, drawn: Edges) -> Edges {
    let (layout, strings) = (board.layout(), board.strings(drawn));
    let chains = layout.touching(strings, layout.degrees(strings).two);
    layout.edges(strings.without(chains))
}

/// What a solver found out about a position, in boxes still to come, for the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The margin is at least this.
    pub lower: i32,
    /// The margin is at most this.
    pub upper: i32,
    /// Every edge that reaches the margin; empty when the budget ended before they were known, and at the game's end.
    pub best: Edges,
    /// Capture-free positions expanded.
    pub nodes: u64,
}

impl Solution {
    /// The exact margin, when the bounds meet.
    pub fn margin(&self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// An exact solver for one board. Its table lives on from call to call, so that related positions cost less.
///
/// ```
/// use doublecross::board::parse_edges;
/// use doublecross::solver::Solver;
/// let (board, drawn) = parse_edges("2x2")?;
/// let mut solver = Solver::new(board, 1 << 16);
/// let solution = solver.solve(drawn, 1_000_000);
/// assert_eq!(solution.margin(), Some(2));
/// assert_eq!(solution.best.len(), 8);
/// assert_eq!(solver.is_at_least(drawn, 1, 1_000_000), Some(true));
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
pub struct Solver {
    /// For positions near the empty board, and for the others.
    early: Arc<Plan>,
    late: Arc<Plan>,
    search: AlphaBeta,
    is_early: bool,
}

/// Questions about positions with at most one edge in this many drawn are early: what comes up is looked up under all
/// symmetries. Further on, symmetric images of one position hardly ever meet in one search.
const EARLY_SHARE: usize = 4;

impl Solver {
    /// What a position takes in the table.
    pub const ENTRY_BYTES: usize = 8;

    /// Whether there is memory for tables of so many positions in all. It is asked for and given back: where a table that
    /// is made cannot be had, the program ends.
    ///
    /// # Errors
    /// When there is not.
    pub fn check_memory(entries: usize) -> Result<(), TryReserveError> {
        Vec::<u64>::new().try_reserve_exact(entries)
    }

    /// A solver with a table of about `entries` positions, and a small one beside it.
    pub fn new(board: Board, entries: usize) -> Solver {
        let early = Arc::new(Plan::new(board, Order::MiddleLines));
        let late = Arc::new(Plan::new(board, Order::Distance));
        let search = AlphaBeta::new(late.clone(), Arc::new(Shared::new(entries)));
        Solver { early, late, search, is_early: false }
    }

    /// Another solver on the same table, for another thread. Answers do not depend on who works on them.
    pub fn companion(&mut self) -> Solver {
        let (early, late) = (self.early.clone(), self.late.clone());
        let mut search = AlphaBeta::new(late.clone(), self.search.shared.clone());
        (search.in_company, self.search.in_company) = (true, true);
        Solver { early, late, search, is_early: false }
    }

    /// Has this one of all companions tell what it tries, for [`Reins::tries`].
    pub fn tell_tries(&mut self) {
        self.search.tells = true;
    }

    /// A hold on this solver and its companions from outside.
    pub fn reins(&self) -> Reins {
        Reins(self.search.shared.clone())
    }

    /// The board it solves.
    pub fn board(&self) -> Board {
        self.late.board()
    }

    /// Forgets every position but those that companions keep to themselves, so that what follows does not depend on what
    /// was asked before. Companions must be idle.
    pub fn forget(&mut self) {
        self.search.forget();
    }

    /// Capture-free positions expanded for the last question.
    pub fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    /// The margin for the player to move, or `None` when `nodes` capture-free positions did not settle it.
    pub fn margin(&mut self, drawn: Edges, nodes: u64) -> Option<i32> {
        self.start(drawn, nodes);
        self.value(drawn, 0).ok()
    }

    /// Bounds of the margin for the player to move, as close as `nodes` capture-free positions bring them; what is asked
    /// first is whether it is at least the guess, or one more.
    pub fn bounds(&mut self, drawn: Edges, guess: i32, nodes: u64) -> (i32, i32) {
        self.start(drawn, nodes);
        self.value(drawn, guess).map_or_else(|bounds| bounds, |margin| (margin, margin))
    }

    /// Whether the margin for the player to move is at least this: cheaper than the margin itself. With the lead `l` of
    /// the player to move, `1 - l` asks for a win and `-l` for at least a tie. `None` when the budget ends first.
    pub fn is_at_least(&mut self, drawn: Edges, margin: i32, nodes: u64) -> Option<bool> {
        self.start(drawn, nodes);
        self.reaches(drawn, margin).ok()
    }

    /// The margin and all optimal edges, within a budget of nodes for all of it; bounds when that does not settle it.
    pub fn solve(&mut self, drawn: Edges, nodes: u64) -> Solution {
        let (lower, upper) = self.bounds(drawn, 0, nodes);
        let mut solution = Solution { lower, upper, best: Edges::EMPTY, nodes: self.search.nodes() };
        if lower == upper {
            solution.best = self.edges_worth(drawn, lower).unwrap_or(Edges::EMPTY);
            solution.nodes = self.search.nodes();
        }
        solution
    }

    /// What a player should draw who leads by `lead`, within a budget of nodes: optimal edges where the margin can be
    /// settled, all of them if the budget goes so far; where it cannot, edges proved to win, or else to tie, if that can
    /// be proved. Empty otherwise.
    pub fn edges_to_draw(&mut self, drawn: Edges, lead: i32, nodes: u64) -> Edges {
        self.proved_edges(drawn, lead, nodes).0
    }

    /// As [`Solver::edges_to_draw`], and whether no edge has a better result: edges that tie may be all that the budget
    /// found, or all that there is.
    pub fn proved_edges(&mut self, drawn: Edges, lead: i32, nodes: u64) -> (Edges, bool) {
        let (lower, exact) = match self.value_and_more(drawn, -lead, nodes) {
            Ok(margin) => (margin, Some(margin)),
            Err((lower, _)) => (lower, None),
        };
        let result = match lower + lead {
            1.. => Some(1 - lead),
            0 => Some(-lead),
            _ => None,
        };
        // That the margin is known does not tell which edge it is, but an edge for the result may be known all the same.
        let targets = exact.into_iter().chain(result);
        let found = targets.map(|target| self.edges_reaching(drawn, target)).find(|edges| !edges.is_empty());
        (found.unwrap_or(Edges::EMPTY), found.is_some() && (exact.is_some() || lower + lead > 0))
    }

    /// Optimal edges, where the margin can be settled within a budget of nodes: all of them if the budget goes so far.
    /// Empty otherwise.
    pub fn best_edges(&mut self, drawn: Edges, nodes: u64) -> Edges {
        let margin = self.value_and_more(drawn, 0, nodes);
        margin.map_or(Edges::EMPTY, |margin| self.edges_reaching(drawn, margin))
    }

    /// Looks for the value from `guess` with three quarters of a budget. The rest is left for finding edges, once it is
    /// known what they have to reach.
    fn value_and_more(&mut self, drawn: Edges, guess: i32, nodes: u64) -> Result<i32, (i32, i32)> {
        self.start(drawn, nodes - nodes / 4);
        let value = self.value(drawn, guess);
        self.search.set_limit(nodes);
        value
    }

    /// The undrawn edges after which the mover still gets `margin`, the position's value.
    fn edges_worth(&mut self, drawn: Edges, margin: i32) -> Result<Edges, Spent> {
        let mut best = Edges::EMPTY;
        for equals in equal_edges(self.board(), drawn) {
            if self.keeps(drawn, equals, margin)? {
                best = best.union(equals);
            }
        }
        Ok(best)
    }

    /// The undrawn edges after which the mover is proved to get at least `target`, as far as the budget goes.
    fn edges_reaching(&mut self, drawn: Edges, target: i32) -> Edges {
        let groups = equal_edges(self.board(), drawn).into_iter();
        groups.filter(|&equals| self.keeps(drawn, equals, target).unwrap_or(false)).fold(Edges::EMPTY, Edges::union)
    }

    /// Whether the mover gets at least `target` after any of these edges, which come to the same.
    fn keeps(&mut self, drawn: Edges, equals: Edges, target: i32) -> Result<bool, Spent> {
        let Some(edge) = equals.lowest() else { return Ok(false) };
        match self.board().captures(drawn, edge) as i32 {
            0 => Ok(!self.reaches(drawn.with(edge), 1 - target)?),
            captured => self.reaches(drawn.with(edge), target - captured),
        }
    }

    fn start(&mut self, drawn: Edges, nodes: u64) {
        self.is_early = drawn.len() * EARLY_SHARE <= self.board().edges();
        let plan = if self.is_early { &self.early } else { &self.late };
        self.search.start(plan.clone(), nodes);
    }

    /// The value of any position, looked for from `guess`; the bounds proved when the budget ends.
    fn value(&mut self, drawn: Edges, guess: i32) -> Result<i32, (i32, i32)> {
        let offer = Offer::resolve(self.board().layout(), self.board().strings(drawn));
        match self.rest_value(self.board().drawn(offer.rest), guess - offer.taken) {
            Ok(rest) => Ok(offer.margin(rest)),
            Err((lower, upper)) => Err(offer.bounds(lower, upper)),
        }
    }

    /// Whether the value of any position is at least `target`.
    fn reaches(&mut self, drawn: Edges, target: i32) -> Result<bool, Spent> {
        let offer = Offer::resolve(self.board().layout(), self.board().strings(drawn));
        let rest = self.board().drawn(offer.rest);
        let take_all = target - offer.taken;
        if self.rest_bound(rest, take_all)? >= take_all {
            return Ok(true);
        }
        // Keeping control: taken - price - V(rest) >= target.
        let too_much = offer.taken - offer.price - target + 1;
        Ok(offer.price > 0 && self.rest_bound(rest, too_much)? < too_much)
    }

    /// The value of a capture-free position, looked for from `guess`; the bounds proved when the budget ends.
    fn rest_value(&mut self, drawn: Edges, guess: i32) -> Result<i32, (i32, i32)> {
        match (self.is_early, self.early.images()) {
            (false, _) => self.search.value(&Graph::<1>::new(&self.late, drawn), guess),
            (true, 4) => self.search.value(&Graph::<4>::new(&self.early, drawn), guess),
            (true, _) => self.search.value(&Graph::<8>::new(&self.early, drawn), guess),
        }
    }

    /// A bound of the value of a capture-free position: a lower one when it is at least `target`, else an upper one.
    fn rest_bound(&mut self, drawn: Edges, target: i32) -> Result<i32, Spent> {
        match (self.is_early, self.early.images()) {
            (false, _) => self.search.search(&Graph::<1>::new(&self.late, drawn), target),
            (true, 4) => self.search.search(&Graph::<4>::new(&self.early, drawn), target),
            (true, _) => self.search.search(&Graph::<8>::new(&self.early, drawn), target),
        }
    }
}

/// A hold on solvers that share a table, from another thread, and on the table itself.
#[derive(Clone)]
pub struct Reins(Arc<Shared>);

impl Reins {
    /// Ends what the solvers are doing, soon, as if their budgets were spent; until [`Reins::release`].
    pub fn stop(&self) {
        self.0.set_stop(true);
    }

    /// Lets them work again.
    pub fn release(&self) {
        self.0.set_stop(false);
    }

    /// Nodes of all of them together since they were made, to within about a thousand each.
    pub fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    /// Which safe moves the one that tells ([`Solver::tell_tries`]) was last seen to try, of the position that was asked
    /// for and of the next few in turn. What the table knows passes at once, as do mirror images near the empty board.
    pub fn tries(&self) -> Vec<Try> {
        self.0.tries().collect()
    }

    /// How many positions the shared table holds at most.
    pub fn entries(&self) -> usize {
        self.0.table.entries()
    }

    /// The words of the shared table, one for each entry, as they stand; solvers may be at work meanwhile.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.table.words()
    }

    /// Fills the shared table with what [`Reins::words`] gave for one of the same size and board, and gives how many
    /// entries that were; what is 0 is passed over. A word says nothing of its own health, so whoever keeps them has to
    /// see to it.
    pub fn restore(&self, words: impl IntoIterator<Item = u64>) -> usize {
        self.0.table.restore(words)
    }
}

#[cfg(test)]
pub(crate) mod tests;
