//! The values of a config, as they stand in a file.

use toml::{Table, Value};

use super::key::{Key, split};
use super::tables::Config;

impl Config {
    /// The resolved config as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config is plain tables")
    }

    /// Every key with its value. A number is the one written, also where the config holds it with less precision.
    pub fn values(&self) -> impl Iterator<Item = (&'static Key, Value)> {
        let table: Table = self.to_toml().parse().expect("what was written is read");
        Config::keys().map(move |key| {
            let value = match split(key.path) {
                ("", name) => table.get(name),
                (section, name) => table.get(section).and_then(|section| section.get(name)),
            };
            (key, value.expect("a key is a field").clone())
        })
    }
}

/// A value as a number, where it is one.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|whole| whole as f64))
}
