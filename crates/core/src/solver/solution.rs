//! The results of a solver.

use crate::board::{Edge, Edges};

use super::Bounds;

/// The result of a solve, for the player to move, in boxes still to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Proved bounds of the margin.
    pub bounds: Bounds,
    /// Every edge that reaches the margin. Empty if the budget ended before they were known, and at
    /// the end of the game.
    pub best: Edges,
    /// The number of nodes: capture-free positions that were expanded.
    pub nodes: u64,
}

impl Solution {
    /// Returns the exact margin if the bounds meet.
    pub fn margin(&self) -> Option<i32> {
        self.bounds.margin()
    }

    /// Narrows bounds of the margin that an edge reaches, by what the solution says of it.
    #[must_use]
    pub fn narrow_edge(&self, edge: Edge, bounds: Bounds) -> Bounds {
        match self.margin() {
            Some(margin) if self.best.contains(edge) => Bounds::exact(margin),
            // Margins have the same parity.
            Some(margin) if !self.best.is_empty() => Bounds::new(bounds.lower, bounds.upper.min(margin - 2)),
            _ => Bounds::new(bounds.lower, bounds.upper.min(self.bounds.upper)),
        }
    }
}

/// Edges with a proved result. Returned by [`Solver::proved_edges`](super::Solver::proved_edges).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvedEdges {
    /// The edges. Empty if nothing was proved.
    pub edges: Edges,
    /// `true` if no other edge has a better result (win, tie or loss). Otherwise the edges are
    /// proved to tie, and another edge may win.
    pub is_final: bool,
}
