//! The boards of a run.

use doublecross_arena::suite::SolvedSuiteSettings;
use doublecross_core::board::Board;

use super::mixture::Mixture;
use super::tables::{Config, SuiteConfig};

impl Config {
    /// Returns the board of a generation's games.
    pub fn board_of(&self, generation: u64) -> Board {
        self.mixture.as_ref().map_or(self.board, |mixture| mixture.board_of(generation))
    }

    /// Returns all boards of the run, its own first.
    pub fn boards(&self) -> Vec<Board> {
        let others = self.mixture.iter().flat_map(Mixture::boards).filter(|&other| other != self.board);
        std::iter::once(self.board).chain(others).collect()
    }

    /// Returns the settings of the run's suite on one of its boards.
    ///
    /// Keys that count undrawn edges are for the run's own board. On another they are lower by one edge
    /// for each box that it has fewer, and the number of positions is in proportion to the boxes.
    pub fn suite_on(&self, board: Board) -> SolvedSuiteSettings {
        let SuiteConfig { positions, nodes, .. } = self.suite;
        let (least_undrawn, most_undrawn) = self.suite.span(self.reach);
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

    /// Checks that the mixture has the run's own board, and no larger one. An error is the reason why it is refused.
    pub(super) fn check_mixture(&self) -> Result<(), String> {
        let Some(mixture) = &self.mixture else { return Ok(()) };
        if self.labeled.data.is_some() {
            return Err(format!(
                "labeled.data has labels of one board, and mixture = \"{mixture}\" (leave one of them out)"
            ));
        }
        let board = self.board;
        if let Some(larger) =
            mixture.boards().max_by_key(|board| board.boxes()).filter(|other| other.boxes() > board.boxes())
        {
            return Err(format!(
                "mixture = \"{mixture}\": {larger} is larger than the run's board (set board={larger})"
            ));
        }
        if mixture.boards().all(|other| other != board) {
            return Err(format!("mixture = \"{mixture}\": it lacks the run's board (add {board}:1, or set board)"));
        }
        Ok(())
    }
}
