//! Checks of a run's config, each value by itself and against the others.

use super::error::ConfigError;
use super::ranges::check_ranges;
use super::tables::Config;

impl Config {
    /// Checks every value, but not that the program can use it. The values come from `origin`.
    pub(super) fn validate(&self, origin: String) -> Result<(), ConfigError> {
        self.check().map_err(|reason| ConfigError::Value { origin, board: self.board, reason })
    }

    /// Checks every value. An error is the reason why one is refused.
    fn check(&self) -> Result<(), String> {
        self.check_mixture()?;
        check_ranges(self.values()).map_err(|error| error.to_string())?;
        let mut first = self.above_phases();
        first.fill_limits(self.reach);
        first.validate()?;
        self.check_undrawn("reach", self.reach)?;
        if let Some(least) = self.labeled.least_undrawn {
            self.check_undrawn(LEAST_LABELED, least)?;
        }
        let (least, most) = self.suite.span(self.reach);
        check_span("suite", least, most)?;
        // The empty board is for learning.
        let most = self.board.edges() - 1;
        if self.suite.positions > 0 && least > most {
            return Err(format!("suite.least_undrawn = {least} leaves no position to score on ({most} or less)"));
        }
        self.check_phases()
    }

    /// Checks that the value of a key is no more than the edges of the board.
    pub(super) fn check_undrawn(&self, key: &str, undrawn: usize) -> Result<(), String> {
        let (board, edges) = (self.board, self.board.edges());
        if undrawn <= edges {
            return Ok(());
        }
        Err(format!("{key} = {undrawn} is more than the {edges} edges of {board}"))
    }
}

/// The key of the fewest undrawn edges of a labeled position.
pub(super) const LEAST_LABELED: &str = "labeled.least_undrawn";

/// Checks the fewest and the most undrawn edges of the positions of a table.
pub(super) fn check_span(table: &str, least: usize, most: usize) -> Result<(), String> {
    if least <= most {
        return Ok(());
    }
    Err(format!("{table}.least_undrawn = {least} is more than {table}.most_undrawn = {most}"))
}
