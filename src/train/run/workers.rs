//! The workers that played games of a generation, where not all were played by the run's own process.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::{RunError, file_error};
use super::folder::shard_path;
use crate::train::files::write_whole;

/// The items that each worker played, by the workers' names, with the digest of each as it was handed
/// in: a shard has neither the positions of the run's suite nor what a game took.
pub(crate) type Workers = BTreeMap<String, Vec<(u32, u64)>>;

fn path(folder: &Path, generation: u64) -> PathBuf {
    shard_path(folder, generation).with_extension("workers")
}

/// Returns `true` if workers on other machines played games of a generation.
pub(crate) fn has_workers(folder: &Path, generation: u64) -> bool {
    path(folder, generation).exists()
}

/// Removes what is known of who played the games of a generation. It only costs its space if it
/// stays.
pub(super) fn remove(folder: &Path, generation: u64) {
    let _ = fs::remove_file(path(folder, generation));
}

/// Writes who played the items of a generation, unless it was this process alone.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(super) fn write(folder: &Path, generation: u64, workers: &Workers) -> Result<(), RunError> {
    if workers.is_empty() {
        return Ok(());
    }
    let path = path(folder, generation);
    let text = format!("{}\n", serde_json::json!(workers));
    write_whole(&path, text.as_bytes()).map_err(|error| file_error(&path, error))
}

/// Reads who played the items of a generation on other machines.
#[cfg(feature = "nats")]
pub(crate) fn workers_of(folder: &Path, generation: u64) -> Workers {
    let text = fs::read_to_string(path(folder, generation)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
