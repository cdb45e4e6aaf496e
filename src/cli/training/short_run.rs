//! The run of `doublecross signature`.

use std::path::Path;
use std::sync::Arc;
use std::{env, fs, process};

use crate::cli::training::{load_config, run_failure};
use crate::cli::{Failure, named_isa};
use doublecross::built_in;
use doublecross_core::mix::checksum;
use doublecross_run::{Config, load_weights};
use doublecross_train::{RunContext, Training, WarmStart};

/// The changes of the built-in config of 3x3.
const CHANGES: [&str; 8] = [
    "generations=2",
    "selfplay.games=16",
    "selfplay.simulations=16",
    "learn.batch=32",
    "labeled.positions=0",
    "learn.passes=1",
    "suite.positions=0",
    "finish.games=0",
];

/// Trains a short run in a folder of its own, which is removed, and returns a hash of its weights.
pub(crate) fn hash_of_short_run() -> Result<u64, Failure> {
    let config = load_config(Path::new("3x3"), &CHANGES.map(String::from))?;
    let folder = env::temp_dir().join(format!("doublecross-signature-{}", process::id()));
    let hash = train(&folder, config);
    let _ = fs::remove_dir_all(&folder);
    hash
}

fn train(folder: &Path, config: Config) -> Result<u64, Failure> {
    let context = RunContext::new(named_isa()?, built_in().books.clone(), Arc::new(()));
    Training::open(folder, config, WarmStart::default(), context).and_then(|mut run| run.run()).map_err(run_failure)?;
    Ok(checksum(&load_weights(folder).map_err(Failure::running)?.to_bytes()))
}
