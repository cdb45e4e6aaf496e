//! The workers that played games of a generation, where not all were played by the run's own process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use doublecross_files::write_whole;

use crate::layout::shard_path;

/// The items that each worker played, by the workers' names, with the digest of each as it was
/// returned: a shard has neither the positions of the run's suite nor the cost of a game.
pub type Workers = BTreeMap<String, Vec<(u32, u64)>>;

/// Returns the path of the file that names the workers of a generation.
pub fn workers_path(folder: &Path, generation: u64) -> PathBuf {
    shard_path(folder, generation).with_extension("workers")
}

/// Returns `true` if workers on other machines played games of a generation.
pub fn has_workers(folder: &Path, generation: u64) -> bool {
    workers_path(folder, generation).exists()
}

/// Writes who played the items of a generation, unless it was this process alone.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_workers(folder: &Path, generation: u64, workers: &Workers) -> io::Result<()> {
    if workers.is_empty() {
        return Ok(());
    }
    write_whole(&workers_path(folder, generation), format!("{}\n", serde_json::json!(workers)).as_bytes())
}

/// Reads who played the items of a generation on other machines.
pub fn read_workers(folder: &Path, generation: u64) -> Workers {
    let text = fs::read_to_string(workers_path(folder, generation)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
