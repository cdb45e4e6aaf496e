//! Checks of a run's config, each value by itself and against the others.

use super::error::ConfigError;
use super::ranges::check_ranges;
use super::tables::Config;

impl Config {
    /// Checks every value, but not that the program can use it.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.check().map_err(|reason| ConfigError::Value { board: self.board, reason })
    }

    /// Checks every value. An error is the reason why one is refused.
    fn check(&self) -> Result<(), String> {
        self.check_mixture()?;
        self.above_phases().validate()?;
        check_ranges(self.values()).map_err(|error| error.to_string())?;
        check_span("suite", self.suite.least_undrawn, self.suite.most_undrawn)?;
        // The empty board is for learning.
        let most = self.board.edges() - 1;
        if self.suite.positions > 0 && self.suite.least_undrawn > most {
            let least = self.suite.least_undrawn;
            return Err(format!("suite.least_undrawn = {least} leaves no position to score on ({most} or less)"));
        }
        self.check_phases()
    }
}

/// Checks the fewest and the most undrawn edges of the positions of a table.
pub(super) fn check_span(table: &str, least: usize, most: usize) -> Result<(), String> {
    if least <= most {
        return Ok(());
    }
    Err(format!("{table}.least_undrawn = {least} is more than {table}.most_undrawn = {most}"))
}
