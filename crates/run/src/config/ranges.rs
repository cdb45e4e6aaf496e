//! The limits of numbers.

use toml::Value;

use super::error::ConfigError;
use super::key::Key;

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

/// Returns a value as a number, where it is one.
fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|whole| whole as f64))
}
