//! Checks of a config's values, each by itself and against one another.

use super::error::ConfigError;
use super::tables::Config;
use super::values::number;

impl Config {
    /// Checks every value, but not that the program can use it.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let board = self.board()?;
        self.check_mixture()?;
        self.architecture().validate().map_err(|error| ConfigError::Value(error.to_string()))?;
        self.check_ranges()?;
        let (labelled, suite) = (&self.labelled, &self.suite);
        in_range("labelled.least_undrawn", labelled.least_undrawn as f64, 0.0, labelled.most_undrawn as f64)?;
        // The empty board is for learning.
        let most_of_suite = match suite.positions {
            0 => suite.most_undrawn,
            _ => suite.most_undrawn.min(board.edges() - 1),
        };
        in_range("suite.least_undrawn", suite.least_undrawn as f64, 0.0, most_of_suite as f64)?;
        if self.learn.learns_edges() && !self.solves_samples() {
            return Err(ConfigError::Value(format!(
                "learn.edge_loss = {} learns from samples that the solver has settled; expected selfplay.root_undrawn, \
                 selfplay.relabel_nodes or labelled.positions above 0, or 0",
                self.learn.edge_loss
            )));
        }
        self.check_phases()
    }

    /// Checks that each number is within the limits of its key.
    pub fn check_ranges(&self) -> Result<(), ConfigError> {
        for (key, value) in self.values() {
            if let (Some((low, high)), Some(value)) = (key.range, number(&value)) {
                in_range(key.path, value, low, high)?;
            }
        }
        Ok(())
    }
}

fn in_range(key: &str, value: f64, low: f64, high: f64) -> Result<(), ConfigError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::Value(format!("{key} = {value} is out of range; expected {low} to {high}")))
}
