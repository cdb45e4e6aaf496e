//! The boards of a run, and the keys on each of them.

use super::error::ConfigError;
use super::tables::Config;
use doublecross_core::board::Board;

impl Config {
    /// The board of a generation.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn board_of(&self, generation: u64) -> Result<Board, ConfigError> {
        self.mixture.board_of(generation).map_or_else(|| self.board(), Ok)
    }

    /// All boards of the run, [`Config::board`] first.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn boards(&self) -> Result<Vec<Board>, ConfigError> {
        let board = self.board()?;
        Ok(std::iter::once(board).chain(self.mixture.boards().filter(|&other| other != board)).collect())
    }

    /// The config for games on a board of the mixture.
    ///
    /// Keys that count undrawn edges are for the run's own board. On another they are lower by one edge for each box
    /// that it has fewer, so that the solver has as much work. The number of random edges that games begin with is in
    /// proportion to the edges, and that of the suite's positions to the boxes.
    pub fn on(&self, board: Board) -> Config {
        let mut config = Config { board: board.to_string(), ..self.clone() };
        let Some(own) = self.board().ok().filter(|&own| own != board) else { return config };
        let fewer = own.boxes().saturating_sub(board.boxes());
        // 0 keeps the solver out, and stays what it is.
        let limit =
            |undrawn: &mut usize| *undrawn = if *undrawn == 0 { 0 } else { undrawn.saturating_sub(fewer).max(1) };
        limit(&mut config.selfplay.root_undrawn);
        limit(&mut config.selfplay.leaf_undrawn);
        for undrawn in [
            &mut config.selfplay.band_undrawn,
            &mut config.labelled.least_undrawn,
            &mut config.labelled.most_undrawn,
            &mut config.labelled.band_undrawn,
            &mut config.suite.least_undrawn,
            &mut config.suite.most_undrawn,
        ] {
            *undrawn = undrawn.saturating_sub(fewer);
        }
        // The empty board is for learning.
        config.suite.most_undrawn = config.suite.most_undrawn.min(board.edges() - 1);
        config.suite.least_undrawn = config.suite.least_undrawn.min(config.suite.most_undrawn);
        // So that most positions of a small board are left to learn from.
        config.suite.positions = (config.suite.positions * board.boxes()).div_ceil(own.boxes());
        config.selfplay.opening_edges = config.selfplay.opening_edges.min(own.edges()) * board.edges() / own.edges();
        config
    }

    /// Checks that the mixture has the run's own board, and no larger one.
    pub(super) fn check_mixture(&self) -> Result<(), ConfigError> {
        let (board, mixture) = (self.board()?, &self.mixture);
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
