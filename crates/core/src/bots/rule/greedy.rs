//! The bot `greedy`: it takes boxes on offer and gives none away while it can.

use crate::board::{Edge, Position};

use super::{captures, without_third_sides};

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    position
        .pick(captures(position), nonce)
        .or_else(|| position.pick(without_third_sides(position.state()), nonce))
        .or_else(|| position.pick(position.undrawn(), nonce))
}
