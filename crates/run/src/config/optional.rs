//! Keys that may be absent, and the word that takes one away.

use toml::{Table, Value};

use super::key::{Key, split};
use super::tables::Config;

/// The value that takes a key away that may be absent: for an override, which has no other way to, and for a phase.
pub(super) const NONE: &str = "none";

/// Returns `true` if a value takes this key away.
pub(super) fn is_none(key: &Key, value: &Value) -> bool {
    key.is_optional() && value.as_str() == Some(NONE)
}

/// Removes the keys that are taken away.
pub(super) fn remove_none(config: &mut Table) {
    for key in Config::keys().filter(|key| key.is_optional()) {
        let (section, name) = split(key.path);
        let table = match section {
            "" => Some(&mut *config),
            section => config.get_mut(section).and_then(Value::as_table_mut),
        };
        if let Some(table) = table
            && table.get(name).is_some_and(|value| is_none(key, value))
        {
            table.remove(name);
        }
    }
}

/// Returns the value of a key as an override has it.
pub fn shown(value: Option<&Value>) -> String {
    value.map_or(NONE.into(), Value::to_string)
}
