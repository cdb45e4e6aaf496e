//! `net`, `mcts` and `uniform`: tree search with a network, with quick games, and with no knowledge at all.

use std::sync::Arc;
use std::time::Duration;

use super::clock;
use crate::arena::Bot;
use crate::board::{Board, Edge, Position};
use crate::net::{Network, Path};
use crate::search::{Budget, Cached, Evaluator, NetworkEvaluator, Player, RolloutEvaluator, UniformEvaluator, as_good};
use crate::simple::Simple;
use crate::solver::Solver;

/// How a bot searches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchOptions {
    pub budget: Budget,
    /// The time for a move, instead of simulations and nodes at the root.
    pub time: Option<Duration>,
    /// How much less than the best, in utility, an edge may be worth that the nonce may choose instead; `None` plays the
    /// same whatever the nonce.
    pub variety: Option<f32>,
    /// What the network runs on, if not [`Path::chosen`].
    pub path: Option<Path>,
}

/// What a searching bot asks about positions.
#[derive(Clone)]
pub(crate) enum SearchKnowledge {
    Network(Arc<Network>),
    /// Several, each for its own board.
    Networks(Arc<[Arc<Network>]>),
    Rollouts,
    Nothing,
}

impl SearchKnowledge {
    /// The board that it is for, when it is for one alone.
    pub fn board(&self) -> Option<Board> {
        if let SearchKnowledge::Network(network) = self { Some(network.board()) } else { None }
    }

    /// The same for one board; `None` where there is nothing to ask about it.
    pub fn of(&self, board: Board) -> Option<SearchKnowledge> {
        match self {
            SearchKnowledge::Network(network) if network.board() != board => None,
            SearchKnowledge::Networks(networks) => {
                let network = networks.iter().find(|network| network.board() == board)?;
                Some(SearchKnowledge::Network(network.clone()))
            }
            other => Some(other.clone()),
        }
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

    /// The player for a board; `None` where it does not know the board.
    fn player(&mut self, board: Board) -> Option<&mut AnyPlayer> {
        let knowledge = self.knowledge.of(board)?;
        if self.player.as_ref().is_some_and(|(known, _)| *known != board) {
            self.player = None;
        }
        let options = &self.options;
        let (_, player) = self.player.get_or_insert_with(|| {
            let evaluator: Box<dyn Evaluator + Send> = match knowledge {
                SearchKnowledge::Network(network) => Box::new(match options.path {
                    Some(path) => NetworkEvaluator::with_path(network, path),
                    None => NetworkEvaluator::new(network),
                }),
                SearchKnowledge::Rollouts => Box::new(RolloutEvaluator::new(board)),
                SearchKnowledge::Networks(_) | SearchKnowledge::Nothing => Box::new(UniformEvaluator),
            };
            let mut player = options.budget.player(board, evaluator);
            self.root = options.time.and_then(|_| player.companion());
            (board, player)
        });
        Some(player)
    }
}

impl Bot for SearchBot {
    fn start_game(&mut self) {
        if let Some((_, player)) = &mut self.player {
            player.forget();
        }
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        if self.player(position.board()).is_none() {
            return Simple::Chains.choose(position, nonce);
        }
        let Some((_, player)) = &mut self.player else { unreachable!("it was just made") };
        let play = match self.options.time {
            None => player.decide(position),
            Some(time) => {
                let for_margin = self.options.budget.settings.margin_weight >= 1.0;
                clock::decide(player, self.root.as_mut(), position, time, for_margin)
            }
        };
        let varied = |tolerance| position.pick(as_good(position, &play, tolerance), nonce);
        self.options.variety.and_then(varied).unwrap_or(play.edge)
    }
}
