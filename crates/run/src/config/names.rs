//! The names of keys in a layer: which there are, and the nearest to one that there is not.

use toml::{Table, Value};

use super::error::ConfigError;
use super::key::split;
use super::origin::Origin;
use super::tables::{Config, SECTIONS};
use doublecross_arena::edit_distance;

/// Returns `true` if a key has this name in this table, or above all tables where that has no name.
fn is_key(table: &str, name: &str) -> bool {
    Config::keys().any(|key| split(key.path) == (table, name))
}

/// Returns `true` if there is a table of this name.
fn is_table(name: &str) -> bool {
    !name.is_empty() && SECTIONS.iter().any(|section| section.name() == name)
}

/// Keys of earlier versions, which the files of their runs list. Nothing that was computed depends on them.
const RETIRED: [&str; 2] = ["resources.selfplay_device", "resources.games_at_once"];

/// Removes the keys of earlier versions from a file's layer.
pub(super) fn remove_retired(layer: &mut Table) {
    for (table, name) in RETIRED.map(split) {
        if let Some(Value::Table(table)) = layer.get_mut(table) {
            table.remove(name);
        }
    }
}

/// Refuses a layer, or one of its phases, with a key that no config has.
pub(super) fn check_keys(layer: &Table, origin: Origin<'_>, phase: Option<usize>) -> Result<(), ConfigError> {
    // A key with a dot in its own name is another one than the path that it spells.
    let unknown = layer.iter().find_map(|(name, value)| match value {
        Value::Table(inner) if is_table(name) => {
            inner.keys().find(|key| !is_key(name, key)).map(|key| format!("{name}.{key}"))
        }
        _ if is_table(name) || is_key("", name) => None,
        _ => Some(name.clone()),
    });
    match unknown {
        Some(key) => {
            let (origin, nearest) = (origin.place(phase, &key), nearest(&key).map(Into::into));
            Err(ConfigError::UnknownKey { origin, key, nearest })
        }
        None => Ok(()),
    }
}

/// The key or table whose name is most like one that there is not, unless none is like it.
fn nearest(unknown: &str) -> Option<&'static str> {
    let keys = Config::keys().map(|key| key.path);
    let tables = SECTIONS.iter().map(|section| section.name());
    // A key forgotten out of its table is as near as a misspelled one.
    let leaf = |path: &str| path.rsplit('.').next().unwrap_or_default().to_string();
    let far = |name: &str| {
        let far = edit_distance(unknown, name).min(1 + edit_distance(&leaf(unknown), &leaf(name)));
        let is_short = split(unknown).0 == split(name).0 && is_short_for(&leaf(unknown), &leaf(name));
        // `learn.device` for `resources.learn_device`.
        if is_short || leaf(name) == unknown.replace('.', "_") { far.min(1) } else { far }
    };
    let nearest = keys.chain(tables).filter(|name| !name.is_empty()).min_by_key(|name| far(name))?;
    (2 * far(nearest) <= leaf(unknown).len().max(2)).then_some(nearest)
}

/// Returns `true` if `short` is a word of a name, or the first letters of its words: `rate` and `lr`
/// are short for `learning_rate`.
fn is_short_for(short: &str, name: &str) -> bool {
    let initials: String = name.split('_').filter_map(|word| word.chars().next()).collect();
    name.split('_').any(|word| word == short) || (short.len() > 1 && initials == short)
}
