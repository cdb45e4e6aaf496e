//! A run's return to an earlier generation, after games that it learned from turned out to be fakes.

use std::fs;
use std::path::Path;

use super::counts::Counts;
use super::error::{RunError, file_error};
use super::folder::{lock, parts_path};
use super::tensorboard::TensorBoard;
use doublecross_files::{remove_file, sync_folder, write_whole};
use doublecross_run::checkpoint;
use doublecross_run::layout::shard_path;
use doublecross_run::workers::workers_path;

/// The file that says to which generation a run is going back, until it is there.
pub(super) const GOING_BACK: &str = "going-back";

/// Takes the run in `folder` back to before this generation: to the newest checkpoint before it that
/// is whole, or to the start. What came after is removed, and made again when the run is resumed.
///
/// Returns the generation that the run is at then.
///
/// # Errors
/// Returns an error if a file cannot be read, written or removed, or if another process works on the
/// run. What was begun is ended when the run is resumed.
pub fn go_back(folder: &Path, generation: u64) -> Result<u64, RunError> {
    let _lock = lock(folder)?;
    let target = checkpoint::newest_whole_before(folder, generation);
    let marker = folder.join(GOING_BACK);
    write_whole(&marker, target.to_string().as_bytes()).map_err(|error| file_error(&marker, error))?;
    finish_going_back(folder)?;
    Ok(target)
}

/// Ends a return that a kill has cut off, if there is one. The run is locked.
///
/// # Errors
/// Returns an error if a file cannot be removed.
pub(super) fn finish_going_back(folder: &Path) -> Result<(), RunError> {
    let marker = folder.join(GOING_BACK);
    let Ok(text) = fs::read_to_string(&marker) else { return Ok(()) };
    let target: u64 = text
        .trim()
        .parse()
        .map_err(|_| file_error(&marker, std::io::Error::other("expected the number of a generation")))?;
    checkpoint::remove_after(folder, target)?;
    let mut last = target + 1;
    while shard_path(folder, last).exists() || parts_path(folder, last).exists() {
        last += 1;
    }
    for later in (target + 1..last).rev() {
        for path in [shard_path(folder, later), parts_path(folder, later)] {
            remove_file(&path).map_err(|error| file_error(&path, error))?;
        }
        Counts::remove(folder, later);
        // It only costs its space if it stays.
        let _ = fs::remove_file(workers_path(folder, later));
    }
    // They are written anew, since scalars cannot be taken back.
    let tensorboard = folder.join("tensorboard");
    TensorBoard::remove(&tensorboard).map_err(|error| file_error(&tensorboard, error))?;
    // The marker stays until all that it stands for is gone from the disk.
    let shards = folder.join("shards");
    if shards.exists() {
        sync_folder(&shards).map_err(|error| file_error(&shards, error))?;
    }
    remove_file(&marker).map_err(|error| file_error(&marker, error))
}
