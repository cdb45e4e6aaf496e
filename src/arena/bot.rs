//! What plays.

use crate::board::{Edge, Position};

/// A player of the arena.
pub trait Bot: Send {
    /// Forgets what was kept of the game before, so that a game depends on itself alone.
    fn start_game(&mut self) {}

    /// Chooses an undrawn edge of a position that is not over. `nonce` is the match's; the same nonce and position get
    /// the same edge, unless it plays by the clock or in a process of its own.
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge;

    /// The action of the seat to move, as a referee asks for it: none where a bot is late or does not answer.
    fn answer(&mut self, position: &Position, nonce: u64) -> Option<Edge> {
        Some(self.choose(position, nonce))
    }

    /// Is asked on the other seat's turn, as the arena does; what it would answer does not count.
    fn watch(&mut self, _position: &Position, _nonce: u64) {}

    /// What it was that made it miss a turn or answer with no action since [`Bot::start_game`], the first time, if it knows.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Lets go of what it holds until the next game.
    fn end_game(&mut self) {}
}
