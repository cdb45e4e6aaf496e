//! `random`: any undrawn edge.

use super::{any, pick};
use crate::arena::Bot;
use crate::board::{Edge, Position};

/// Draws any undrawn edge, each as likely.
#[derive(Clone, Debug, Default)]
pub struct Random;

impl Bot for Random {
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        pick(position, position.undrawn(), nonce).unwrap_or_else(|| any(position))
    }
}
