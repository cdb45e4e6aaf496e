//! The names of keys in a layer: which there are, the nearest to one that there is not, and old ones.

use toml::{Table, Value};

use super::error::{ConfigError, OldName};
use super::key::{Key, split};
use super::tables::{Config, SECTIONS};

/// The key with an old name, and that name.
fn renamed() -> impl Iterator<Item = (&'static Key, &'static str)> {
    Config::keys().filter_map(|key| Some((key, key.old_path?)))
}

/// Tells whether a key has, or had, this name in this table, or above all tables where that has no name.
fn is_key(table: &str, name: &str) -> bool {
    let is_it = |path| split(path) == (table, name);
    Config::keys().any(|key| is_it(key.path) || key.old_path.is_some_and(is_it))
}

/// Tells whether there is, or was, a table of this name.
fn is_table(name: &str) -> bool {
    let had = |path| split(path).0 == name;
    !name.is_empty() && (SECTIONS.iter().any(|section| section.name() == name) || renamed().any(|(_, old)| had(old)))
}

/// Refuses a layer with a key that no config has.
pub(super) fn check_keys(layer: &Table, origin: &str) -> Result<(), ConfigError> {
    // A key with a dot in its own name is another one than the path that it spells.
    let unknown = layer.iter().find_map(|(name, value)| match value {
        Value::Table(inner) if is_table(name) => {
            inner.keys().find(|key| !is_key(name, key)).map(|key| format!("{name}.{key}"))
        }
        _ if is_table(name) || is_key("", name) => None,
        _ => Some(name.clone()),
    });
    match unknown {
        Some(key) => Err(ConfigError::UnknownKey { origin: origin.into(), nearest: nearest(&key).into(), key }),
        None => Ok(()),
    }
}

/// The key or table whose name is most like one that there is not.
fn nearest(unknown: &str) -> &'static str {
    let keys = Config::keys().map(|key| (key.path, key.path));
    let tables = SECTIONS.iter().map(|section| (section.name(), section.name()));
    let old_keys = renamed().map(|(key, old)| (old, key.path));
    let old_tables = renamed().map(|(key, old)| (split(old).0, split(key.path).0));
    // A key forgotten out of its table is as near as a misspelt one.
    let leaf = |path: &str| path.rsplit('.').next().unwrap_or_default().to_string();
    let far = |name: &str| {
        let far = distance(unknown, name).min(1 + distance(&leaf(unknown), &leaf(name)));
        if split(unknown).0 == split(name).0 && is_short_for(&leaf(unknown), &leaf(name)) { far.min(1) } else { far }
    };
    let names = keys.chain(tables).chain(old_keys).chain(old_tables).filter(|(name, _)| !name.is_empty());
    names.min_by_key(|(name, _)| far(name)).map_or("", |(_, path)| path)
}

/// Returns `true` if `short` is a word of a name, or the first letters of its words: `rate` and `lr`
/// are short for `learning_rate`.
fn is_short_for(short: &str, name: &str) -> bool {
    let initials: String = name.split('_').filter_map(|word| word.chars().next()).collect();
    name.split('_').any(|word| word == short) || (short.len() > 1 && initials == short)
}

/// Moves the values of keys with old names to the new ones, with a notice of each.
pub(super) fn rename(layer: &mut Table, origin: &str, notices: &mut Vec<OldName>) -> Result<(), ConfigError> {
    for (key, old) in renamed() {
        let ((old_table, old_name), (new_table, new_name)) = (split(old), split(key.path));
        let Some(value) = inner(layer, old_table).and_then(|table| table.remove(old_name)) else { continue };
        if !new_table.is_empty() {
            layer.entry(new_table).or_insert_with(|| Table::new().into());
        }
        // What is not a table there is of the wrong type.
        let Some(target) = inner(layer, new_table) else { continue };
        if target.insert(new_name.into(), value).is_some() {
            return Err(ConfigError::Twice { origin: origin.into(), old, new: key.path });
        }
        // A table that was renamed as a whole is one change.
        let (old, new) = match old_name == new_name {
            true => (format!("[{old_table}]"), format!("[{new_table}]")),
            false => (old.into(), key.path.into()),
        };
        let notice = OldName { origin: origin.into(), old, new };
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    // Of a table that there is no more nothing is left, unless it was none.
    let is_gone = |name: &str| !is_key("", name) && SECTIONS.iter().all(|section| section.name() != name);
    layer.retain(|name, value| !is_gone(name) || !value.is_table());
    match layer.keys().find(|name| is_gone(name)) {
        Some(name) => Err(ConfigError::Toml { origin: origin.into(), error: format!("expected a table in `{name}`") }),
        None => Ok(()),
    }
}

/// A table of a layer, or the layer itself where it has no name.
fn inner<'a>(layer: &'a mut Table, name: &str) -> Option<&'a mut Table> {
    if name.is_empty() { Some(layer) } else { layer.get_mut(name)?.as_table_mut() }
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + (x != *y) as usize;
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
