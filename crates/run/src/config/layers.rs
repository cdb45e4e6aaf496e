//! Layers of a config: a file, and each override laid over it.

use toml::{Table, Value};

use super::error::ConfigError;
use super::key::Key;
use super::names::check_keys;
use super::phase::PHASES;
use super::phases::check_phase_keys;
use super::tables::Config;

/// Reads a file's layer.
pub(super) fn file(text: &str, origin: &str) -> Result<Table, ConfigError> {
    let table = text.parse().map_err(|error| ConfigError::not_toml(text, origin, error))?;
    named(table, origin)
}

/// Reads the layer of an override, `key=value`.
pub(super) fn setting(text: &str, origin: &str) -> Result<Table, ConfigError> {
    let refused = |error: String| ConfigError::Toml { origin: origin.into(), error };
    let (key, value) = text.split_once('=').ok_or_else(|| refused("expected key=value".into()))?;
    // A bare word is a string, so that `--set board=3x3` needs no quotes.
    let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    if parsed.is_none() && value.trim().parse::<u128>().is_ok_and(|number| number > i64::MAX as u128) {
        return Err(refused(format!("expected at most {}", i64::MAX)));
    }
    // Text needs no quotes where it looks like a number either, as 0x0 does.
    let is_named = |known: &Key| known.path == key.trim();
    let is_text = Config::default().values().iter().any(|(known, default)| is_named(known) && default.is_str());
    let parsed = parsed.filter(|value| value.is_str() || !is_text);
    let mut layer = Table::new();
    insert(&mut layer, key.trim(), parsed.unwrap_or_else(|| Value::String(value.into())));
    named(layer, origin)
}

/// Returns a layer, all of whose keys there are.
fn named(mut layer: Table, origin: &str) -> Result<Table, ConfigError> {
    let mut phases = layer.remove(PHASES);
    if let Some(phases) = &mut phases {
        check_phase_keys(phases, origin)?;
    }
    check_keys(&layer, origin)?;
    layer.extend(phases.map(|phases| (PHASES.into(), phases)));
    Ok(layer)
}

/// Puts a value under a dotted key.
fn insert(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.into(), value);
        }
        Some((head, rest)) => {
            let mut inner = Table::new();
            insert(&mut inner, rest, value);
            table.insert(head.into(), Value::Table(inner));
        }
    }
}
