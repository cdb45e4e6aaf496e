//! Errors of tuning.

use std::io;
use std::path::Path;

use crate::RunError;
use doublecross_arena::suite::SuiteError;
use doublecross_arena::{MatchError, SpecError};
use doublecross_core::net::CanaryError;
use doublecross_core::shell::shell_word;
use doublecross_run::{CheckpointError, ConfigError};

/// An error of tuning.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A text does not describe a variant.
    #[error("{text:?} is not a variant (give {expected})")]
    Changes {
        /// The text.
        text: String,
        /// A description of what it should have.
        expected: String,
    },
    /// Variants cannot be compared.
    #[error("{0}")]
    Variants(String),
    /// The folder was begun with other settings.
    #[error("{path}: {key} is {found} there, and {asked} was asked for (ask for the same, or name another --folder)")]
    OtherSettings {
        /// The file with the settings.
        path: String,
        /// The setting.
        key: String,
        /// Its value there.
        found: String,
        /// Its value now.
        asked: String,
    },
    /// The folder holds something else.
    #[error("{path} is not empty and was not created by `doublecross tune` (name another --folder)")]
    OtherFolder {
        /// The folder.
        path: String,
    },
    /// A file of the folder is damaged.
    #[error("{path}: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// A description of the damage, and of what to do.
        reason: String,
    },
    /// No position of the board was found for the suite.
    #[error(
        "no position with {undrawn} undrawn edges was settled within {nodes} nodes (change suite.least_undrawn, suite.most_undrawn or suite.nodes)"
    )]
    NoSuite {
        /// The range of undrawn edges.
        undrawn: String,
        /// The nodes that the solver may spend on a position.
        nodes: u64,
    },
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// A config cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A run cannot go on.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Weights cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A network does not give its stored answers.
    #[error(transparent)]
    Canary(#[from] CanaryError),
    /// A network cannot play.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A game ended early.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The suite cannot be read.
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

/// Returns a function that adds the path of a file to an error.
pub(super) fn file_error(path: &Path) -> impl FnOnce(io::Error) -> TuneError {
    let path = shell_word(path);
    move |error| TuneError::File { path, error }
}
