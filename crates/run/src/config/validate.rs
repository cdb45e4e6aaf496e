//! Checks of a run's config, each value by itself and against the others.

use toml::Value;

use super::error::ConfigError;
use super::key::Key;
use super::tables::Config;
use super::values::number;

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

/// Checks that each number is within the limits of its key.
pub(super) fn check_ranges(values: Vec<(&'static Key, Value)>) -> Result<(), ConfigError> {
    for (key, value) in values {
        if let (Some((low, high)), Some(value)) = (key.range, number(&value)) {
            in_range(key.path, value, low, high)?;
        }
    }
    Ok(())
}

pub(super) fn in_range(key: &str, value: f64, low: f64, high: f64) -> Result<(), ConfigError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::Value(format!("{key} = {value} is out of range; expected {low} to {high}")))
}
