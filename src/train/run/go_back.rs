//! A run's return to an earlier generation, after games that it learned from turned out to be fakes.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::counts::Counts;
use super::error::{RunError, file_error};
use super::folder::{lock, parts_path, shard_path};
use super::workers;
use crate::train::checkpoint;

/// Takes the run in `folder` back to the end of the generation before this one: the checkpoints and
/// the games from this generation on are removed, and made again when the run is resumed.
///
/// # Errors
/// Returns an error if the earlier checkpoint is not whole, and nothing is removed then; if a file
/// cannot be removed; or if another process works on the run.
pub fn go_back(folder: &Path, generation: u64) -> Result<(), RunError> {
    let _lock = lock(folder)?;
    // The checkpoints first: without them, later games are not looked at.
    checkpoint::remove_from(folder, generation)?;
    let mut last = generation;
    while shard_path(folder, last).exists() || parts_path(folder, last).exists() {
        last += 1;
    }
    for later in (generation..last).rev() {
        for path in [shard_path(folder, later), parts_path(folder, later)] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(file_error(&path, error)),
                _ => {}
            }
        }
        Counts::remove(folder, later);
        workers::remove(folder, later);
    }
    Ok(())
}
