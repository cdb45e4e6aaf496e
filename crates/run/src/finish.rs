//! The match that a run's network plays when the run ends.

use std::path::Path;

use doublecross_arena::{BotSpec, MatchSettings, SpecError};
use doublecross_core::net::Isa;

use crate::config::{Config, FinishConfig};

/// The match that a run's network plays when the run ends, as the config's `[finish]` has it.
#[derive(Clone, Debug)]
pub struct FinishMatch {
    /// The run's network, as a bot.
    pub network: BotSpec,
    /// The opponent.
    pub opponent: BotSpec,
    /// The settings of the match.
    pub settings: MatchSettings,
}

impl Config {
    /// Returns the match of the run in `folder`, or `None` if it plays none. The network runs on the
    /// run's instruction set, which its name has where another one is the default.
    ///
    /// # Errors
    /// Returns an error if the folder's path cannot stand in a bot's name.
    pub fn finish_match(&self, folder: &Path, default_isa: Isa) -> Result<Option<FinishMatch>, SpecError> {
        let FinishConfig { ref against, games, simulations, nodes } = self.finish;
        if games == 0 {
            return Ok(None);
        }
        let isa = match self.isa() {
            isa if isa == default_isa => String::new(),
            isa => format!(",isa={}", isa.name()),
        };
        let nodes = nodes.unwrap_or(0);
        let network = BotSpec::network(folder, &format!("sims={simulations},nodes={nodes}{isa}"))?;
        let (board, seed) = (self.board, self.seed);
        let settings = MatchSettings { board, games, seed, opening_edges: board.edges() / 10 };
        Ok(Some(FinishMatch { network, opponent: against.clone(), settings }))
    }
}
