//! The bot that is handed in: observation in, action out, and nothing else of the machine it runs on.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, Edge, Position};
use crate::net::{CanaryError, Network, Path, Weights, WeightsError};
use crate::search::{Budget, Cached, Evaluator, NetworkEvaluator, Player, RolloutEvaluator};
use crate::wire::respond;

/// A bot that plays a network's board with it, and any other board with rollouts.
pub struct HandedIn {
    network: Arc<Network>,
    path: Path,
    budget: Budget,
    player: Option<(Board, AnyPlayer)>,
}

type AnyPlayer = Player<Cached<Box<dyn Evaluator>>>;

/// Why a bot cannot be made of a weights file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandedInError {
    /// The file is foreign or damaged.
    Weights(WeightsError),
    /// The engine does not say here what training said.
    Canary(CanaryError),
}

impl fmt::Display for HandedInError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandedInError::Weights(error) => error.fmt(f),
            HandedInError::Canary(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HandedInError {}

impl HandedIn {
    /// A bot with the weights of a file and a budget for each move, on the fastest path there is.
    ///
    /// # Errors
    /// When the file is damaged, or the engine does not give the answers that it keeps.
    pub fn new(weights: &[u8], budget: Budget) -> Result<HandedIn, HandedInError> {
        let path = Path::available().last().copied().unwrap_or(Path::Portable);
        HandedIn::with_path(weights, budget, path)
    }

    /// The same on a path from [`Path::available`].
    ///
    /// # Errors
    /// As [`HandedIn::new`].
    pub fn with_path(weights: &[u8], budget: Budget, path: Path) -> Result<HandedIn, HandedInError> {
        let weights = Weights::from_bytes(weights).map_err(HandedInError::Weights)?;
        let network = Network::checked(&weights, path).map_err(HandedInError::Canary)?;
        Ok(HandedIn { network, path, budget, player: None })
    }

    /// The action for an observation, both as JSON. Whatever the bytes are, the answer is a well-formed action, and a
    /// legal one wherever the edges can be read.
    pub fn act(&mut self, observation: &[u8]) -> String {
        respond(observation, |position, _| self.choose(position))
    }

    /// The edge to draw in a position that is not over.
    ///
    /// # Panics
    /// When the position is over.
    pub fn choose(&mut self, position: &Position) -> Edge {
        let board = position.board();
        if self.player.as_ref().is_none_or(|(known, _)| *known != board) {
            self.player = Some((board, self.budget.player(board, self.evaluator(board))));
        }
        let Some((_, player)) = &mut self.player else { unreachable!("it was just put there") };
        if position.drawn().is_empty() {
            player.forget();
        }
        player.decide(position).edge
    }

    fn evaluator(&self, board: Board) -> Box<dyn Evaluator> {
        if board == self.network.board() {
            Box::new(NetworkEvaluator::with_path(self.network.clone(), self.path))
        } else {
            Box::new(RolloutEvaluator::new(board))
        }
    }
}
