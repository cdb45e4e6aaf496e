//! Layers of a config: a file, and each override laid over it.

use toml::{Table, Value};

use super::error::ConfigError;
use super::key::Key;
use super::names::{check_keys, remove_retired};
use super::optional::NONE;
use super::origin::Origin;
use super::phase::PHASES;
use super::phases::check_phases;
use super::tables::Config;
use super::types::check_types;

/// Reads a file's layer.
pub(super) fn file(text: &str, name: &str) -> Result<Table, ConfigError> {
    let mut table = text.parse().map_err(|error| ConfigError::not_toml(text, name, error))?;
    remove_retired(&mut table);
    checked(table, Origin::File(name, text))
}

/// Reads the layer of an override, `key=value`.
pub(super) fn setting(text: &str) -> Result<Table, ConfigError> {
    let origin = format!("--set {text}");
    let refused = |error: String| ConfigError::Toml { origin: origin.clone(), error };
    let (key, value) = text.split_once('=').ok_or_else(|| refused("write key=value".into()))?;
    // A bare word is a string, so that `--set board=3x3` needs no quotes.
    let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    if parsed.is_none() && value.trim().parse::<u128>().is_ok_and(|number| number > i64::MAX as u128) {
        return Err(refused(format!("a number is at most {}", i64::MAX)));
    }
    // Text needs no quotes where it looks like a number either, as 0x0 does.
    let is_text = Config::keys().any(|known| known.path == key.trim() && is_text(known));
    let parsed = parsed.filter(|value| value.is_str() || !is_text);
    let bare = if value.trim() == NONE { NONE } else { value };
    let mut layer = Table::new();
    insert(&mut layer, key.trim(), parsed.unwrap_or_else(|| Value::String(bare.into())));
    checked(layer, Origin::Setting(&origin))
}

/// Returns `true` if the values of a key are text.
fn is_text(key: &Key) -> bool {
    match key.example {
        Some(example) => example.starts_with('"'),
        None => Config::default()
            .values()
            .iter()
            .any(|(known, value)| known.path == key.path && value.as_ref().is_some_and(Value::is_str)),
    }
}

/// Returns a layer, whose keys there are, with values of their types.
fn checked(mut layer: Table, origin: Origin<'_>) -> Result<Table, ConfigError> {
    let mut phases = layer.remove(PHASES);
    if let Some(phases) = &mut phases {
        check_phases(phases, origin)?;
    }
    check_keys(&layer, origin, None)?;
    check_types(&layer, origin, None)?;
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
