//! `mcts` and `net`: tree search, with and without a network.

use std::sync::Arc;

use super::Chains;
use crate::arena::Bot;
use crate::board::{Board, Edge, Position};
use crate::net::{Network, Path};
use crate::search::{Budget, Cached, Evaluator, NetworkEvaluator, Player, RolloutEvaluator};

/// How a bot searches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchOptions {
    pub budget: Budget,
    /// What the network runs on, if not [`Path::chosen`].
    pub path: Option<Path>,
}

/// A player with whatever evaluates for it.
type AnyPlayer = Player<Cached<Box<dyn Evaluator + Send>>>;

/// Plays by tree search, exactly where the solver settles the root. On boards that its network does not know it plays
/// as [`Chains`].
pub struct SearchBot {
    options: SearchOptions,
    network: Option<Arc<Network>>,
    player: Option<(Board, AnyPlayer)>,
}

impl SearchBot {
    pub(crate) fn new(options: SearchOptions, network: Option<Arc<Network>>) -> SearchBot {
        SearchBot { options, network, player: None }
    }

    fn player(&mut self, board: Board) -> &mut AnyPlayer {
        if self.player.as_ref().is_some_and(|(known, _)| *known != board) {
            self.player = None;
        }
        let (options, network) = (&self.options, &self.network);
        let (_, player) = self.player.get_or_insert_with(|| {
            let evaluator: Box<dyn Evaluator + Send> = match network {
                Some(network) => Box::new(match options.path {
                    Some(path) => NetworkEvaluator::with_path(network.clone(), path),
                    None => NetworkEvaluator::new(network.clone()),
                }),
                None => Box::new(RolloutEvaluator::new(board)),
            };
            (board, options.budget.player(board, evaluator))
        });
        player
    }
}

impl Bot for SearchBot {
    fn start_game(&mut self) {
        if let Some((_, player)) = &mut self.player {
            player.forget();
        }
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let board = position.board();
        if self.network.as_ref().is_some_and(|network| network.board() != board) {
            return Chains.choose(position, nonce);
        }
        self.player(board).decide(position).edge
    }
}
