//! The config of a training run.
//!
//! [`Config`] is the type to start with. `tables.rs` declares every key once: struct, default, limits, old name,
//! behaviour on resume, and the line that documents it here, in `configs/*.toml` and in `docs/configuration.md`. The
//! files stand in this order, and each uses only those before it: `preset`, `key`, `tables`, `error`, `values`, `derived`,
//! `boards`, `names`, `layers`, `phase`, `validate`, `resume`, `document`, and this one.

mod boards;
mod derived;
mod document;
mod error;
mod isa_setting;
mod key;
mod layers;
mod mixture;
mod names;
mod phase;
mod preset;
mod processor;
mod resume;
mod rule;
mod schedule;
mod tables;
mod validate;
mod values;

use std::fs;
use std::path::Path;

use serde::Deserialize;
use toml::Table;

pub use error::{ConfigError, OldName};
pub use isa_setting::{IsaSetting, UnknownSetting};
pub use key::{Key, Resume};
pub use mixture::{Mixture, MixtureError};
pub use phase::Phase;
pub use preset::Presets;
pub use processor::Processor;
pub use resume::{Conflict, changeable_keys};
pub use rule::Rule;
pub use schedule::{Course, learning_rate};
pub use tables::{Config, FinishConfig, LabelledConfig, LearnConfig, NetworkConfig, SelfPlayConfig, SuiteConfig};

impl Config {
    /// Reads a config file and applies overrides of the form `key=value`, as in `learn.batch=64`. Returns the config
    /// with a notice of each old name that was read.
    ///
    /// # Errors
    /// When the file cannot be read, a key is unknown or given by two names, or a value is of the wrong type or out of
    /// range.
    pub fn load(path: &Path, overrides: &[String]) -> Result<(Config, Vec<OldName>), ConfigError> {
        Config::parse(&read(path)?, &path.display().to_string(), overrides)
    }

    /// Reads a config file as [`Config::load`] does, or the built-in config of this name where there is no such file.
    ///
    /// # Errors
    /// Those of [`Config::load`].
    pub fn load_or_preset(
        path: &Path,
        presets: Presets,
        overrides: &[String],
    ) -> Result<(Config, Vec<OldName>), ConfigError> {
        match path.to_str().and_then(|name| presets.text(name)).filter(|_| !path.is_file()) {
            Some(text) => Config::parse(text, &path.display().to_string(), overrides),
            None => Config::load(path, overrides).map_err(|error| error.with_built_in(presets)),
        }
    }

    /// Reads the config of a run that exists, which may be from a program built otherwise.
    pub fn load_kept(path: &Path) -> Result<Config, ConfigError> {
        Ok(Config::resolve(&read(path)?, &path.display().to_string(), &[])?.0)
    }

    /// Reads the config that a checkpoint keeps, which errors call `origin`.
    pub fn parse_kept(text: &str, origin: &str) -> Result<Config, ConfigError> {
        Ok(Config::resolve(text, origin, &[])?.0)
    }

    /// Reads a config as [`Config::load`] does, from a text that errors and notices call `origin`.
    ///
    /// # Errors
    /// When a key is unknown or given by two names, or a value is of the wrong type or out of range.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<(Config, Vec<OldName>), ConfigError> {
        Config::resolve(text, origin, overrides)
    }

    fn resolve(text: &str, origin: &str, overrides: &[String]) -> Result<(Config, Vec<OldName>), ConfigError> {
        let mut notices = Vec::new();
        let mut table = layers::file(text, origin, &mut notices)?;
        let mut overridden = Table::new();
        for text in overrides {
            let origin = format!("--set {text}");
            let layer = layers::setting(text, &origin, &mut notices)?;
            // By itself, so that it is what an error names.
            of_table(layer.clone(), &origin)?;
            layers::merge(&mut overridden, layer.clone());
            layers::merge(&mut table, layer);
        }
        phase::remove_overridden(&mut table, &overridden);
        let config = of_table(table, origin)?;
        config.validate()?;
        Ok((config, notices))
    }
}

fn of_table(table: Table, origin: &str) -> Result<Config, ConfigError> {
    Config::deserialize(table).map_err(|error| ConfigError::wrong_type(origin, error))
}

fn read(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|error| {
        let presets = Presets::default();
        ConfigError::Read { path: path.display().to_string(), error, presets }
    })
}

#[cfg(test)]
mod tests;
