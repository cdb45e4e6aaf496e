//! Counts of games that a shard does not have, kept beside it until the checkpoint has them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{RunError, file_error};
use doublecross_files::write_whole;
use doublecross_run::layout::shard_path;

/// The counts of a generation's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// The number of positions searched.
    pub positions: u64,
    /// The number of evaluations that searches asked for.
    pub evaluations: u64,
}

fn path(folder: &Path, generation: u64) -> PathBuf {
    shard_path(folder, generation).with_extension("counts")
}

impl Counts {
    /// Writes the counts of a generation.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, folder: &Path, generation: u64) -> Result<(), RunError> {
        let path = path(folder, generation);
        let text = format!("{}\n", serde_json::json!(self));
        write_whole(&path, text.as_bytes()).map_err(|error| file_error(&path, error))
    }

    /// Reads the counts of a generation whose games outlived a kill; `None` if they are lost.
    pub fn read(folder: &Path, generation: u64) -> Option<Counts> {
        serde_json::from_str(&fs::read_to_string(path(folder, generation)).ok()?).ok()
    }

    /// Removes the counts of a generation that has a checkpoint. They only cost their space if they
    /// stay.
    pub fn remove(folder: &Path, generation: u64) {
        let _ = fs::remove_file(path(folder, generation));
    }
}
