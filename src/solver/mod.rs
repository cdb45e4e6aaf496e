//! Exact play: the margin still to come and every edge that reaches it.
//!
//! Alpha-beta with zero windows over capture-free positions: boxes on offer are resolved at once into «take all» or
//! «keep control» ([`Offer`]), an opened chain is one move ([`Openings`]), independent chains and loops are settled in
//! closed form ([`loony`]), and a table keeps a lower and an upper bound of each position. [`Solver`] is all that the
//! layers below see.

mod alpha_beta;
mod control;
mod graph;
pub mod loony;
mod offer;
mod openings;
mod plan;
mod table;

use crate::board::{Board, Edges, Strings};

pub use control::{capturing_edge, keeping_edge};
pub use offer::Offer;
pub use openings::{Opening, Openings, smallest_first};

use std::sync::Arc;

use alpha_beta::AlphaBeta;
use graph::Graph;
use plan::Plan;
use table::Table;

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
/// let solution = Solver::new(board, 1 << 16).solve(drawn, 1_000_000);
/// assert_eq!(solution.margin(), Some(2));
/// assert_eq!(solution.best.len(), 8);
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
pub struct Solver {
    plan: Arc<Plan>,
    search: AlphaBeta,
    use_symmetry: bool,
}

/// Positions with at most this share of their edges drawn are looked up under all symmetries: further on, symmetric
/// images of one position hardly ever meet in one search.
const SYMMETRY_SHARE: usize = 4;

impl Solver {
    /// A solver with a table of about `entries` positions (16 bytes each).
    pub fn new(board: Board, entries: usize) -> Solver {
        let plan = Arc::new(Plan::new(board));
        Solver { search: AlphaBeta::new(plan.clone(), Arc::new(Table::new(entries))), plan, use_symmetry: false }
    }

    /// The board it solves.
    pub fn board(&self) -> Board {
        self.plan.board()
    }

    /// Forgets every position, so that what follows does not depend on what was asked before.
    pub fn forget(&mut self) {
        self.search.table.forget();
    }

    /// Capture-free positions expanded for the last question.
    pub fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    /// The margin for the player to move, or `None` when `nodes` capture-free positions did not settle it.
    pub fn margin(&mut self, drawn: Edges, nodes: u64) -> Option<i32> {
        self.start(drawn, nodes);
        self.value(self.board().strings(drawn)).ok()
    }

    /// The margin and all optimal edges, within a budget of nodes for all of it; bounds when that does not settle it.
    pub fn solve(&mut self, drawn: Edges, nodes: u64) -> Solution {
        self.start(drawn, nodes);
        let strings = self.board().strings(drawn);
        let (lower, upper) = match self.value(strings) {
            Ok(margin) => (margin, margin),
            Err(bounds) => bounds,
        };
        let mut solution = Solution { lower, upper, best: Edges::EMPTY, nodes: self.search.nodes() };
        if lower == upper {
            solution.best = self.edges_worth(drawn, lower).unwrap_or(Edges::EMPTY);
            solution.nodes = self.search.nodes();
        }
        solution
    }

    /// The exact margin after each undrawn edge, or `None` when the budget ends first.
    pub fn margins(&mut self, drawn: Edges, nodes: u64) -> Option<Vec<(crate::board::Edge, i32)>> {
        self.start(drawn, nodes);
        let mut margins = Vec::new();
        for edge in self.board().undrawn(drawn) {
            let captured = self.board().captures(drawn, edge) as i32;
            let rest = self.value(self.board().strings(drawn.with(edge))).ok()?;
            margins.push((edge, if captured > 0 { captured + rest } else { -rest }));
        }
        Some(margins)
    }

    /// The undrawn edges after which the mover still gets `margin`, the position's value.
    fn edges_worth(&mut self, drawn: Edges, margin: i32) -> Option<Edges> {
        let mut best = Edges::EMPTY;
        for edge in self.board().undrawn(drawn) {
            let captured = self.board().captures(drawn, edge) as i32;
            let after = self.board().strings(drawn.with(edge));
            let good = if captured > 0 {
                self.reaches(after, margin - captured)?
            } else {
                !self.reaches(after, 1 - margin)?
            };
            if good {
                best.insert(edge);
            }
        }
        Some(best)
    }

    /// The value of any position; the bounds proved when the budget ends.
    fn value(&mut self, strings: Strings) -> Result<i32, (i32, i32)> {
        let offer = Offer::resolve(self.board().layout(), strings);
        match self.rest_value(self.board().drawn(offer.rest)) {
            Ok(rest) => Ok(offer.margin(rest)),
            Err((lower, upper)) => Err(offer.bounds(lower, upper)),
        }
    }

    /// Whether the value of any position is at least `target`.
    fn reaches(&mut self, strings: Strings, target: i32) -> Option<bool> {
        let offer = Offer::resolve(self.board().layout(), strings);
        let rest = self.board().drawn(offer.rest);
        let take_all = self.rest_reaches(rest, target - offer.taken)?;
        if take_all || offer.price == 0 {
            return Some(take_all);
        }
        // Keeping control: taken - price - V(rest) >= target.
        Some(!self.rest_reaches(rest, offer.taken - offer.price - target + 1)?)
    }

    fn start(&mut self, drawn: Edges, nodes: u64) {
        self.search.start(nodes);
        self.use_symmetry = drawn.len() * SYMMETRY_SHARE <= self.board().edges();
    }

    /// The value of a capture-free position; the bounds proved when the budget ends.
    fn rest_value(&mut self, drawn: Edges) -> Result<i32, (i32, i32)> {
        match (self.use_symmetry, self.plan.images()) {
            (false, _) => self.search.value(&Graph::<1>::new(&self.plan, drawn)),
            (true, 4) => self.search.value(&Graph::<4>::new(&self.plan, drawn)),
            (true, _) => self.search.value(&Graph::<8>::new(&self.plan, drawn)),
        }
    }

    /// Whether the value of a capture-free position is at least `target`.
    fn rest_reaches(&mut self, drawn: Edges, target: i32) -> Option<bool> {
        let bound = match (self.use_symmetry, self.plan.images()) {
            (false, _) => self.search.search(&Graph::<1>::new(&self.plan, drawn), target),
            (true, 4) => self.search.search(&Graph::<4>::new(&self.plan, drawn), target),
            (true, _) => self.search.search(&Graph::<8>::new(&self.plan, drawn), target),
        };
        bound.ok().map(|bound| bound >= target)
    }
}

#[cfg(test)]
mod tests;
