//! Reasons why a config cannot be used, and what is said of one that can.

use std::io;

use thiserror::Error;

use super::preset::Presets;
use doublecross_core::board::Board;

/// The reason why a config cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read config {path}: {error}{}", built_in_instead(error, *presets))]
    Read {
        /// The file.
        path: String,
        /// The system's reason.
        error: io::Error,
        /// The built-in configs, where the name of one would have done.
        presets: Presets,
    },
    /// The text is not TOML, or a value is of the wrong type.
    #[error("{origin}: {error}")]
    Toml {
        /// The file with the line, or the override.
        origin: String,
        /// The fault and its place.
        error: String,
    },
    /// A key does not exist.
    #[error("{origin}: unknown key `{key}`{}", meant_instead(nearest.as_deref()))]
    UnknownKey {
        /// The file with the line, or the override.
        origin: String,
        /// The key.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// A value is out of range, or contradicts another or the board.
    #[error("{origin} for {board}: {reason}")]
    Value {
        /// The file, or the name of a built-in config, and whether it has overrides.
        origin: String,
        /// The run's board.
        board: Board,
        /// The reason why it is refused.
        reason: String,
    },
}

/// Names the built-in configs where a name was given that is no file.
fn built_in_instead(error: &io::Error, presets: Presets) -> String {
    if presets.0.is_empty() || error.kind() != io::ErrorKind::NotFound {
        return String::new();
    }
    let names: Vec<&str> = presets.names().collect();
    format!(". Built in are {}, and every board, as in 4x5", names.join(", "))
}

/// Names the key that was probably meant, or where all are listed.
fn meant_instead(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => " (doublecross config 5x5 lists all keys)".into(),
    }
}

impl ConfigError {
    /// The error of a text that is not TOML, with the line and the column.
    pub(super) fn not_toml(text: &str, origin: &str, error: toml::de::Error) -> ConfigError {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        ConfigError::Toml { origin: format!("{origin}:{line}:{column}"), error: error.message().replace('\n', "; ") }
    }
}
