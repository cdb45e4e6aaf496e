//! The values of a config by their keys.

use toml::{Table, Value};

use super::key::{Key, split};
use super::phase::PHASES;
use super::tables::Config;

impl Config {
    /// Returns the config as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config is plain tables")
    }

    /// Returns every key with its value above the phases, `None` for one that is absent.
    pub fn values(&self) -> Vec<(&'static Key, Option<Value>)> {
        let mut table = Table::try_from(self).expect("a config is plain tables");
        table.remove(PHASES);
        values_in(&table)
    }

    /// Returns every key with its value in a generation.
    pub(super) fn values_at(&self, generation: u64) -> Vec<(&'static Key, Option<Value>)> {
        let mut table = Table::try_from(self).expect("a config is plain tables");
        table.remove(PHASES);
        self.merge_phases(&mut table, generation);
        // As numbers of the config's own types: a phase may say 2 where it means 2.0.
        let typed = table.clone().try_into::<Config>().ok().and_then(|config| Table::try_from(config).ok());
        values_in(&typed.unwrap_or(table))
    }
}

/// Returns every key with its value in a table, in the order of a config file.
pub(super) fn values_in(table: &Table) -> Vec<(&'static Key, Option<Value>)> {
    let value = |path| match split(path) {
        ("", name) => table.get(name),
        (section, name) => table.get(section)?.get(name),
    };
    Config::keys().map(|key| (key, value(key.path).cloned())).collect()
}
