//! The reports and results of a parallel solver.

use doublecross_core::board::{Edge, Edges};
use doublecross_core::solver::Bounds;

/// The progress of a solve.
#[derive(Clone, Copy, Debug)]
pub struct SolveProgress {
    /// The number of nodes so far.
    pub nodes: u64,
    /// The bounds of the margin proved so far.
    pub bounds: Bounds,
    /// The edge whose value is being searched, if it is not the margin of the state.
    pub edge: Option<Edge>,
}

/// The value of a group of equivalent edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeValue {
    /// The edges.
    pub edges: Edges,
    /// Bounds of the margin of the player who draws one of them.
    pub bounds: Bounds,
}
