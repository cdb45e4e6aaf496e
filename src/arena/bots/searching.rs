//! `net`, `mcts` and `uniform`: tree search with a network, with quick games, and with no knowledge at all.

use std::sync::Arc;
use std::time::Duration;

use super::clock;
use crate::arena::Bot;
use crate::board::{Board, Edge, Position};
use crate::net::{Network, Path};
use crate::search::{Budget, Cached, Evaluator, NetworkEvaluator, Player, RolloutEvaluator, UniformEvaluator};
use crate::simple::Simple;
use crate::solver::Solver;

/// How a bot searches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchOptions {
    pub budget: Budget,
    /// The time for a move, instead of simulations and nodes at the root.
    pub time: Option<Duration>,
    /// What the network runs on, if not [`Path::chosen`].
    pub path: Option<Path>,
}

/// What a searching bot asks about positions.
#[derive(Clone)]
pub(crate) enum SearchKnowledge {
    Network(Arc<Network>),
    Rollouts,
    Nothing,
}

impl SearchKnowledge {
    /// The board that it is for, when it is for one alone.
    pub fn board(&self) -> Option<Board> {
        if let SearchKnowledge::Network(network) = self { Some(network.board()) } else { None }
    }
}

/// A player with whatever evaluates for it.
type AnyPlayer = Player<Cached<Box<dyn Evaluator + Send>>>;

/// Plays by tree search, exactly where the solver settles the root. On boards that its network does not know it plays
/// as [`Simple::Chains`].
pub struct SearchBot {
    options: SearchOptions,
    knowledge: SearchKnowledge,
    player: Option<(Board, AnyPlayer)>,
    /// A solver on the player's table, for the root, where moves go by the clock.
    root: Option<Solver>,
}

impl SearchBot {
    pub(crate) fn new(options: SearchOptions, knowledge: SearchKnowledge) -> SearchBot {
        SearchBot { options, knowledge, player: None, root: None }
    }

    /// Beyond so many undrawn edges no solver ends in seconds.
    const FURTHEST: usize = 48;

    fn player(&mut self, board: Board) -> &mut AnyPlayer {
        if self.player.as_ref().is_some_and(|(known, _)| *known != board) {
            self.player = None;
        }
        let (options, knowledge) = (&self.options, &self.knowledge);
        let (_, player) = self.player.get_or_insert_with(|| {
            let evaluator: Box<dyn Evaluator + Send> = match knowledge {
                SearchKnowledge::Network(network) => Box::new(match options.path {
                    Some(path) => NetworkEvaluator::with_path(network.clone(), path),
                    None => NetworkEvaluator::new(network.clone()),
                }),
                SearchKnowledge::Rollouts => Box::new(RolloutEvaluator::new(board)),
                SearchKnowledge::Nothing => Box::new(UniformEvaluator),
            };
            let mut player = options.budget.player(board, evaluator);
            self.root = options.time.and_then(|_| player.companion());
            (board, player)
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
        if self.knowledge.board().is_some_and(|own| own != board) {
            return Simple::Chains.choose(position, nonce);
        }
        let Some(time) = self.options.time else { return self.player(board).decide(position).edge };
        self.player(board);
        let Some((_, player)) = &mut self.player else { unreachable!("it was just made") };
        let is_hopeless = position.undrawn().len() > SearchBot::FURTHEST;
        clock::decide(player, self.root.as_mut().filter(|_| !is_hopeless), position, time)
    }
}
