//! Reasons why a config cannot be used, and what is said of one that can.

use std::io;

use thiserror::Error;

use super::preset::Presets;
use doublecross_core::board::Board;

/// The reason why a config cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read config {path}: {error}{}", built_in_instead(path, error, *presets))]
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
        /// The file or the override.
        origin: String,
        /// The fault and its place.
        error: String,
    },
    /// A key does not exist.
    #[error("{origin}: unknown key `{key}`; did you mean `{nearest}`?")]
    UnknownKey {
        /// The file or the override.
        origin: String,
        /// The key.
        key: String,
        /// The key most like it.
        nearest: String,
    },
    /// A value is out of range.
    #[error("config: {0}")]
    Value(String),
}

/// Names the built-in configs where a name was given that is no file.
fn built_in_instead(path: &str, error: &io::Error, presets: Presets) -> String {
    if presets.0.is_empty() || error.kind() != io::ErrorKind::NotFound {
        return String::new();
    }
    let names: Vec<&str> = presets.names().collect();
    let of_board = match path.parse::<Board>() {
        Ok(board) => format!("; --set board={board} trains by one of them on that board"),
        Err(_) => String::new(),
    };
    format!("; built in are {}{of_board}", names.join(", "))
}

impl ConfigError {
    /// Returns the error of a config that may be one of these instead of a file.
    pub(super) fn with_built_in(self, presets: Presets) -> ConfigError {
        match self {
            ConfigError::Read { path, error, .. } => ConfigError::Read { path, error, presets },
            other => other,
        }
    }

    /// The error of a text that is not TOML, with the line and the column.
    pub(super) fn not_toml(text: &str, origin: &str, error: toml::de::Error) -> ConfigError {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        ConfigError::Toml { origin: format!("{origin}:{line}:{column}"), error: error.message().replace('\n', "; ") }
    }

    /// The error of a value of another type, in words that are not Rust's.
    pub(super) fn wrong_type(origin: &str, error: toml::de::Error) -> ConfigError {
        let words = [
            ("expected usize", "expected a whole number, at least 0"),
            ("expected u64", "expected a whole number, at least 0"),
            ("expected u8", "expected a whole number from 0 to 255"),
            ("expected f64", "expected a number"),
            ("expected f32", "expected a number"),
        ];
        let said = error.to_string().trim().replace('\n', " ");
        let error = words.iter().fold(said, |said, (own, plain)| said.replace(own, plain));
        ConfigError::Toml { origin: origin.into(), error }
    }
}
