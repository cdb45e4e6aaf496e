//! The types of values in a layer.

use serde::Deserialize;
use toml::{Table, Value};

use super::error::ConfigError;
use super::key::{Key, split};
use super::optional::{NONE, is_none};
use super::origin::Origin;
use super::tables::Config;

/// Checks the type of each key in a layer, or in one of its phases.
pub(super) fn check_types(layer: &Table, origin: Origin<'_>, phase: Option<usize>) -> Result<(), ConfigError> {
    for key in Config::keys() {
        let (section, name) = split(key.path);
        let inner = match section {
            "" => Some(layer),
            section => match layer.get(section) {
                Some(Value::Table(inner)) => Some(inner),
                Some(other) => return Err(refused(origin, phase, section, other, " is not a table")),
                None => None,
            },
        };
        if let Some(value) = inner.and_then(|inner| inner.get(name))
            && let Err(reason) = check_type(key, value)
        {
            return Err(refused(origin, phase, key.path, value, &reason));
        }
    }
    Ok(())
}

/// Returns the error of a value. An override shows its value itself.
fn refused(origin: Origin<'_>, phase: Option<usize>, path: &str, value: &Value, reason: &str) -> ConfigError {
    let origin_of_key = origin.place(phase, path);
    let error = match (origin, phase) {
        (Origin::Setting(_), None) => reason.trim_start_matches(": ").trim_start_matches(" is ").into(),
        _ => format!("{path} = {value}{reason}"),
    };
    ConfigError::Toml { origin: origin_of_key, error }
}

/// Checks the type of a value. An error goes on behind the key and the value.
fn check_type(key: &Key, value: &Value) -> Result<(), String> {
    if is_none(key, value) {
        return Ok(());
    }
    let (section, name) = split(key.path);
    let mut alone = Table::from_iter([(name.into(), value.clone())]);
    if !section.is_empty() {
        alone = Table::from_iter([(section.into(), Value::Table(alone))]);
    }
    let Err(error) = Config::deserialize(alone) else { return Ok(()) };
    let absent = if value.as_str() == Some(NONE) { ", and this key is never absent" } else { "" };
    Err(reason(error.message()) + absent)
}

/// The reason why a value is refused, in words that are not Rust's.
fn reason(message: &str) -> String {
    let is_of_type = ["invalid type", "invalid value", "unknown variant"].iter().any(|kind| message.starts_with(kind));
    let Some((_, expected)) = message.rsplit_once(", expected ").filter(|_| is_of_type) else {
        return format!(": {message}");
    };
    let expected = match expected {
        "usize" | "u64" => "a whole number of 0 or more",
        "u8" => "a whole number from 0 to 255",
        "f64" => "a number",
        "a string" => "a text in quotes",
        other => return format!(" is not {}", other.replace('`', "\"")),
    };
    format!(" is not {expected}")
}
