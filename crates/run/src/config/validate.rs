//! Checks of a run's config, each value by itself and against the others.

use super::error::ConfigError;
use super::ranges::{check_ranges, in_range};
use super::tables::Config;

impl Config {
    /// Checks every value, but not that the program can use it.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.check_mixture()?;
        self.above_phases().validate()?;
        check_ranges(self.values())?;
        // The empty board is for learning.
        let most_of_suite = match self.suite.positions {
            0 => self.suite.most_undrawn,
            _ => self.suite.most_undrawn.min(self.board.edges() - 1),
        };
        in_range("suite.least_undrawn", self.suite.least_undrawn as f64, 0.0, most_of_suite as f64)?;
        self.check_phases()
    }
}
