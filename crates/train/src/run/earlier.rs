//! The samples of another run that fill a new run's window from its first generation on.
//!
//! They are kept as shards of their own. `earlier-000001.shard` is the newest and is written last:
//! without it there are none.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{RunError, file_error};
use super::folder::played;
use doublecross_core::board::Board;
use doublecross_core::shell::shell_word;
use doublecross_run::layout::shard_path;
use doublecross_selfplay::{Shard, ShardError};

/// Returns the path of a shard of another run. The newest has an `age` of 1.
fn earlier_path(folder: &Path, age: u64) -> PathBuf {
    folder.join("shards").join(format!("earlier-{age:06}.shard"))
}

/// Returns the number of shards of another run that the run began with.
fn count(folder: &Path) -> u64 {
    (1..).take_while(|&age| earlier_path(folder, age).exists()).count() as u64
}

/// Returns the shards of another run that the run began with, newest first.
///
/// Each is of one of these boards, of which there is at least one.
pub(super) fn earlier_shards(folder: &Path, boards: &[Board]) -> impl Iterator<Item = Result<Shard, ShardError>> {
    (1..=count(folder)).map(move |age| Shard::read_of_any(&earlier_path(folder, age), boards))
}

/// Checks that a run with games began with shards of another run.
///
/// # Errors
/// Returns an error if it began without.
pub(super) fn check_earlier(folder: &Path, other: &Path) -> Result<(), RunError> {
    let reason = "the run there began without samples of another (resume it without --samples)";
    if count(folder) > 0 { Ok(()) } else { Err(cannot_begin(folder, other, reason.into())) }
}

fn no_samples(folder: &Path, other: &Path) -> RunError {
    let reason = if other.exists() { "it holds no games" } else { "there is no such folder" };
    cannot_begin(folder, other, format!("{reason} (name the folder of a run that has played, or leave out --samples)"))
}

fn cannot_begin(folder: &Path, other: &Path, reason: String) -> RunError {
    RunError::Samples { path: shell_word(folder), other: shell_word(other), reason }
}

/// Returns the newest shards of the run at `other`, newest first: enough for `wanted` samples if it
/// has as many.
///
/// # Errors
/// Returns an error if `other` has no samples, has samples of another board than these, or is damaged.
pub(super) fn newest_shards(
    folder: &Path,
    other: &Path,
    wanted: usize,
    boards: &[Board],
) -> Result<Vec<Shard>, RunError> {
    let refused = |reason: String| cannot_begin(folder, other, reason);
    let (mut samples, mut shards) = (0, Vec::new());
    let paths = (1..=played(other)).rev().map(|generation| shard_path(other, generation));
    for path in paths.take_while(|path| path.exists()) {
        if samples >= wanted {
            break;
        }
        let shard = Shard::read_of_any(&path, boards);
        let shard = shard.map_err(|error| match error {
            ShardError::Foreign { board, .. } => {
                let own: Vec<String> = boards.iter().map(Board::to_string).collect();
                refused(format!("it has games on {board}, and this run is for {}", own.join(", ")))
            }
            error => refused(error.to_string()),
        })?;
        samples += shard.samples.len();
        shards.push(shard);
    }
    if samples == 0 { Err(no_samples(folder, other)) } else { Ok(shards) }
}

/// Writes the shards that a run begins with, given newest first.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(super) fn write_earlier(folder: &Path, shards: &[Shard]) -> Result<(), RunError> {
    // An attempt that was cut short may have left shards of another run, without the newest.
    for path in left_behind(folder)? {
        fs::remove_file(&path).map_err(|error| file_error(&path, error))?;
    }
    for (index, shard) in shards.iter().enumerate().rev() {
        let path = earlier_path(folder, index as u64 + 1);
        shard.write(&path).map_err(|error| file_error(&path, error))?;
    }
    Ok(())
}

/// Returns all files of another run's samples, whole or not, the newest first.
///
/// Deletion begins with the newest, without which the others do not count.
fn left_behind(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let shards = folder.join("shards");
    let error = |error| file_error(&shards, error);
    let entries = fs::read_dir(&shards).map_err(error)?.collect::<Result<Vec<_>, _>>().map_err(error)?;
    let is_earlier = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("earlier-");
    let mut paths: Vec<PathBuf> = entries.iter().filter(|entry| is_earlier(entry)).map(fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}
