//! The report of `doublecross solve --moves`: the value of each edge, and the structure of the
//! position.

use doublecross_core::board::State;
use doublecross_core::solver::Solution;
use doublecross_proof::parallel::{EdgeValue, Limits, ParallelSolver, SolveProgress};

/// The value of each edge of a position, and the structure of the position once the boxes on offer
/// are taken.
pub(crate) struct Report {
    /// Bounds of the margin with each edge drawn.
    pub edge_values: Vec<EdgeValue>,
    /// Boxes that can be taken at once.
    pub on_offer: i32,
    /// The number of safe edges.
    pub safe: usize,
    /// The lengths of the chains, in boxes, in ascending order.
    pub chains: Vec<u32>,
    /// The lengths of the loops, in boxes, in ascending order.
    pub loops: Vec<u32>,
    /// `true` if the player to move will be in control when the safe edges are gone, `None` if that
    /// is not known.
    pub mover_controls: Option<bool>,
}

impl Report {
    /// Solves the position after each edge, and finds the player in control if the solution has the
    /// margin, within `limits`.
    pub fn new(
        solver: &mut ParallelSolver,
        state: State,
        limits: Limits,
        solution: &Solution,
        observer: &mut dyn FnMut(SolveProgress) -> bool,
    ) -> Report {
        let offer = state.offer();
        let (mut chains, mut loops) = (Vec::new(), Vec::new());
        for opening in offer.rest.openings() {
            if opening.is_loop { &mut loops } else { &mut chains }.push(opening.length);
        }
        chains.sort_unstable();
        loops.sort_unstable();
        let edge_values = solver.edge_values(state, solution, limits, observer);
        let limits = limits.after(solver.nodes());
        let mover_controls = solution.margin().and_then(|margin| solver.controls(state, margin, limits, observer));
        let safe = offer.rest.safe_edges().len();
        Report { edge_values, on_offer: offer.taken, safe, chains, loops, mover_controls }
    }
}
