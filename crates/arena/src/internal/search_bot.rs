//! `net`, `mcts` and `uniform`: tree search with a network, with rollouts, and without either.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::clock;
use crate::Bot;
use doublecross_core::board::{Edge, Position};
use doublecross_core::bots::{EvaluatorSource, RuleBot, SearchPlayer};
use doublecross_core::net::Isa;
use doublecross_core::search::{Budget, equivalent_moves};
use doublecross_core::solver::Solver;
use doublecross_proof::Books;

/// The options of a searching bot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchOptions {
    /// The budget of a move in counts.
    pub budget: Budget,
    /// The time for a move, in place of simulations and of nodes at the root.
    pub time: Option<Duration>,
    /// The largest difference in utility from the best move of a move that the nonce may choose.
    /// With `None` the nonce has no influence.
    pub diversity: Option<f32>,
    /// `true` if the solver relies on the built-in book.
    pub book: bool,
    /// The instruction set of the network, if it is not the program's default.
    pub isa: Option<Isa>,
}

/// A bot that plays by tree search, and exactly where the solver settles the position.
///
/// On boards for which it has no network it plays as [`RuleBot::Chains`].
pub struct SearchBot {
    options: SearchOptions,
    player: SearchPlayer,
    /// The solver for the position on the board in play by the clock, which shares the table of the
    /// player's solver.
    root: Option<Solver>,
}

impl SearchBot {
    /// Returns a bot that searches with the evaluators of `evaluators`, and whose solver relies on these
    /// books if its options say so.
    pub(crate) fn new(options: SearchOptions, evaluators: EvaluatorSource, books: &Books) -> SearchBot {
        let mut player = SearchPlayer::new(evaluators, options.budget.clone());
        if options.book {
            player = books.iter().fold(player, |player, book| player.with_book(book.clone()));
        }
        SearchBot { player, options, root: None }
    }

    /// Returns the bot with a flag that ends its searches soon, as long as it is set.
    #[must_use]
    pub(crate) fn with_stop(self, stop: Arc<AtomicBool>) -> SearchBot {
        SearchBot { player: self.player.with_stop(stop), ..self }
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
                let has_board = |root: &Solver| root.board() == board;
                if self.options.budget.root_nodes > 0 && !self.root.as_ref().is_some_and(has_board) {
                    self.root = player.worker();
                }
                let for_margin = self.options.budget.settings.margin_weight >= 1.0;
                clock::decide(player, self.root.as_mut(), position, time, for_margin)
            }
        };
        let diverse = |tolerance| position.pick(equivalent_moves(position, &play, tolerance), nonce);
        self.options.diversity.and_then(diverse).unwrap_or(play.edge)
    }
}
