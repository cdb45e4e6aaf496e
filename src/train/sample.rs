//! Training samples: capture-free states with the policy and the margin to aim at.

use crate::board::{Edge, Edges, State};

/// One training sample, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The state.
    pub state: State,
    /// The margin still to come.
    pub margin: i8,
    /// Whether the margin was proved; otherwise it is how the game went on.
    pub is_exact: bool,
    /// The policy to aim at: undrawn edges with a weight; weights add up to about 65535.
    pub policy: Vec<(Edge, u16)>,
    /// The exact margin still to come with each undrawn edge, for the player who draws it; empty where they are not known.
    pub edge_margins: Vec<(Edge, i8)>,
}

impl Sample {
    /// The weights of a policy given as probabilities, edges without weight left out.
    pub fn quantise(policy: impl IntoIterator<Item = (Edge, f32)>) -> Vec<(Edge, u16)> {
        let weights = policy.into_iter().map(|(edge, probability)| (edge, (probability * 65535.0).round() as u16));
        weights.filter(|&(_, weight)| weight > 0).collect()
    }

    /// The weights of edges that are all equally good.
    pub(super) fn uniform(edges: Edges) -> Vec<(Edge, u16)> {
        Sample::quantise(edges.iter().map(|edge| (edge, 1.0 / edges.len() as f32)))
    }

    /// Returns `true` if the sample can be: the state is capture-free, the edges it names are undrawn, margins are possible.
    pub fn is_possible(&self) -> bool {
        if !self.state.is_capture_free() {
            return false;
        }
        let open = self.state.open_boxes() as i32;
        let is_margin = |margin: i8| (margin as i32).abs() <= open && (margin as i32 - open) % 2 == 0;
        let undrawn = self.state.undrawn();
        is_margin(self.margin)
            && !self.policy.is_empty()
            && self.policy.iter().all(|&(edge, _)| undrawn.contains(edge))
            && self.edge_margins.iter().all(|&(edge, margin)| undrawn.contains(edge) && is_margin(margin))
    }
}
