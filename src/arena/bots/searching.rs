//! `net`, `mcts` and `uniform`: tree search with a network, with quick games, and with no knowledge at all.

use std::time::Duration;

use super::clock;
use crate::arena::Bot;
use crate::board::{Board, Edge, Position};
use crate::bots::{Knowledge, RuleBot, SearchPlayer};
use crate::net::Isa;
use crate::search::{Budget, equivalent_moves};
use crate::solver::Solver;

/// The options of a searching bot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchOptions {
    pub budget: Budget,
    /// The time for a move, instead of simulations and nodes at the root.
    pub time: Option<Duration>,
    /// How much less than the best, in utility, a move may be worth that the nonce may choose instead; `None` plays the
    /// same whatever the nonce.
    pub diversity: Option<f32>,
    /// The instruction set of the network, if not the program's default.
    pub isa: Option<Isa>,
}

/// Plays by tree search, exactly where the solver settles the root. On boards that its network does not know it plays
/// as [`RuleBot::Chains`].
pub struct SearchBot {
    options: SearchOptions,
    player: SearchPlayer,
    /// A solver on the player's table, for the root of this board, where moves go by the clock.
    root: Option<(Board, Solver)>,
}

impl SearchBot {
    pub(crate) fn new(options: SearchOptions, knowledge: Knowledge) -> SearchBot {
        SearchBot { player: SearchPlayer::new(knowledge, options.budget.clone()), options, root: None }
    }
}

impl Bot for SearchBot {
    fn start_game(&mut self) {
        if let Some(player) = self.player.current() {
            player.clear();
        }
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let board = position.board();
        let Some(player) = self.player.player(board) else {
            return RuleBot::Chains.choose(position, nonce);
        };
        let play = match self.options.time {
            None => player.decide(position),
            Some(time) => {
                if self.root.as_ref().is_none_or(|(kept, _)| *kept != board) {
                    self.root = player.worker().map(|solver| (board, solver));
                }
                let root = self.root.as_mut().map(|(_, solver)| solver);
                let for_margin = self.options.budget.settings.margin_weight >= 1.0;
                clock::decide(player, root, position, time, for_margin)
            }
        };
        let diverse = |tolerance| position.pick(equivalent_moves(position, &play, tolerance), nonce);
        self.options.diversity.and_then(diverse).unwrap_or(play.edge)
    }
}
