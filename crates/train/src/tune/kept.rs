//! The settings that a folder was begun with.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::TuneError;
use super::error::file_error;
use doublecross_arena::suite::SolvedSuiteSettings;
use doublecross_core::shell::shell_word;
use doublecross_files::write_whole;
use doublecross_run::Config;
use doublecross_run::config::shown;

/// The settings of the suite on which all trials of a folder are scored.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptSettings {
    board: String,
    positions: usize,
    least_undrawn: usize,
    most_undrawn: usize,
    nodes: u64,
}

impl KeptSettings {
    /// Returns the settings of a suite of so many positions in the range of a config's `[suite]`.
    pub fn new(config: &SolvedSuiteSettings, positions: usize) -> KeptSettings {
        let SolvedSuiteSettings { board, least_undrawn, most_undrawn, nodes, .. } = *config;
        KeptSettings { board: board.to_string(), positions, least_undrawn, most_undrawn, nodes }
    }

    /// Checks these settings against those that are kept in a file, if it exists.
    ///
    /// # Errors
    /// Returns an error if they differ, or the file cannot be read.
    pub fn check(&self, path: &Path) -> Result<(), TuneError> {
        let Some(text) = read(path)? else { return Ok(()) };
        let found: KeptSettings = serde_json::from_str(&text)
            .map_err(|error| TuneError::Damaged { path: shell_word(path), reason: error.to_string() })?;
        let values = |settings: &KeptSettings| {
            let KeptSettings { board, positions, least_undrawn, most_undrawn, nodes } = settings;
            [
                ("board", board.clone()),
                ("positions", positions.to_string()),
                ("suite.least_undrawn", least_undrawn.to_string()),
                ("suite.most_undrawn", most_undrawn.to_string()),
                ("suite.nodes", nodes.to_string()),
            ]
        };
        let mut pairs = values(&found).into_iter().zip(values(self));
        match pairs.find(|(found, asked)| found != asked) {
            Some(((key, found), (_, asked))) => {
                Err(TuneError::OtherSettings { path: shell_word(path), key: key.into(), found, asked })
            }
            None => Ok(()),
        }
    }

    /// Keeps these settings in a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), TuneError> {
        let text = serde_json::to_string(self).expect("the settings should be plain") + "\n";
        write_whole(path, text.as_bytes()).map_err(file_error(path))
    }
}

/// Checks a config against the one that is kept in a file, if it exists. Keys that a later version of
/// the program added have their defaults there.
///
/// # Errors
/// Returns an error if they differ, or the file cannot be read.
pub(super) fn check_config(path: &Path, config: &Config) -> Result<(), TuneError> {
    let Some(text) = read(path)? else { return Ok(()) };
    let path = shell_word(path);
    let found = Config::parse(&text, &path, &[])?;
    let other = found.values().into_iter().zip(config.values()).find(|(found, asked)| found != asked);
    if let Some(((key, found), (_, asked))) = other {
        let (key, found, asked) = (key.path.into(), shown(found.as_ref()), shown(asked.as_ref()));
        return Err(TuneError::OtherSettings { path, key, found, asked });
    }
    if found != *config {
        let (found, asked) = (phases(&found), phases(config));
        return Err(TuneError::OtherSettings { path, key: "phase".into(), found, asked });
    }
    Ok(())
}

/// Returns the phases of a config on one line, as in `[from 5: learn.batch = 64]`.
fn phases(config: &Config) -> String {
    let phases = config.phases.iter().map(|phase| {
        let changes: Vec<String> = phase.changes().map(|(key, value)| format!("{} = {value}", key.path)).collect();
        format!("from {}: {}", phase.from, changes.join(", "))
    });
    format!("[{}]", phases.collect::<Vec<_>>().join("; "))
}

/// Reads a file, if it exists.
pub(super) fn read(path: &Path) -> Result<Option<String>, TuneError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        text => text.map(Some).map_err(file_error(path)),
    }
}
