//! Bots that play in this process, each behind the [`Bot`] interface.

mod clock;
mod search_bot;
mod solving;

pub use search_bot::SearchBot;
pub(crate) use search_bot::SearchOptions;
pub use solving::SolverBot;

use crate::Bot;
use doublecross_core::board::{Edge, Position};
use doublecross_core::bots::{LevelBot, RuleBot};

impl Bot for RuleBot {
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        RuleBot::choose(*self, position, nonce)
    }
}

impl Bot for LevelBot {
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        LevelBot::choose(self, position, nonce)
    }
}
