//! The config of a training run.
//!
//! [`Config`] is the type to start with: a run's config. [`GenerationConfig`] has the values of one of
//! its generations. `tables.rs` declares every key once: struct, default, limits, behavior on resume,
//! and the line that documents it here, in `configs/*.toml` and in `docs/configuration.md`.

mod boards;
mod by_board;
mod commented;
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
mod optional;
mod origin;
mod phase;
mod phases;
mod preset;
mod processor;
mod ranges;
mod resume;
mod source;
mod tables;
mod text;
mod types;
mod validate;
mod values;

use std::path::Path;

use serde::Deserialize;
use toml::Table;

use doublecross_core::board::Board;

pub use by_board::reach_of;
pub use course::{Course, learning_rate};
pub use error::ConfigError;
pub use generation::GenerationConfig;
pub use isa_setting::{IsaSetting, UnknownSetting};
pub use key::{Key, Resume, Section};
pub use mixture::{Mixture, MixtureError};
pub use optimizer_kind::OptimizerKind;
pub use optional::shown;
pub use phase::Phase;
pub use preset::Presets;
pub use processor::Processor;
pub use ranges::RangeError;
pub use resume::{Conflict, changeable_keys};
pub use source::ConfigSource;
pub use tables::{
    Config, FinishConfig, LabeledConfig, LearnConfig, NetworkConfig, ResourcesConfig, SelfPlayConfig, SuiteConfig,
};

impl Config {
    /// Reads a config file and applies overrides of the form `key=value`, as in `learn.batch=64`.
    ///
    /// The value `none` takes a key away that may be absent. An override of the board brings the solver's reach on that
    /// board ([`reach_of`]), and takes away the keys that count undrawn edges, except where they are overridden
    /// themselves.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, a key is unknown, or a value is of the wrong type or
    /// out of range.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Config, ConfigError> {
        ConfigSource::find(path, Presets::default())?.config(overrides)
    }

    /// Reads a config file as [`Config::load`] does, or the built-in config of this name or for this board where there
    /// is no such file.
    ///
    /// # Errors
    /// Returns an error as [`Config::load`] does.
    pub fn load_or_preset(path: &Path, presets: Presets, overrides: &[String]) -> Result<Config, ConfigError> {
        ConfigSource::find(path, presets)?.config(overrides)
    }

    /// Reads a config as [`Config::load`] does, from a text that errors call `origin`.
    ///
    /// # Errors
    /// Returns an error if a key is unknown, or if a value is of the wrong type or out of range.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Config, ConfigError> {
        let mut table = layers::file(text, origin)?;
        let mut overridden = Table::new();
        for text in overrides {
            merge::merge(&mut overridden, layers::setting(text)?);
        }
        let own = board_of(&table).unwrap_or(Config::default().board);
        let board = board_of(&overridden).unwrap_or(own);
        if board != own {
            by_board::adapt(&mut table, own, board);
        }
        merge::merge(&mut table, overridden.clone());
        phases::remove_overridden(&mut table, &overridden);
        optional::remove_none(&mut table);
        by_board::fill(&mut table, board);
        let refused = |error: toml::de::Error| ConfigError::Toml { origin: origin.into(), error: error.to_string() };
        let config = Config::deserialize(table).map_err(refused)?;
        config.validate(if overrides.is_empty() { origin.into() } else { format!("{origin} with overrides") })?;
        Ok(config)
    }
}

/// Returns the board that a layer names.
fn board_of(layer: &Table) -> Option<Board> {
    layer.get("board")?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests;
