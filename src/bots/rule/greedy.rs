//! The bot `greedy`: it takes boxes on offer and gives none away while it can.

use crate::board::{Edge, Edges, Position};

use super::without_third_sides;

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    position
        .pick(captures(position), nonce)
        .or_else(|| position.pick(without_third_sides(position.state()), nonce))
        .or_else(|| position.pick(position.undrawn(), nonce))
}

/// Returns the edges that close a box.
fn captures(position: &Position) -> Edges {
    position.undrawn().iter().filter(|&edge| position.state().captures(edge) > 0).collect()
}
