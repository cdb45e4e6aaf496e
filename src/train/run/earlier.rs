//! The rows of another run that a new one begins with: its window is full from the first generation on.
//!
//! They are kept as shards of their own, `earlier-000001.shard` being the newest. That one is written last: without it
//! there are none.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{RunError, file_error};
use super::folder::{played, shard_path};
use crate::board::Board;
use crate::train::shard::{Shard, ShardError};

/// Where such rows are, `age` being 1 for the newest.
fn earlier_path(folder: &Path, age: u64) -> PathBuf {
    folder.join("shards").join(format!("earlier-{age:06}.shard"))
}

/// How many shards of another run the run began with.
fn count(folder: &Path) -> u64 {
    (1..).take_while(|&age| earlier_path(folder, age).exists()).count() as u64
}

/// The shards of another run that the run began with, newest first.
pub(super) fn earlier_shards(folder: &Path, board: Board) -> impl Iterator<Item = Result<Shard, ShardError>> {
    (1..=count(folder)).map(move |age| read(&earlier_path(folder, age), board))
}

/// Refuses a folder that holds no run's games to take over.
pub(super) fn check_samples(folder: &Path, other: &Path) -> Result<(), RunError> {
    if played(other) > 0 { Ok(()) } else { Err(no_samples(folder, other)) }
}

fn no_samples(folder: &Path, other: &Path) -> RunError {
    cannot_begin(folder, other, "it holds no samples; expected the folder of a run that has played".into())
}

fn cannot_begin(folder: &Path, other: &Path, reason: String) -> RunError {
    RunError::Samples { path: folder.display().to_string(), other: other.display().to_string(), reason }
}

/// Takes over the newest shards of the run at `other`, so many that there are at least `wanted` rows if it has as many.
/// A run that has begun with them keeps them; one that has begun without is refused them.
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
    // What an attempt that was cut short left behind may be of another run, and lacks the newest.
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

/// All that is there of another run's rows, whole or not, the newest first: when that one is gone there are none.
fn left_behind(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let shards = folder.join("shards");
    let error = |error| file_error(&shards, error);
    let entries = fs::read_dir(&shards).map_err(error)?.collect::<Result<Vec<_>, _>>().map_err(error)?;
    let is_earlier = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("earlier-");
    let mut paths: Vec<PathBuf> = entries.iter().filter(|entry| is_earlier(entry)).map(fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}

/// A shard of whatever generation on this board.
fn read(path: &Path, board: Board) -> Result<Shard, ShardError> {
    let shard = Shard::read(path)?;
    let generation = shard.generation;
    if shard.board == board {
        return Ok(shard);
    }
    let path = path.display().to_string();
    Err(ShardError::Foreign { path, generation, board: shard.board, expected_generation: generation, expected: board })
}
