//! `greedy`: takes what is on offer and gives nothing away while it can.

use super::careful;
use crate::board::{Edge, Edges, Position};

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    position
        .pick(captures(position), nonce)
        .or_else(|| position.pick(careful(position), nonce))
        .or_else(|| position.pick(position.undrawn(), nonce))
}

/// The edges that close a box.
fn captures(position: &Position) -> Edges {
    let (board, drawn) = (position.board(), position.drawn());
    position.undrawn().iter().filter(|&edge| board.captures(drawn, edge) > 0).collect()
}
