//! Sources of evaluations for searching bots.

use std::sync::Arc;

use super::BoardNetworks;
use crate::board::Board;
use crate::net::Network;
use crate::search::{Evaluator, NetworkEvaluator, RolloutEvaluator, UniformEvaluator};

/// The source of a searching bot's evaluations.
#[derive(Clone)]
pub enum EvaluatorSource {
    /// A network, on its own board alone.
    Network(Arc<Network>),
    /// A network that was trained on several boards, on any board, with others beside it.
    Boards(Arc<BoardNetworks>),
    /// A network on its own board, rollouts on any other.
    NetworkOrRollouts(Arc<Network>),
    /// Rollouts on any board.
    Rollouts,
    /// No knowledge: equal logits and no margin.
    Nothing,
}

impl EvaluatorSource {
    /// Returns the board of the source's network, the largest if it was trained on several, or `None`
    /// without a network.
    pub fn board(&self) -> Option<Board> {
        match self {
            EvaluatorSource::Network(network) => Some(network.board()),
            EvaluatorSource::Boards(networks) => Some(networks.weights().board),
            _ => None,
        }
    }

    /// Returns `true` if there is an evaluator for this board.
    pub fn supports(&self, board: Board) -> bool {
        !matches!(self, EvaluatorSource::Network(_)) || self.has_network(board)
    }

    /// Returns `true` if a network evaluates the positions of this board.
    pub fn has_network(&self, board: Board) -> bool {
        match self {
            EvaluatorSource::Network(network) | EvaluatorSource::NetworkOrRollouts(network) => network.board() == board,
            EvaluatorSource::Boards(_) => true,
            EvaluatorSource::Rollouts | EvaluatorSource::Nothing => false,
        }
    }

    /// Creates an evaluator for a board, or returns `None` if there is none.
    pub fn evaluator(&self, board: Board) -> Option<Box<dyn Evaluator + Send>> {
        let of =
            |network: &Arc<Network>| -> Box<dyn Evaluator + Send> { Box::new(NetworkEvaluator::new(network.clone())) };
        match self {
            EvaluatorSource::Network(network) => (network.board() == board).then(|| of(network)),
            EvaluatorSource::Boards(networks) => Some(of(&networks.network(board))),
            EvaluatorSource::NetworkOrRollouts(network) if network.board() == board => Some(of(network)),
            EvaluatorSource::NetworkOrRollouts(_) | EvaluatorSource::Rollouts => Some(Box::new(RolloutEvaluator)),
            EvaluatorSource::Nothing => Some(Box::new(UniformEvaluator)),
        }
    }
}
