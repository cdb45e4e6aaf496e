//! `first`: what the arena draws for a bot that does not answer.

use super::any;
use crate::arena::Bot;
use crate::board::{Edge, Position};

/// Draws the first undrawn edge.
#[derive(Clone, Debug, Default)]
pub struct First;

impl Bot for First {
    fn choose(&mut self, position: &Position, _nonce: u64) -> Edge {
        any(position)
    }
}
