//! `greedy`: takes what is on offer and gives nothing away while it can.

use super::{careful, pick};
use crate::board::{Edge, Edges, Position};

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    pick(position, captures(position), nonce)
        .or_else(|| pick(position, careful(position), nonce))
        .or_else(|| pick(position, position.undrawn(), nonce))
}

/// The edges that close a box.
fn captures(position: &Position) -> Edges {
    let (board, drawn) = (position.board(), position.drawn());
    position.undrawn().iter().filter(|&edge| board.captures(drawn, edge) > 0).collect()
}
