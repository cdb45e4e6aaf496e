//! `greedy`: takes what is on offer and gives nothing away while it can.

use super::careful;
use crate::board::{Edge, Edges, Position};

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    position
        .pick(captures(position), nonce)
        .or_else(|| position.pick(careful(position.state()), nonce))
        .or_else(|| position.pick(position.undrawn(), nonce))
}

/// The edges that close a box.
fn captures(position: &Position) -> Edges {
    position.undrawn().iter().filter(|&edge| position.state().captures(edge) > 0).collect()
}
