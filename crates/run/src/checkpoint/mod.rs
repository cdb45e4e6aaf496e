//! Checkpoints: everything that resuming a run needs, in one folder that is either whole or absent.

mod resumable;
mod state;
mod tensors;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use resumable::{
    Checkpoint, newest_whole_before, optimizer_path, record, remove_after, remove_kept_for_return, remove_stale_files,
};
pub use state::RunState;
use state::StateFile;
pub use tensors::{TensorsError, weights_from_safetensors};
use thiserror::Error;

use doublecross_core::net::{Weights, WeightsError, checksum};
use doublecross_core::shell::shell_word;

/// The file of the EMA weights.
pub const EMA_FILE: &str = "ema.dxw";

const STATE_FILE: &str = "state.json";

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
    /// What should have weights does not exist, or cannot be read.
    #[error("cannot read {path}: {error} (name a .dxw or .safetensors file, a checkpoint's folder or a run's folder)")]
    Unreadable {
        /// The path that was named.
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
    /// A safetensors file holds no network of this program.
    #[error("{path}: {error} (docs/formats.md lists the tensors)")]
    Tensors {
        /// The file.
        path: String,
        /// The fault of the file.
        error: TensorsError,
    },
    /// Another file is damaged.
    #[error("{path}: {error}")]
    Damaged {
        /// The file.
        path: String,
        /// The fault of the file.
        error: String,
    },
    /// The newest checkpoint cannot be used, but an earlier one can.
    #[error("{error} (to go on from generation {before} instead, move {path} away)")]
    Newest {
        /// The error of the newest checkpoint.
        error: Box<CheckpointError>,
        /// The folders of the checkpoints after the one that can be used.
        path: String,
        /// The generation of the newest one that can be used.
        before: u64,
    },
    /// No checkpoint can be used to resume, for which only the newest two keep all files.
    #[error("{error} (no checkpoint of the run is whole; --from starts a new run from the weights of any)")]
    NoneWhole {
        /// The error of the newest checkpoint.
        error: Box<CheckpointError>,
    },
    /// No checkpoint can be used to resume, but the run has done so little that it can go on from its first games.
    #[error("{error} (to go on from the games of generation 1 instead, move {paths} away)")]
    NoneWholeYet {
        /// The error of the newest checkpoint.
        error: Box<CheckpointError>,
        /// The checkpoints, and the games of later generations.
        paths: String,
    },
    /// The path is neither a weights file, nor a checkpoint, nor a run with one.
    #[error("{path} holds no checkpoint (name a .dxw file, a checkpoint's folder or a run's folder)")]
    None {
        /// The path that was given.
        path: String,
    },
}

/// Returns the folder of a generation's checkpoint within a run.
pub fn folder(run: &Path, generation: u64) -> PathBuf {
    run.join("checkpoints").join(format!("gen-{generation:06}"))
}

/// Checks that a file is the one that the checkpoint was written with.
fn check_sum(path: &Path, bytes: &[u8], expected: u64) -> Result<(), CheckpointError> {
    if checksum(bytes) == expected {
        return Ok(());
    }
    let error = "it is damaged or of another checkpoint: its checksum is not the one in state.json".into();
    Err(CheckpointError::Damaged { path: shell_word(path), error })
}

/// Returns the newest generation that has a checkpoint.
///
/// # Errors
/// Returns an error if the folder cannot be read. A run would otherwise start anew over its
/// checkpoints.
pub fn newest_generation(run: &Path) -> Result<Option<u64>, CheckpointError> {
    Ok(generations(run)?.pop())
}

/// Returns the generations that have a checkpoint, in ascending order.
fn generations(run: &Path) -> Result<Vec<u64>, CheckpointError> {
    let folder = run.join("checkpoints");
    let failed = |error| CheckpointError::File { path: shell_word(&folder), error };
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
    fs::read(path).map_err(|error| CheckpointError::File { path: shell_word(path), error })
}

fn read_weights(path: &Path) -> Result<Weights, CheckpointError> {
    let bytes = read(path)?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("safetensors")) {
        let refused = |error| CheckpointError::Tensors { path: shell_word(path), error };
        return weights_from_safetensors(&bytes).map_err(refused);
    }
    // In a checkpoint the weights have to be those that it was written with.
    if let Some(folder) = path.parent().filter(|_| path.ends_with(EMA_FILE)) {
        let state = fs::read(folder.join(STATE_FILE)).ok().and_then(|text| StateFile::parse(&text).ok());
        if let Some(StateFile { sums, .. }) = state {
            check_sum(path, &bytes, sums.ema)?;
        }
    }
    Weights::from_bytes(&bytes).map_err(|error| CheckpointError::Weights { path: shell_word(path), error })
}

/// Reads the weights to play with: from a weights file of this program or in the safetensors format, a
/// checkpoint's folder, or a run's newest checkpoint.
///
/// # Errors
/// Returns an error if the path does not exist, or holds no weights or damaged ones.
pub fn load_weights(path: &Path) -> Result<Weights, CheckpointError> {
    let found = fs::metadata(path).map_err(|error| CheckpointError::Unreadable { path: shell_word(path), error })?;
    // A pipe may have weights too.
    if !found.is_dir() {
        return read_weights(path);
    }
    if path.join(EMA_FILE).is_file() {
        return read_weights(&path.join(EMA_FILE));
    }
    match newest_generation(path)? {
        Some(generation) => read_weights(&folder(path, generation).join(EMA_FILE)),
        None => Err(CheckpointError::None { path: shell_word(path) }),
    }
}
