//! Checkpoints: everything that resuming a run needs, in one folder that is either whole or absent.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::files::write_whole;
use super::record::Record;
use crate::net::{Weights, WeightsError};

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

/// The counters of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunState {
    /// The number of generations finished.
    pub generation: u64,
    /// The number of learning steps done.
    pub steps: u64,
    /// The line of `progress.jsonl` for this generation, which holds the other counters.
    pub record: Record,
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
            write_whole(&partial.join(EMA_FILE), &self.ema.to_bytes())?;
            write_whole(&partial.join(WEIGHTS_FILE), &self.weights.to_bytes())?;
            write_whole(&partial.join(OPTIMIZER_FILE), &self.optimizer)?;
            write_whole(&partial.join(STATE_FILE), &serde_json::to_vec_pretty(&self.state)?)?;
            fs::rename(&partial, &target)
        };
        write().map_err(failed)?;
        if let Some(older) = self.state.generation.checked_sub(2) {
            for name in [WEIGHTS_FILE, OPTIMIZER_FILE] {
                // An error means that the file is gone already, or only costs its space.
                let _ = fs::remove_file(folder(run, older).join(name));
            }
        }
        Ok(())
    }

    /// Reads the newest checkpoint of a run, if there is one.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged.
    pub fn newest(run: &Path) -> Result<Option<Checkpoint>, CheckpointError> {
        let Some(generation) = newest_generation(run)? else { return Ok(None) };
        let folder = folder(run, generation);
        let state_path = folder.join(STATE_FILE);
        let damaged = |path: &Path, error: serde_json::Error| CheckpointError::Damaged {
            path: path.display().to_string(),
            error: error.to_string(),
        };
        let state: RunState =
            serde_json::from_slice(&read(&state_path)?).map_err(|error| damaged(&state_path, error))?;
        Ok(Some(Checkpoint {
            state,
            ema: read_weights(&folder.join(EMA_FILE))?,
            weights: read_weights(&folder.join(WEIGHTS_FILE))?,
            optimizer: read(&folder.join(OPTIMIZER_FILE))?,
        }))
    }
}

/// Returns the newest generation that has a checkpoint.
///
/// # Errors
/// Returns an error if the folder cannot be read. A run would otherwise start anew over its
/// checkpoints.
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
