//! The boards of a run.

use doublecross_arena::suite::SolvedSuiteSettings;
use doublecross_core::board::Board;

use super::error::ConfigError;
use super::tables::{Config, SuiteConfig};

impl Config {
    /// Returns the board of a generation's games.
    pub fn board_of(&self, generation: u64) -> Board {
        self.mixture.board_of(generation).unwrap_or(self.board)
    }

    /// Returns all boards of the run, its own first.
    pub fn boards(&self) -> Vec<Board> {
        std::iter::once(self.board).chain(self.mixture.boards().filter(|&other| other != self.board)).collect()
    }

    /// Returns the settings of the run's suite on one of its boards.
    ///
    /// Keys that count undrawn edges are for the run's own board. On another they are lower by one edge
    /// for each box that it has fewer, and the number of positions is in proportion to the boxes.
    pub fn suite_on(&self, board: Board) -> SolvedSuiteSettings {
        let SuiteConfig { positions, least_undrawn, most_undrawn, nodes, .. } = self.suite;
        let settings = SolvedSuiteSettings { board, positions, least_undrawn, most_undrawn, nodes };
        if board == self.board {
            return settings;
        }
        let fewer = self.board.boxes().saturating_sub(board.boxes());
        // The empty board is for learning.
        let most_undrawn = most_undrawn.saturating_sub(fewer).min(board.edges() - 1);
        let least_undrawn = least_undrawn.saturating_sub(fewer).min(most_undrawn);
        // So that most positions of a small board are left to learn from.
        let positions = (positions * board.boxes()).div_ceil(self.board.boxes());
        SolvedSuiteSettings { positions, least_undrawn, most_undrawn, ..settings }
    }

    /// Checks that the mixture has the run's own board, and no larger one.
    pub(super) fn check_mixture(&self) -> Result<(), ConfigError> {
        let (board, mixture) = (self.board, &self.mixture);
        let refused = |reason: String| Err(ConfigError::Value(format!("mixture = \"{mixture}\": {reason}")));
        if let Some(larger) = mixture.boards().find(|other| other.boxes() > board.boxes()) {
            return refused(format!("{larger} is larger than board = \"{board}\"; expected the largest board there"));
        }
        if mixture.boards().next().is_some() && mixture.boards().all(|other| other != board) {
            return refused(format!("it lacks the board of the run; expected {board}:1 in it, or another board"));
        }
        Ok(())
    }
}
