//! Bots made from their names.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::spec::{Kind, Source};
use crate::external::{ExternalBot, ExternalLimits, Launch};
use crate::internal::{SearchBot, SolverBot};
use crate::{Bot, BotSpec, BuiltIn, SpecError};
use doublecross_core::board::Board;
use doublecross_core::bots::{BoardNetworks, EvaluatorSource, LevelBot};
use doublecross_core::net::{Isa, Network, Weights, WeightsError};
use doublecross_proof::Books;

/// A factory of any number of equal bots, which share the network's weights.
pub struct BotFactory {
    kind: Kind,
    evaluators: EvaluatorSource,
    books: Books,
    limits: ExternalLimits,
    launch: Launch,
    stop: Arc<AtomicBool>,
}

impl BotSpec {
    /// Loads the networks of the bot and returns its factory. Networks run on `isa` unless the
    /// bot's name says otherwise. `built_in` has the networks and books for names without a
    /// checkpoint, and `resolve` loads the weights of one.
    ///
    /// # Errors
    /// Returns an error if `resolve` does, or if a network does not reproduce its canaries.
    pub fn factory_with(
        &self,
        isa: Isa,
        built_in: &BuiltIn,
        resolve: impl Fn(&Path) -> Result<Weights, String>,
    ) -> Result<BotFactory, SpecError> {
        let refused = |error| SpecError::Canary { text: self.name().into(), error };
        let checked = |weights: &Weights, isa| Network::checked(weights, isa).map_err(refused);
        let pretrained = |isa| {
            let networks = built_in.pretrained_networks(isa);
            let networks = networks.map_err(|error| SpecError::BuiltIn { text: self.name().into(), error })?;
            Ok(EvaluatorSource::Boards(Arc::new(networks)))
        };
        let evaluators = match &self.kind {
            Kind::Level(level) if level.searches() => pretrained(isa)?,
            Kind::Search { source, options } => {
                let isa = options.isa.unwrap_or(isa);
                match source {
                    Source::Checkpoint(path) => match resolve(path)
                        .map_err(|error| SpecError::Checkpoint { text: self.name().into(), error })?
                    {
                        weights if weights.other_boards.is_empty() => EvaluatorSource::Network(checked(&weights, isa)?),
                        weights => {
                            EvaluatorSource::Boards(Arc::new(BoardNetworks::checked(weights, isa).map_err(refused)?))
                        }
                    },
                    Source::Pretrained => pretrained(isa)?,
                    Source::Rollouts => EvaluatorSource::Rollouts,
                    Source::Nothing => EvaluatorSource::Nothing,
                }
            }
            _ => EvaluatorSource::Nothing,
        };
        let (kind, books, limits) = (self.kind.clone(), built_in.books.clone(), ExternalLimits::default());
        Ok(BotFactory { kind, evaluators, books, limits, launch: Launch::default(), stop: Arc::default() })
    }

    /// Returns the bot's factory as [`BotSpec::factory_with`] does, on the fastest instruction set.
    /// A checkpoint has to be a weights file.
    ///
    /// # Errors
    /// Returns an error if the weights file cannot be read, or if a network does not reproduce its
    /// canaries.
    pub fn factory(&self, built_in: &BuiltIn) -> Result<BotFactory, SpecError> {
        self.factory_with(Isa::fastest(), built_in, |path| {
            let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
            read(&bytes)
        })
    }
}

/// Reads the bytes of a weights file.
fn read(bytes: &[u8]) -> Result<Weights, String> {
    Weights::from_bytes(bytes).map_err(|error: WeightsError| error.to_string())
}

impl BotFactory {
    /// Returns the factory with other limits for bots in processes of their own.
    #[must_use]
    pub fn with_limits(self, limits: ExternalLimits) -> BotFactory {
        BotFactory { limits, ..self }
    }

    /// Returns the factory with another way to start bots in processes of their own.
    #[must_use]
    pub fn with_launch(self, launch: Launch) -> BotFactory {
        BotFactory { launch, ..self }
    }

    /// Returns the factory with a stop flag. While it is set, searches end soon, and answers of bots in
    /// processes of their own are not waited for.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> BotFactory {
        BotFactory { stop, ..self }
    }

    /// Makes a bot.
    pub fn make(&self) -> Box<dyn Bot> {
        let (evaluators, stop) = (self.evaluators.clone(), self.stop.clone());
        match &self.kind {
            Kind::Rule(rule) => Box::new(*rule),
            Kind::Level(level) => Box::new(LevelBot::new(level, evaluators).with_stop(stop)),
            Kind::Solver { nodes } => Box::new(SolverBot::new(*nodes).with_stop(stop)),
            Kind::External { command } => Box::new(ExternalBot::new(command, self.limits, self.launch.clone(), stop)),
            Kind::Search { options, .. } => {
                Box::new(SearchBot::new(options.clone(), evaluators, &self.books).with_stop(stop))
            }
        }
    }

    /// The board of the bot's checkpoint, if it has one.
    pub fn board(&self) -> Option<Board> {
        let is_of_checkpoint = matches!(&self.kind, Kind::Search { source: Source::Checkpoint(_), .. });
        if is_of_checkpoint { self.evaluators.board() } else { None }
    }

    /// Returns what there is to say of a network that plays a board on which it was not trained.
    pub fn notice(&self, board: Board) -> Option<String> {
        // Levels are for people, who are told nothing of networks.
        let Kind::Search { .. } = &self.kind else { return None };
        let EvaluatorSource::Boards(networks) = &self.evaluators else { return None };
        let weights = networks.weights();
        let boards: Vec<String> = weights.other_boards.iter().chain([&weights.board]).map(Board::to_string).collect();
        let boards = boards.join(", ");
        (!weights.is_trained_on(board)).then(|| format!("its network was not trained on {board} (it was on {boards})"))
    }

    /// Returns `true` if the bot plays this board in the way that its name says. A bot with a
    /// network of one board does so on that board alone.
    pub fn knows(&self, board: Board) -> bool {
        self.evaluators.supports(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::of_repository;
    use doublecross_core::board::Position;

    #[test]
    fn pretrained_networks_play_every_board() {
        let spec: BotSpec = "net,sims=4,nodes=0".parse().unwrap();
        let factory = spec.factory(&of_repository()).unwrap();
        assert_eq!(factory.board(), None);
        let mut bot = factory.make();
        for (board, is_trained_on) in [("5x5", true), ("3x3", true), ("2x3", false), ("9x9", false)] {
            let position: Position = board.parse().unwrap();
            assert!(factory.knows(position.board()));
            assert_eq!(factory.notice(position.board()).is_none(), is_trained_on, "{board}");
            // Without a network for the board, it would play as `chains`, which the nonce varies.
            let edges: Vec<_> = (0..20).map(|nonce| bot.choose(&position, nonce)).collect();
            assert!(edges.iter().all(|edge| *edge == edges[0]), "{board}");
        }
    }

    #[test]
    fn a_checkpoint_of_one_board_plays_that_one_alone() {
        let spec: BotSpec = "net:../../checkpoints/3x3/ema.dxw,sims=4".parse().unwrap();
        let factory = spec.factory(&of_repository()).unwrap();
        let [own, other] = [(3, 3), (2, 3)].map(|(rows, cols)| Board::new(rows, cols).unwrap());
        assert_eq!((factory.board(), factory.knows(own), factory.knows(other)), (Some(own), true, false));
        // Before its checkpoint, a search that knows nothing of the board plays as `chains`.
        let mut bot = factory.make();
        let edges: Vec<_> = (0..20).map(|nonce| bot.choose(&Position::new(other), nonce)).collect();
        assert!(edges.iter().any(|edge| *edge != edges[0]));
    }
}
