//! The builder of searching bots.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Board;
use crate::search::{Budget, Cached, Evaluator, Player};
use crate::solver::Book;

use super::{EvaluatorSource, OfBoard};

/// A player with any evaluator.
pub type AnyPlayer = Player<Cached<Box<dyn Evaluator + Send>>>;

/// A builder of the player of a searching bot. It builds a player for each board, and keeps it
/// while the board stays the same.
///
/// ```
/// use doublecross_core::board::Position;
/// use doublecross_core::bots::{EvaluatorSource, SearchPlayer};
/// use doublecross_core::search::Budget;
/// let mut bot = SearchPlayer::new(EvaluatorSource::Rollouts, Budget::new(50, 10_000));
/// let position: Position = "2x3 H0,0 V1,2".parse()?;
/// let play = bot.player(position.board()).unwrap().decide(&position);
/// assert!(position.undrawn().contains(play.edge));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub struct SearchPlayer {
    evaluators: EvaluatorSource,
    budget: Budget,
    books: Vec<Arc<Book>>,
    stop: Arc<AtomicBool>,
    player: OfBoard<AnyPlayer>,
}

impl SearchPlayer {
    /// Creates a builder with this source of evaluations and this budget for a move.
    pub fn new(evaluators: EvaluatorSource, budget: Budget) -> SearchPlayer {
        SearchPlayer { evaluators, budget, books: Vec::new(), stop: Arc::default(), player: OfBoard::default() }
    }

    /// Returns the builder with one more book, for players of the book's board.
    #[must_use]
    pub fn with_book(mut self, book: Arc<Book>) -> SearchPlayer {
        self.books.push(book);
        self
    }

    /// Returns the builder of players with a flag that ends their searches, as [`Player::with_stop`] does.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> SearchPlayer {
        SearchPlayer { stop, ..self }
    }

    /// Returns the player for a board, or `None` if there is no evaluator for it.
    pub fn player(&mut self, board: Board) -> Option<&mut AnyPlayer> {
        let build = || {
            let player = self.budget.player(board, self.evaluators.evaluator(board)?).with_stop(self.stop.clone());
            Some(match self.books.iter().find(|book| book.board() == board) {
                Some(book) => player.with_book(book.clone()),
                None => player,
            })
        };
        self.player.get_or_build(board, build)
    }

    /// Returns the player that was built last.
    pub fn current(&mut self) -> Option<&mut AnyPlayer> {
        self.player.current()
    }
}
