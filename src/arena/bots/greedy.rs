//! `greedy`: as the arena's house bot of that name.

use super::{any, captures, careful, pick};
use crate::arena::Bot;
use crate::board::{Edge, Position};

/// Takes a box on offer; otherwise does not draw the third side of a box while it can avoid it; does not count chains.
#[derive(Clone, Debug, Default)]
pub struct Greedy;

impl Bot for Greedy {
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        pick(position, captures(position), nonce)
            .or_else(|| pick(position, careful(position), nonce))
            .or_else(|| pick(position, position.undrawn(), nonce))
            .unwrap_or_else(|| any(position))
    }
}
