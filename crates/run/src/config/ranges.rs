//! The limits of numbers.

use thiserror::Error;
use toml::Value;

use super::key::Key;

/// A number that is out of its key's range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{key} = {value} is out of range ({low} to {high}{})", if *.is_optional { ", or none" } else { "" })]
pub struct RangeError {
    /// The key's path.
    pub key: &'static str,
    /// The number.
    pub value: f64,
    /// The smallest number that the key may have.
    pub low: f64,
    /// The largest one.
    pub high: f64,
    /// `true` if the key may be absent.
    pub is_optional: bool,
}

/// Checks that each number is within the limits of its key.
pub(super) fn check_ranges(values: Vec<(&'static Key, Option<Value>)>) -> Result<(), RangeError> {
    for (key, value) in values {
        let Some(((low, high), value)) = key.range.zip(value.as_ref().and_then(number)) else { continue };
        if !(low..=high).contains(&value) {
            return Err(RangeError { key: key.path, value, low, high, is_optional: key.is_optional() });
        }
    }
    Ok(())
}

/// Returns a value as a number, where it is one.
fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|whole| whole as f64))
}
