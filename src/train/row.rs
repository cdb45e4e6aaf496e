//! What is learnt from: a capture-free position with the policy and the margin to aim at.

use crate::board::{Board, Edge, Edges};

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
    /// The exact margin still to come with each undrawn edge, for who draws it; empty where they are not known.
    pub edge_margins: Vec<(Edge, i8)>,
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

    /// Whether the row can be of this board: edges exist, those it speaks of are undrawn, margins are possible.
    pub fn is_possible(&self, board: Board) -> bool {
        if !self.drawn.difference(board.all()).is_empty() || !board.is_capture_free(self.drawn) {
            return false;
        }
        let open = board.open_boxes(self.drawn) as i32;
        let is_margin = |margin: i8| (margin as i32).abs() <= open && (margin as i32 - open) % 2 == 0;
        let undrawn = board.undrawn(self.drawn);
        is_margin(self.margin)
            && !self.policy.is_empty()
            && self.policy.iter().all(|&(edge, _)| undrawn.contains(edge))
            && self.edge_margins.iter().all(|&(edge, margin)| undrawn.contains(edge) && is_margin(margin))
    }
}
