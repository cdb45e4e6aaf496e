//! Checkpoints: everything a run needs to go on, in one folder that is whole or not there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::files::write_whole;
use super::logs::Record;
use crate::net::{Weights, WeightsError};

pub(super) const AVERAGE: &str = "average.dxw";
const LEARNT: &str = "learnt.dxw";
const OPTIMIZER: &str = "optimizer.bin";
const STATE: &str = "state.json";

/// What a run keeps at the end of a generation.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// Counters and the generation's figures.
    pub state: State,
    /// The averaged weights, those to play with.
    pub average: Weights,
    /// The weights as they are learnt.
    pub learnt: Weights,
    pub optimizer: Vec<u8>,
}

/// Counters of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// Generations finished.
    pub generation: u64,
    /// Learning steps done.
    pub steps: u64,
    /// The line of `progress.jsonl` for this generation, which holds the other counters.
    pub record: Record,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// A weights file is foreign or damaged.
    #[error("{path}: {error}")]
    Weights {
        /// The file.
        path: String,
        /// What is wrong.
        error: WeightsError,
    },
    /// Another file is damaged.
    #[error("{path}: {error}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        error: String,
    },
    /// Neither a weights file, nor a checkpoint, nor a run with one.
    #[error("{path} holds no checkpoint; expected a .dxw file, a checkpoint's folder or a run's folder")]
    None {
        /// What was given.
        path: String,
    },
}

/// The folder of a generation's checkpoint within a run.
pub(super) fn folder(run: &Path, generation: u64) -> PathBuf {
    run.join("checkpoints").join(format!("gen-{generation:06}"))
}

/// Where the optimiser's state of a generation is.
pub(super) fn optimizer_path(run: &Path, generation: u64) -> PathBuf {
    folder(run, generation).join(OPTIMIZER)
}

impl Checkpoint {
    /// Writes the checkpoint into the run, and drops what only resuming needs from the one before the last.
    pub fn write(&self, run: &Path) -> Result<(), CheckpointError> {
        let target = folder(run, self.state.generation);
        let partial = target.with_extension("partial");
        let failed = |error| CheckpointError::File { path: target.display().to_string(), error };
        let write = || -> io::Result<()> {
            if partial.exists() {
                fs::remove_dir_all(&partial)?;
            }
            fs::create_dir_all(&partial)?;
            write_whole(&partial.join(AVERAGE), &self.average.to_bytes())?;
            write_whole(&partial.join(LEARNT), &self.learnt.to_bytes())?;
            write_whole(&partial.join(OPTIMIZER), &self.optimizer)?;
            write_whole(&partial.join(STATE), &serde_json::to_vec_pretty(&self.state)?)?;
            fs::rename(&partial, &target)
        };
        write().map_err(failed)?;
        if let Some(older) = self.state.generation.checked_sub(2) {
            for name in [LEARNT, OPTIMIZER] {
                // Gone already is as good.
                let _ = fs::remove_file(folder(run, older).join(name));
            }
        }
        Ok(())
    }

    /// Reads the newest checkpoint of a run, if there is one.
    pub fn newest(run: &Path) -> Result<Option<Checkpoint>, CheckpointError> {
        let Some(generation) = newest_generation(run)? else { return Ok(None) };
        let folder = folder(run, generation);
        let state_path = folder.join(STATE);
        let damaged = |path: &Path, error: serde_json::Error| CheckpointError::Damaged {
            path: path.display().to_string(),
            error: error.to_string(),
        };
        let state: State = serde_json::from_slice(&read(&state_path)?).map_err(|error| damaged(&state_path, error))?;
        Ok(Some(Checkpoint {
            state,
            average: read_weights(&folder.join(AVERAGE))?,
            learnt: read_weights(&folder.join(LEARNT))?,
            optimizer: read(&folder.join(OPTIMIZER))?,
        }))
    }
}

/// The newest generation that has a checkpoint. What cannot be read is an error: a run would begin anew over it.
pub(super) fn newest_generation(run: &Path) -> Result<Option<u64>, CheckpointError> {
    let folder = run.join("checkpoints");
    let failed = |error| CheckpointError::File { path: folder.display().to_string(), error };
    let entries = match fs::read_dir(&folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        entries => entries.map_err(failed)?,
    };
    let mut newest = None;
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        let generation = name.to_str().and_then(|name| name.strip_prefix("gen-")?.parse().ok());
        newest = newest.max(generation);
    }
    Ok(newest)
}

fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    fs::read(path).map_err(|error| CheckpointError::File { path: path.display().to_string(), error })
}

fn read_weights(path: &Path) -> Result<Weights, CheckpointError> {
    Weights::from_bytes(&read(path)?)
        .map_err(|error| CheckpointError::Weights { path: path.display().to_string(), error })
}

/// The weights to play with: of a weights file, of a checkpoint's folder, or of a run's newest checkpoint.
///
/// # Errors
/// When there are none there, or they are foreign or damaged.
pub fn load_weights(path: &Path) -> Result<Weights, CheckpointError> {
    if path.is_file() {
        return read_weights(path);
    }
    if path.join(AVERAGE).is_file() {
        return read_weights(&path.join(AVERAGE));
    }
    match newest_generation(path)? {
        Some(generation) => read_weights(&folder(path, generation).join(AVERAGE)),
        None => Err(CheckpointError::None { path: path.display().to_string() }),
    }
}
