//! The keys of a config: which there are, and how overrides are laid over a file.

use toml::{Table, Value};

use super::config::{Config, ConfigError};

/// The paths of all keys in a table and in those within it.
fn paths(table: &Table) -> Vec<String> {
    let within = |(key, value): (&String, &Value)| {
        let inner = value.as_table().map(paths).unwrap_or_default();
        let inner = inner.into_iter().map(|path| format!("{key}.{path}"));
        inner.chain([key.clone()]).collect::<Vec<String>>()
    };
    table.iter().flat_map(within).collect()
}

/// Refuses a table with a key that no config has.
pub(super) fn check_keys(table: &Table, origin: &str) -> Result<(), ConfigError> {
    // Level by level: a key with a dot in its own name is another one than the path that it spells.
    fn walk(table: &Table, known: &Table) -> Option<String> {
        table.iter().find_map(|(key, value)| match (known.get(key), value) {
            (None, _) => Some(key.clone()),
            (Some(Value::Table(known)), Value::Table(inner)) => walk(inner, known).map(|rest| format!("{key}.{rest}")),
            _ => None,
        })
    }
    // The default config has them all.
    let known = Table::try_from(Config::default()).expect("a config is plain tables");
    let Some(key) = walk(table, &known) else { return Ok(()) };
    // A key forgotten out of its table is as near as a misspelt one.
    let leaf = |key: &str| key.rsplit('.').next().unwrap_or_default().to_string();
    let distance = |other: &&String| distance(&key, other).min(1 + distance(&leaf(&key), &leaf(other)));
    let known = paths(&known);
    let nearest = known.iter().min_by_key(distance).cloned().unwrap_or_default();
    Err(ConfigError::UnknownKey { origin: origin.into(), key, nearest })
}

/// The first key whose values two configs disagree about, with these.
pub(super) fn first_difference(one: &Config, other: &Config) -> Option<(String, Value, Value)> {
    fn walk(one: &Table, other: &Table) -> Option<(String, Value, Value)> {
        one.iter().find_map(|(key, value)| match (value, other.get(key)?) {
            (Value::Table(one), Value::Table(other)) => {
                walk(one, other).map(|(rest, one, other)| (format!("{key}.{rest}"), one, other))
            }
            (one, other) => (one != other).then(|| (key.clone(), one.clone(), other.clone())),
        })
    }
    let table = |config: &Config| Table::try_from(config).expect("a config is plain tables");
    walk(&table(one), &table(other))
}

/// Puts a value under a dotted key.
pub(super) fn insert(table: &mut Table, key: &str, value: Value) {
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

/// Lays one table over another.
pub(super) fn merge(base: &mut Table, layer: Table) {
    for (key, value) in layer {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(layer)) => merge(inner, layer),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
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
