//! The interface of every bot that plays matches.

use std::io;

use doublecross_core::board::{Edge, Position};

/// A bot that plays matches.
pub trait Bot: Send {
    /// Clears everything that is kept of earlier games, so that games do not depend on each other.
    fn start_game(&mut self) {}

    /// Returns the undrawn edge to draw in a position that is not over.
    ///
    /// `nonce` is the match's. The same position and nonce get the same edge, except from bots that
    /// play by the clock or in a process of their own.
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge;

    /// Returns the action of the seat to move, or `None` if the bot is late or its answer is not an
    /// action. A referee calls this in place of [`choose`](Bot::choose).
    ///
    /// # Errors
    /// Returns an error if the system fails to ask the bot, which is not the bot's failure.
    fn answer(&mut self, position: &Position, nonce: u64) -> io::Result<Option<Edge>> {
        Ok(Some(self.choose(position, nonce)))
    }

    /// Called on the opponent's turns, since an arena asks both seats on every turn. The bot's
    /// action does not count.
    ///
    /// # Errors
    /// Returns an error if the system fails to ask the bot.
    fn watch(&mut self, _position: &Position, _nonce: u64) -> io::Result<()> {
        Ok(())
    }

    /// A description of the first failure to act since [`Bot::start_game`], if it is known: a line with the cause, and
    /// the last lines that a program printed on stderr.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Releases resources, such as processes, that are not needed between games.
    fn end_game(&mut self) {}
}
