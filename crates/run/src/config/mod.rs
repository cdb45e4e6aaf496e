//! The config of a training run.
//!
//! [`Config`] is the type to start with: a run's config. [`GenerationConfig`] has the values of one of
//! its generations. `tables.rs` declares every key once: struct, default, limits, behavior on resume,
//! and the line that documents it here, in `configs/*.toml` and in `docs/configuration.md`.

mod boards;
mod course;
mod derived;
mod error;
mod generation;
mod isa_setting;
mod key;
mod layers;
mod merge;
mod mixture;
mod names;
mod optimizer_kind;
mod phase;
mod phases;
mod preset;
mod processor;
mod ranges;
mod resume;
mod tables;
mod text;
mod validate;
mod values;

use doublecross_files::shown;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use toml::Table;

pub use course::{Course, learning_rate};
pub use error::ConfigError;
pub use generation::GenerationConfig;
pub use isa_setting::{IsaSetting, UnknownSetting};
pub use key::{Key, Resume, Section};
pub use mixture::{Mixture, MixtureError};
pub use optimizer_kind::OptimizerKind;
pub use phase::Phase;
pub use preset::Presets;
pub use processor::Processor;
pub use resume::{Conflict, changeable_keys};
pub use tables::{
    Config, FinishConfig, LabeledConfig, LearnConfig, NetworkConfig, ResourcesConfig, SelfPlayConfig, SuiteConfig,
};

impl Config {
    /// Reads a config file and applies overrides of the form `key=value`, as in `learn.batch=64`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, a key is unknown, or a value is of the wrong type or
    /// out of range.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Config, ConfigError> {
        Config::parse(&read(path)?, &shown(&path), overrides)
    }

    /// Reads a config file as [`Config::load`] does, or the built-in config of this name where there is
    /// no such file.
    ///
    /// # Errors
    /// Returns an error as [`Config::load`] does.
    pub fn load_or_preset(path: &Path, presets: Presets, overrides: &[String]) -> Result<Config, ConfigError> {
        match path.to_str().and_then(|name| presets.text(name)).filter(|_| !path.is_file()) {
            Some(text) => Config::parse(text, &shown(&path), overrides),
            None => Config::load(path, overrides).map_err(|error| error.with_built_in(presets)),
        }
    }

    /// Reads a config as [`Config::load`] does, from a text that errors call `origin`.
    ///
    /// # Errors
    /// Returns an error if a key is unknown, or if a value is of the wrong type or out of range.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Config, ConfigError> {
        let mut table = layers::file(text, origin)?;
        let mut overridden = Table::new();
        for text in overrides {
            let origin = format!("--set {text}");
            let layer = layers::setting(text, &origin)?;
            // By itself, so that it is what an error names.
            of_table(layer.clone(), &origin)?;
            merge::merge(&mut overridden, layer.clone());
            merge::merge(&mut table, layer);
        }
        phases::remove_overridden(&mut table, &overridden);
        let config = of_table(table, origin)?;
        config.validate()?;
        Ok(config)
    }
}

fn of_table(table: Table, origin: &str) -> Result<Config, ConfigError> {
    Config::deserialize(table).map_err(|error| ConfigError::wrong_type(origin, error))
}

fn read(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|error| {
        let presets = Presets::default();
        ConfigError::Read { path: shown(&path), error, presets }
    })
}

#[cfg(test)]
mod tests;
