//! Exact play: the margin still to come and every edge that reaches it.
//!
//! Alpha-beta with zero windows over capture-free positions: boxes on offer are resolved at once into «take all» or
//! «keep control» ([`Offer`]), an opened chain is one move ([`Openings`]), independent chains and loops are settled in
//! closed form ([`loony`]), and a table keeps a lower and an upper bound of each position. [`Solver`] is all that the
//! layers below see.

mod alpha_beta;
mod control;
pub mod loony;
mod offer;
mod openings;
mod table;

use crate::board::{Board, Edges, Strings};

pub use control::{capturing_edge, keeping_edge};
pub use offer::Offer;
pub use openings::{Opening, Openings, smallest_first};

use alpha_beta::AlphaBeta;

/// The edges of a capture-free position that put no box on offer.
pub fn safe_edges(board: Board, drawn: Edges) -> Edges {
    board.layout().edges(alpha_beta::safe_moves(board.layout(), board.strings(drawn)))
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
    board: Board,
    search: AlphaBeta,
}

impl Solver {
    /// A solver with a table of about `entries` positions (16 bytes each).
    pub fn new(board: Board, entries: usize) -> Solver {
        Solver { board, search: AlphaBeta::new(board, entries) }
    }

    /// The board it solves.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Forgets every position, so that what follows does not depend on what was asked before.
    pub fn forget(&mut self) {
        self.search.table.forget();
    }

    /// The margin for the player to move, or `None` when `nodes` capture-free positions did not settle it.
    pub fn margin(&mut self, drawn: Edges, nodes: u64) -> Option<i32> {
        self.search.start(drawn, nodes);
        self.value(self.board.strings(drawn)).ok()
    }

    /// The margin and all optimal edges, within a budget of nodes for all of it; bounds when that does not settle it.
    pub fn solve(&mut self, drawn: Edges, nodes: u64) -> Solution {
        self.search.start(drawn, nodes);
        let strings = self.board.strings(drawn);
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
        self.search.start(drawn, nodes);
        let mut margins = Vec::new();
        for edge in self.board.undrawn(drawn) {
            let captured = self.board.captures(drawn, edge) as i32;
            let rest = self.value(self.board.strings(drawn.with(edge))).ok()?;
            margins.push((edge, if captured > 0 { captured + rest } else { -rest }));
        }
        Some(margins)
    }

    /// The undrawn edges after which the mover still gets `margin`, the position's value.
    fn edges_worth(&mut self, drawn: Edges, margin: i32) -> Option<Edges> {
        let mut best = Edges::EMPTY;
        for edge in self.board.undrawn(drawn) {
            let captured = self.board.captures(drawn, edge) as i32;
            let after = self.board.strings(drawn.with(edge));
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
        let offer = Offer::resolve(self.board.layout(), strings);
        match self.search.value(offer.rest) {
            Ok(rest) => Ok(offer.margin(rest)),
            Err((lower, upper)) => Err(offer.bounds(lower, upper)),
        }
    }

    /// Whether the value of any position is at least `target`.
    fn reaches(&mut self, strings: Strings, target: i32) -> Option<bool> {
        let offer = Offer::resolve(self.board.layout(), strings);
        let take_all = self.search.reaches(offer.rest, target - offer.taken)?;
        if take_all || offer.price == 0 {
            return Some(take_all);
        }
        // Keeping control: taken - price - V(rest) >= target.
        Some(!self.search.reaches(offer.rest, offer.taken - offer.price - target + 1)?)
    }
}

#[cfg(test)]
mod tests;
