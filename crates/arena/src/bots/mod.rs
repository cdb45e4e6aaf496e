//! The bots, each behind the [`Bot`] interface.

mod clock;
mod external;
mod searching;
mod solving;

pub use external::{ExternalBot, ExternalLimits, Launch, supervise};
pub use searching::SearchBot;
pub(super) use searching::SearchOptions;
pub use solving::SolverBot;

use super::Bot;
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
