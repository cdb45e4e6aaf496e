//! Checkpoints that runs are resumed from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::state::{RunState, StateFile, Sums};
use super::{CheckpointError, EMA_FILE, STATE_FILE, check_sum, folder, generations, read};
use crate::layout::shard_path;
use crate::record::Record;
use crate::workers::has_workers;
use doublecross_core::net::{Weights, checksum};
use doublecross_core::shell::shell_word;
use doublecross_files::{create_folders, sync_folder, write_whole};

/// The file of the model's own weights.
const WEIGHTS_FILE: &str = "model.dxw";

const OPTIMIZER_FILE: &str = "optimizer.bin";

/// The state of a run at the end of a generation.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The counters and the generation's figures.
    pub state: RunState,
    /// The EMA weights, which are those to play with.
    pub ema: Weights,
    /// The weights of the model itself.
    pub weights: Weights,
    /// The optimizer's state.
    pub optimizer: Vec<u8>,
}

/// Returns the path of the optimizer's state after a generation.
pub fn optimizer_path(run: &Path, generation: u64) -> PathBuf {
    folder(run, generation).join(OPTIMIZER_FILE)
}

impl Checkpoint {
    /// Writes the checkpoint into the run, and removes the files that only resuming needs from the
    /// one before the last.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn write(&self, run: &Path) -> Result<(), CheckpointError> {
        let target = folder(run, self.state.generation);
        let partial = target.with_extension("partial");
        let failed = |error| CheckpointError::File { path: shell_word(&target), error };
        let write = || -> io::Result<()> {
            if partial.exists() {
                fs::remove_dir_all(&partial)?;
            }
            create_folders(&partial)?;
            let (ema, weights) = (self.ema.to_bytes(), self.weights.to_bytes());
            let sums = Sums { ema: checksum(&ema), weights: checksum(&weights), optimizer: checksum(&self.optimizer) };
            write_whole(&partial.join(EMA_FILE), &ema)?;
            write_whole(&partial.join(WEIGHTS_FILE), &weights)?;
            write_whole(&partial.join(OPTIMIZER_FILE), &self.optimizer)?;
            write_whole(&partial.join(STATE_FILE), StateFile::to_text(&self.state, sums)?.as_bytes())?;
            fs::rename(&partial, &target)?;
            sync_folder(&run.join("checkpoints"))
        };
        write().map_err(failed)?;
        // Only now that this one survives a power cut.
        remove_old_resume_files(run, self.state.generation);
        Ok(())
    }

    /// Reads the newest checkpoint of a run, if there is one.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, is damaged, or is not of the same checkpoint as
    /// the others.
    pub fn newest(run: &Path) -> Result<Option<Checkpoint>, CheckpointError> {
        let generations = generations(run)?;
        let Some(&newest) = generations.last() else { return Ok(None) };
        read_checkpoint(run, newest).map(Some).map_err(|error| {
            match generations.iter().rposition(|&earlier| read_checkpoint(run, earlier).is_ok()) {
                Some(whole) => {
                    let later: Vec<String> =
                        generations[whole + 1..].iter().map(|&later| shell_word(folder(run, later))).collect();
                    CheckpointError::Newest {
                        error: Box::new(error),
                        path: later.join(" and "),
                        before: generations[whole],
                    }
                }
                None if newest <= 2 => {
                    let error = Box::new(error);
                    CheckpointError::NoneWholeYet { error, paths: after_first_games(run, &generations) }
                }
                None => CheckpointError::NoneWhole { error: Box::new(error) },
            }
        })
    }
}

/// Returns the paths without which a run goes on from the games of its first generation: those of its
/// checkpoints, and of the games that were played later.
fn after_first_games(run: &Path, generations: &[u64]) -> String {
    let checkpoints = generations.iter().map(|&generation| folder(run, generation));
    let shards = (2..).map(|generation| shard_path(run, generation)).take_while(|path| path.exists());
    checkpoints.chain(shards).map(|path| shell_word(&path)).collect::<Vec<_>>().join(" and ")
}

/// Reads the checkpoint of a generation.
fn read_checkpoint(run: &Path, generation: u64) -> Result<Checkpoint, CheckpointError> {
    let folder = folder(run, generation);
    let StateFile { state, sums } = read_state(&folder, generation)?;
    let file = |name: &str, sum: u64| {
        let path = folder.join(name);
        let bytes = read(&path)?;
        check_sum(&path, &bytes, sum).map(|()| (path, bytes))
    };
    let weights = |(path, bytes): (PathBuf, Vec<u8>)| {
        Weights::from_bytes(&bytes).map_err(|error| CheckpointError::Weights { path: shell_word(&path), error })
    };
    Ok(Checkpoint {
        state,
        ema: weights(file(EMA_FILE, sums.ema)?)?,
        weights: weights(file(WEIGHTS_FILE, sums.weights)?)?,
        optimizer: file(OPTIMIZER_FILE, sums.optimizer)?.1,
    })
}

/// Reads the state in the folder of a generation's checkpoint.
fn read_state(folder: &Path, generation: u64) -> Result<StateFile, CheckpointError> {
    let path = folder.join(STATE_FILE);
    let damaged = |error: String| CheckpointError::Damaged { path: shell_word(&path), error };
    let file = StateFile::parse(&read(&path)?).map_err(damaged)?;
    if file.state.generation != generation {
        return Err(damaged(format!("it is of generation {}", file.state.generation)));
    }
    Ok(file)
}

/// Returns the record in a generation's checkpoint, if it is whole.
pub fn record(run: &Path, generation: u64) -> Option<Record> {
    Some(read_state(&folder(run, generation), generation).ok()?.state.record)
}

/// Removes the files that only resuming needs from a checkpoint.
fn remove_resume_files(run: &Path, generation: u64) {
    for name in [WEIGHTS_FILE, OPTIMIZER_FILE] {
        // An error means that the file is gone already, or only costs its space.
        let _ = fs::remove_file(folder(run, generation).join(name));
    }
}

/// The number of checkpoints that a run can go back to while workers on other machines play for it,
/// whose games may turn out to be fakes.
const KEPT_FOR_RETURN: u64 = 16;

/// Returns `true` if a run may have to resume from the checkpoint of a generation, given the newest:
/// from one of the last two, and from one before games of other machines.
fn is_resumable(run: &Path, generation: u64, newest: u64) -> bool {
    let age = newest.saturating_sub(generation);
    age < 2 || (age < KEPT_FOR_RETURN && has_workers(run, generation + 1))
}

/// Removes the files that only resuming needs from the checkpoints that need them no longer since the
/// newest is there.
fn remove_old_resume_files(run: &Path, newest: u64) {
    for generation in [2, KEPT_FOR_RETURN].iter().filter_map(|age| newest.checked_sub(*age)) {
        if !is_resumable(run, generation, newest) {
            remove_resume_files(run, generation);
        }
    }
}

/// Removes the files that only resuming needs from all checkpoints but the last two, once nobody
/// may have to go back to them.
pub fn remove_kept_for_return(run: &Path, newest: u64) {
    for generation in newest.saturating_sub(KEPT_FOR_RETURN + 2)..(newest.saturating_sub(1)) {
        remove_resume_files(run, generation);
    }
}

/// Returns the newest generation before this one whose checkpoint can be resumed from, or 0.
pub fn newest_whole_before(run: &Path, generation: u64) -> u64 {
    (1..generation).rev().find(|&earlier| read_checkpoint(run, earlier).is_ok()).unwrap_or(0)
}

/// Removes the checkpoints of later generations, the newest first, and waits until they are gone from
/// the disk.
///
/// # Errors
/// Returns an error if one cannot be removed.
pub fn remove_after(run: &Path, generation: u64) -> Result<(), CheckpointError> {
    for later in generations(run)?.into_iter().rev().filter(|&later| later > generation) {
        let folder = folder(run, later);
        let failed = |error| CheckpointError::File { path: shell_word(&folder), error };
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    let folder = run.join("checkpoints");
    let failed = |error| CheckpointError::File { path: shell_word(&folder), error };
    if folder.exists() { sync_folder(&folder).map_err(failed) } else { Ok(()) }
}

/// Removes what an interrupted clean-up or write has left, given the newest generation.
pub fn remove_stale_files(run: &Path, newest: u64) {
    for entry in fs::read_dir(run.join("checkpoints")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix("gen-")) else { continue };
        if name.ends_with(".partial") {
            let _ = fs::remove_dir_all(entry.path());
        } else if let Some(generation) = name.parse().ok().filter(|&generation| !is_resumable(run, generation, newest))
        {
            remove_resume_files(run, generation);
        }
    }
}
