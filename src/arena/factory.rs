//! Making the bots that names describe.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::bots::{External, ExternalLimits, SearchBot, SolverBot};
use super::spec::{Kind, Source};
use super::{Bot, BotSpec, SpecError};
use crate::board::Board;
use crate::bots::Knowledge;
use crate::net::{Isa, Network, Weights, WeightsError};
use crate::pretrained::PRETRAINED;

/// Makes any number of one bot, which share the network's weights.
pub struct BotFactory {
    kind: Kind,
    knowledge: Knowledge,
    limits: ExternalLimits,
    stop: Arc<AtomicBool>,
}

impl BotSpec {
    /// Loads what the bot needs, once for all games. Networks run on `isa` unless the bot's name says otherwise. A
    /// checkpoint is a weights file, or a folder that `resolve` turns into weights.
    ///
    /// # Errors
    /// Returns an error if the checkpoint cannot be used.
    pub fn factory_with(
        &self,
        isa: Isa,
        resolve: impl Fn(&Path) -> Result<Weights, String>,
    ) -> Result<BotFactory, SpecError> {
        let bad = |error| SpecError::Checkpoint { text: self.name().into(), error };
        let knowledge = match &self.kind {
            Kind::Search { source, options } => {
                let isa = options.isa.unwrap_or(isa);
                match source {
                    Source::Checkpoint(path) => {
                        let network = resolve(path).and_then(|weights| checked(&weights, isa));
                        Knowledge::Network(network.map_err(bad)?)
                    }
                    Source::Pretrained => {
                        let networks = PRETRAINED.iter().map(|(_, bytes)| checked(&read(bytes)?, isa));
                        Knowledge::Networks(networks.collect::<Result<_, _>>().map_err(bad)?)
                    }
                    Source::Rollouts => Knowledge::Rollouts,
                    Source::Nothing => Knowledge::Nothing,
                }
            }
            _ => Knowledge::Nothing,
        };
        Ok(BotFactory { kind: self.kind.clone(), knowledge, limits: ExternalLimits::default(), stop: Arc::default() })
    }

    /// As [`BotSpec::factory_with`] on the fastest instruction set, for bots without a checkpoint or with a plain weights
    /// file.
    ///
    /// # Errors
    /// Returns an error if the checkpoint cannot be used.
    pub fn factory(&self) -> Result<BotFactory, SpecError> {
        self.factory_with(Isa::fastest(), |path| {
            let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
            read(&bytes)
        })
    }
}

/// The weights of a file's bytes.
fn read(bytes: &[u8]) -> Result<Weights, String> {
    Weights::from_bytes(bytes).map_err(|error: WeightsError| error.to_string())
}

/// The network of these weights, once the engine has reproduced its canaries.
fn checked(weights: &Weights, isa: Isa) -> Result<Arc<Network>, String> {
    Network::checked(weights, isa).map_err(|error| error.to_string())
}

impl BotFactory {
    /// The same, with these limits for a bot in a process of its own.
    #[must_use]
    pub fn with_limits(self, limits: ExternalLimits) -> BotFactory {
        BotFactory { limits, ..self }
    }

    /// The same; a bot in a process of its own is not waited for when this flag is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> BotFactory {
        BotFactory { stop, ..self }
    }

    /// One more of the bot.
    pub fn make(&self) -> Box<dyn Bot> {
        match &self.kind {
            Kind::Rule(rule) => Box::new(*rule),
            Kind::Solver { nodes } => Box::new(SolverBot::new(*nodes)),
            Kind::External { command } => Box::new(External::new(command, self.limits, self.stop.clone())),
            Kind::Search { options, .. } => Box::new(SearchBot::new(options.clone(), self.knowledge.clone())),
        }
    }

    /// The board that the bot's network plays, when it has one.
    pub fn board(&self) -> Option<Board> {
        self.knowledge.board()
    }

    /// Returns `true` if the bot plays on this board as what it is called: one with a network on the network's board alone.
    pub fn knows(&self, board: Board) -> bool {
        self.knowledge.supports(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn pretrained_networks_know_their_boards() {
        let spec: BotSpec = "net,sims=4,nodes=0".parse().unwrap();
        let factory = spec.factory().unwrap();
        assert_eq!(factory.board(), None);
        assert!(factory.knows(Board::new(4, 4).unwrap()) && !factory.knows(Board::new(2, 3).unwrap()));
        let mut bot = factory.make();
        for (board, chains) in [("5x5", false), ("3x3", false), ("2x3", true)] {
            let plays = |bot: &mut dyn Bot, nonce| bot.choose(&board.parse::<Position>().unwrap(), nonce);
            let edges: Vec<_> = (0..20).map(|nonce| plays(&mut *bot, nonce)).collect();
            // Without a network it goes by chances, as the rule of thumb does.
            assert_eq!(edges.iter().any(|edge| *edge != edges[0]), chains, "{board}");
        }
    }
}
