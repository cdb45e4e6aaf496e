//! What is learnt from: a capture-free position with the policy and the margin to aim at.

use crate::board::{Board, Edge, Edges};
use crate::solver::Solution;

/// One training row, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The position.
    pub drawn: Edges,
    /// The margin still to come.
    pub margin: i8,
    /// Whether the margin was proved; otherwise it is how the game went on.
    pub is_exact: bool,
    /// The policy to aim at: undrawn edges with a weight; weights add up to about 65535.
    pub policy: Vec<(Edge, u16)>,
}

impl Row {
    /// The weights of a policy given as probabilities, edges without weight left out.
    pub fn quantise(policy: impl IntoIterator<Item = (Edge, f32)>) -> Vec<(Edge, u16)> {
        let weights = policy.into_iter().map(|(edge, probability)| (edge, (probability * 65535.0).round() as u16));
        weights.filter(|&(_, weight)| weight > 0).collect()
    }

    /// The weights of edges that are all as good.
    pub(super) fn uniform(edges: Edges) -> Vec<(Edge, u16)> {
        Row::quantise(edges.iter().map(|edge| (edge, 1.0 / edges.len() as f32)))
    }

    /// The row of a position that the solver has settled; `None` where its budget ended before.
    pub(super) fn solved(drawn: Edges, solution: &Solution) -> Option<Row> {
        let margin = solution.margin().filter(|_| !solution.best.is_empty())?;
        Some(Row { drawn, margin: margin as i8, is_exact: true, policy: Row::uniform(solution.best) })
    }

    /// Whether the row can be of this board: edges exist, the policy's are undrawn, the margin is possible.
    pub fn is_possible(&self, board: Board) -> bool {
        if !self.drawn.difference(board.all()).is_empty() || !board.is_capture_free(self.drawn) {
            return false;
        }
        let open = board.open_boxes(self.drawn) as i32;
        let margin = self.margin as i32;
        let undrawn = board.undrawn(self.drawn);
        margin.abs() <= open
            && (margin - open) % 2 == 0
            && !self.policy.is_empty()
            && self.policy.iter().all(|&(edge, _)| undrawn.contains(edge))
    }
}
