//! The samples of another run that fill a new run's window from its first generation on.
//!
//! They are kept as shards of their own. `earlier-000001.shard` is the newest and is written last:
//! without it there are none.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{RunError, file_error};
use super::folder::{played, shard_path};
use crate::board::Board;
use crate::train::shard::{Shard, ShardError};

/// Returns the path of a shard of another run. The newest has an `age` of 1.
fn earlier_path(folder: &Path, age: u64) -> PathBuf {
    folder.join("shards").join(format!("earlier-{age:06}.shard"))
}

/// Returns the number of shards of another run that the run began with.
fn count(folder: &Path) -> u64 {
    (1..).take_while(|&age| earlier_path(folder, age).exists()).count() as u64
}

/// Returns the shards of another run that the run began with, newest first.
pub(super) fn earlier_shards(folder: &Path, board: Board) -> impl Iterator<Item = Result<Shard, ShardError>> {
    (1..=count(folder)).map(move |age| read(&earlier_path(folder, age), board))
}

/// Checks that `other` holds the samples of a run.
///
/// # Errors
/// Returns an error if it holds none.
pub(super) fn check_samples(folder: &Path, other: &Path) -> Result<(), RunError> {
    if played(other) > 0 { Ok(()) } else { Err(no_samples(folder, other)) }
}

fn no_samples(folder: &Path, other: &Path) -> RunError {
    cannot_begin(folder, other, "it holds no samples; expected the folder of a run that has played".into())
}

fn cannot_begin(folder: &Path, other: &Path, reason: String) -> RunError {
    RunError::Samples { path: folder.display().to_string(), other: other.display().to_string(), reason }
}

/// Copies the newest shards of the run at `other`: enough for `wanted` samples if it has as many.
///
/// A run with games keeps the shards that it began with.
///
/// # Errors
/// Returns an error if the run has games and began without shards of another run, if `other` has no
/// samples or is damaged, or if files cannot be copied.
pub(super) fn take_over(
    folder: &Path,
    other: &Path,
    wanted: usize,
    board: Board,
    has_games: bool,
) -> Result<(), RunError> {
    let refused = |reason: String| cannot_begin(folder, other, reason);
    if has_games {
        let without = || refused("the run there began without samples of another; resume it without --rows".into());
        return if count(folder) > 0 { Ok(()) } else { Err(without()) };
    }
    let (mut samples, mut taken) = (0, Vec::new());
    for generation in (1..=played(other)).rev() {
        if samples >= wanted {
            break;
        }
        let path = shard_path(other, generation);
        let shard = read(&path, board).map_err(|error| refused(error.to_string()))?;
        samples += shard.samples.len();
        taken.push(path);
    }
    if samples == 0 {
        return Err(no_samples(folder, other));
    }
    // An attempt that was cut short may have left shards of another run, without the newest.
    for path in left_behind(folder)? {
        fs::remove_file(&path).map_err(|error| file_error(&path, error))?;
    }
    for (index, path) in taken.iter().enumerate().rev() {
        let target = earlier_path(folder, index as u64 + 1);
        let partial = target.with_extension("partial");
        let copied = fs::copy(path, &partial).and_then(|_| fs::rename(&partial, &target));
        copied.map_err(|error| file_error(&target, error))?;
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

/// Reads a shard of any generation on this board.
fn read(path: &Path, board: Board) -> Result<Shard, ShardError> {
    let shard = Shard::read(path)?;
    let generation = shard.generation;
    if shard.board == board {
        return Ok(shard);
    }
    let path = path.display().to_string();
    Err(ShardError::Foreign { path, generation, board: shard.board, expected_generation: generation, expected: board })
}
