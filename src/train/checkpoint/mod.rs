//! Checkpoints: everything that resuming a run needs, in one folder that is either whole or absent.

mod state;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(super) use state::RunState;
use state::{StateFile, Sums};
use thiserror::Error;

use super::files::write_whole;
use super::record::Record;
use super::run::has_workers;
use crate::net::{Weights, WeightsError, checksum};

/// The file of the EMA weights.
pub(super) const EMA_FILE: &str = "average.dxw";

/// The file of the model's own weights.
const WEIGHTS_FILE: &str = "learnt.dxw";

const OPTIMIZER_FILE: &str = "optimizer.bin";
const STATE_FILE: &str = "state.json";

/// The state of a run at the end of a generation.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// The counters and the generation's figures.
    pub state: RunState,
    /// The EMA weights, which are those to play with.
    pub ema: Weights,
    /// The weights of the model itself.
    pub weights: Weights,
    /// The optimiser's state.
    pub optimizer: Vec<u8>,
}

/// An error of a checkpoint that cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// A weights file is damaged, or is not one.
    #[error("{path}: {error}")]
    Weights {
        /// The file.
        path: String,
        /// The fault of the file.
        error: WeightsError,
    },
    /// Another file is damaged.
    #[error("{path}: {error}")]
    Damaged {
        /// The file.
        path: String,
        /// The fault of the file.
        error: String,
    },
    /// The checkpoint has no checksums, as the first versions wrote it.
    #[error(
        "{path} is of an earlier version, which wrote no checksums; --accept-old-checkpoint resumes from it, and the next \
         checkpoint has them"
    )]
    Old {
        /// The checkpoint's folder.
        path: String,
    },
    /// The newest checkpoint cannot be used, but an earlier one can.
    #[error("{error}; to go on from generation {before} instead, move {path} away")]
    Newest {
        /// The error of the newest checkpoint.
        error: Box<CheckpointError>,
        /// The folders of the checkpoints after the one that can be used.
        path: String,
        /// The generation of the newest one that can be used.
        before: u64,
    },
    /// No checkpoint can be used to resume, for which only the newest two keep all files.
    #[error("{error}; no checkpoint of the run is whole, but --from starts a new run from the weights of any")]
    NoneWhole {
        /// The error of the newest checkpoint.
        error: Box<CheckpointError>,
    },
    /// The path is neither a weights file, nor a checkpoint, nor a run with one.
    #[error("{path} holds no checkpoint; expected a .dxw file, a checkpoint's folder or a run's folder")]
    None {
        /// The path that was given.
        path: String,
    },
}

/// Returns the folder of a generation's checkpoint within a run.
pub(super) fn folder(run: &Path, generation: u64) -> PathBuf {
    run.join("checkpoints").join(format!("gen-{generation:06}"))
}

/// Returns the path of the optimiser's state after a generation.
pub(super) fn optimizer_path(run: &Path, generation: u64) -> PathBuf {
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
        let failed = |error| CheckpointError::File { path: target.display().to_string(), error };
        let write = || -> io::Result<()> {
            if partial.exists() {
                fs::remove_dir_all(&partial)?;
            }
            fs::create_dir_all(&partial)?;
            let (ema, weights) = (self.ema.to_bytes(), self.weights.to_bytes());
            let sums = Sums { ema: checksum(&ema), weights: checksum(&weights), optimizer: checksum(&self.optimizer) };
            write_whole(&partial.join(EMA_FILE), &ema)?;
            write_whole(&partial.join(WEIGHTS_FILE), &weights)?;
            write_whole(&partial.join(OPTIMIZER_FILE), &self.optimizer)?;
            write_whole(&partial.join(STATE_FILE), StateFile::to_text(&self.state, sums)?.as_bytes())?;
            fs::rename(&partial, &target)
        };
        write().map_err(failed)?;
        remove_old_resume_files(run, self.state.generation);
        Ok(())
    }

    /// Reads the newest checkpoint of a run, if there is one. One without checksums is an error
    /// unless `accept_old` is set.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, is damaged, or is not of the same checkpoint as
    /// the others.
    pub fn newest(run: &Path, accept_old: bool) -> Result<Option<Checkpoint>, CheckpointError> {
        let generations = generations(run)?;
        let Some(&newest) = generations.last() else { return Ok(None) };
        read_checkpoint(run, newest, accept_old).map(Some).map_err(|error| match error {
            CheckpointError::Old { .. } => error,
            error => match generations.iter().rposition(|&earlier| read_checkpoint(run, earlier, true).is_ok()) {
                Some(whole) => {
                    let later: Vec<String> = generations[whole + 1..]
                        .iter()
                        .map(|&later| folder(run, later).display().to_string())
                        .collect();
                    CheckpointError::Newest {
                        error: Box::new(error),
                        path: later.join(" and "),
                        before: generations[whole],
                    }
                }
                None => CheckpointError::NoneWhole { error: Box::new(error) },
            },
        })
    }
}

/// Reads the checkpoint of a generation.
fn read_checkpoint(run: &Path, generation: u64, accept_old: bool) -> Result<Checkpoint, CheckpointError> {
    let folder = folder(run, generation);
    let StateFile { state, sums } = read_state(&folder, generation)?;
    if sums.is_none() && !accept_old {
        return Err(CheckpointError::Old { path: folder.display().to_string() });
    }
    let file = |name: &str, sum: fn(Sums) -> u64| {
        let path = folder.join(name);
        let bytes = read(&path)?;
        check_sum(&path, &bytes, sums.map(sum)).map(|()| (path, bytes))
    };
    let weights = |(path, bytes): (PathBuf, Vec<u8>)| {
        Weights::from_bytes(&bytes)
            .map_err(|error| CheckpointError::Weights { path: path.display().to_string(), error })
    };
    Ok(Checkpoint {
        state,
        ema: weights(file(EMA_FILE, |sums| sums.ema)?)?,
        weights: weights(file(WEIGHTS_FILE, |sums| sums.weights)?)?,
        optimizer: file(OPTIMIZER_FILE, |sums| sums.optimizer)?.1,
    })
}

/// Reads the state in the folder of a generation's checkpoint.
fn read_state(folder: &Path, generation: u64) -> Result<StateFile, CheckpointError> {
    let path = folder.join(STATE_FILE);
    let damaged = |error: String| CheckpointError::Damaged { path: path.display().to_string(), error };
    let file = StateFile::parse(&read(&path)?).map_err(damaged)?;
    if file.state.generation != generation {
        return Err(damaged(format!("it is of generation {}", file.state.generation)));
    }
    Ok(file)
}

/// Checks that a file is the one that the checkpoint was written with.
fn check_sum(path: &Path, bytes: &[u8], expected: Option<u64>) -> Result<(), CheckpointError> {
    if expected.is_none_or(|expected| checksum(bytes) == expected) {
        return Ok(());
    }
    let error = "it is damaged or of another checkpoint: its checksum is not the one in state.json".into();
    Err(CheckpointError::Damaged { path: path.display().to_string(), error })
}

/// Returns the record in a generation's checkpoint, if it is whole and has a checksum.
pub(super) fn record(run: &Path, generation: u64) -> Option<Record> {
    let file = read_state(&folder(run, generation), generation).ok()?;
    file.sums.map(|_| file.state.record)
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
const DOUBTED: u64 = 16;

/// Returns `true` if a run may have to resume from the checkpoint of a generation, given the newest:
/// from one of the last two, and from one before games of other machines.
fn is_resumable(run: &Path, generation: u64, newest: u64) -> bool {
    let age = newest.saturating_sub(generation);
    age < 2 || (age < DOUBTED && has_workers(run, generation + 1))
}

/// Removes the files that only resuming needs from the checkpoints that need them no longer since the
/// newest is there.
fn remove_old_resume_files(run: &Path, newest: u64) {
    for generation in [2, DOUBTED].iter().filter_map(|age| newest.checked_sub(*age)) {
        if !is_resumable(run, generation, newest) {
            remove_resume_files(run, generation);
        }
    }
}

/// Removes the files that only resuming needs from all checkpoints but the last two, once nobody
/// doubts the games any more.
pub(super) fn remove_doubted(run: &Path, newest: u64) {
    for generation in newest.saturating_sub(DOUBTED + 2)..(newest.saturating_sub(1)) {
        remove_resume_files(run, generation);
    }
}

/// Returns the newest generation before this one whose checkpoint can be resumed from, or 0.
pub(super) fn newest_whole_before(run: &Path, generation: u64) -> u64 {
    (1..generation).rev().find(|&earlier| read_checkpoint(run, earlier, false).is_ok()).unwrap_or(0)
}

/// Removes the checkpoints of later generations, the newest first.
///
/// # Errors
/// Returns an error if one cannot be removed.
pub(super) fn remove_after(run: &Path, generation: u64) -> Result<(), CheckpointError> {
    for later in generations(run)?.into_iter().rev().filter(|&later| later > generation) {
        let folder = folder(run, later);
        let failed = |error| CheckpointError::File { path: folder.display().to_string(), error };
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    Ok(())
}

/// Removes what an interrupted clean-up or write has left, given the newest generation.
pub(super) fn remove_stale_files(run: &Path, newest: u64) {
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

/// Returns the newest generation that has a checkpoint.
///
/// # Errors
/// Returns an error if the folder cannot be read. A run would otherwise start anew over its
/// checkpoints.
pub(crate) fn newest_generation(run: &Path) -> Result<Option<u64>, CheckpointError> {
    Ok(generations(run)?.pop())
}

/// Returns the generations that have a checkpoint, in ascending order.
fn generations(run: &Path) -> Result<Vec<u64>, CheckpointError> {
    let folder = run.join("checkpoints");
    let failed = |error| CheckpointError::File { path: folder.display().to_string(), error };
    let entries = match fs::read_dir(&folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.map_err(failed)?,
    };
    let mut generations = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        generations.extend(name.to_str().and_then(|name| name.strip_prefix("gen-")?.parse::<u64>().ok()));
    }
    generations.sort_unstable();
    Ok(generations)
}

fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    fs::read(path).map_err(|error| CheckpointError::File { path: path.display().to_string(), error })
}

fn read_weights(path: &Path) -> Result<Weights, CheckpointError> {
    let bytes = read(path)?;
    // In a checkpoint the weights have to be those that it was written with.
    if let Some(folder) = path.parent().filter(|_| path.ends_with(EMA_FILE)) {
        let state = fs::read(folder.join(STATE_FILE)).ok().and_then(|text| StateFile::parse(&text).ok());
        check_sum(path, &bytes, state.and_then(|file| file.sums).map(|sums| sums.ema))?;
    }
    Weights::from_bytes(&bytes).map_err(|error| CheckpointError::Weights { path: path.display().to_string(), error })
}

/// Reads the weights to play with: from a weights file, a checkpoint's folder, or a run's newest
/// checkpoint.
///
/// # Errors
/// Returns an error if the path holds no weights, or damaged ones.
pub fn load_weights(path: &Path) -> Result<Weights, CheckpointError> {
    if path.is_file() {
        return read_weights(path);
    }
    if path.join(EMA_FILE).is_file() {
        return read_weights(&path.join(EMA_FILE));
    }
    match newest_generation(path)? {
        Some(generation) => read_weights(&folder(path, generation).join(EMA_FILE)),
        None => Err(CheckpointError::None { path: path.display().to_string() }),
    }
}
