//! What plays.

use crate::board::{Edge, Position};

/// A player of the arena.
pub trait Bot: Send {
    /// Forgets what was kept of the game before, so that a game depends on itself alone.
    fn start_game(&mut self) {}

    /// Chooses an undrawn edge of a position that is not over. `nonce` is the match's; the same nonce and position get
    /// the same edge.
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge;
}
