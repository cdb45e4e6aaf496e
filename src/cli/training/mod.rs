//! The commands that train, or measure training. They need the feature `train`.

pub(crate) mod bench;
mod config;
mod label;
mod learn;
mod run_report;
mod short_run;
pub(crate) mod train;
mod tune;
mod verify;

use std::io;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use doublecross::built_in::PRESETS;
use doublecross_core::shell::shell_word;
use doublecross_run::{CheckpointError, Config};
use doublecross_selfplay::DataSetError;
use doublecross_train::RunError;

use super::Failure;
use super::terminal::threads::on_threads;
pub(crate) use short_run::hash_of_short_run;

/// A command that trains, or measures training.
#[derive(Debug, Subcommand)]
pub(crate) enum Training {
    Train(train::Train),
    Config(config::ConfigCommand),
    Label(label::Label),
    Learn(learn::Learn),
    Tune(tune::Tune),
    Verify(verify::Verify),
    Bench(bench::Bench),
}

impl Training {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Training::Train(command) => command.run(),
            Training::Config(command) => command.run(),
            Training::Label(command) => command.run(),
            Training::Learn(command) => command.run(),
            Training::Tune(command) => on_threads(None, || command.run()),
            Training::Verify(command) => command.run(),
            Training::Bench(command) => on_threads(None, || command.run()),
        }
    }
}

/// Loads a config: a file, that of a run's folder, or what is built in by this name, with overrides.
fn load_config(path: &Path, overrides: &[String]) -> Result<Config, Failure> {
    Config::load_or_preset(&config_file(path), PRESETS, overrides).map_err(Failure::input)
}

/// Returns the file of a config: for the folder of a run, the one that is kept there.
fn config_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("config.toml") } else { path.into() }
}

/// Returns the names of the built-in configs.
fn presets() -> String {
    PRESETS.names().collect::<Vec<_>>().join(", ")
}

/// Returns the failure of a run in a folder that an error has ended, with the way to resume it after want of space.
pub(crate) fn ended(folder: &Path, error: RunError) -> Failure {
    if matches!(error, RunError::Shard(_) | RunError::UnlearnedShard { .. }) {
        return Failure::damaged(error);
    }
    if !error.is_out_of_space() {
        return Failure::running(error);
    }
    let folder = shell_word(folder);
    Failure::running(anyhow::anyhow!(
        "{error} (make room, then resume with `doublecross train {folder}`: what is done is kept)"
    ))
}

/// Returns the failure of a data set.
fn data_set_failure(error: DataSetError) -> Failure {
    match error {
        DataSetError::Changed { .. } | DataSetError::Shard(_) => Failure::damaged(error),
        DataSetError::Write { .. } => Failure::running(error),
        error => Failure::input(error),
    }
}

/// Returns the failure of a run that cannot begin or go on.
pub(crate) fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::OtherRun { .. }
        | RunError::EditedConfig { .. }
        | RunError::Longer { .. }
        | RunError::OtherIsa { .. }
        | RunError::LacksIsaOfRun { .. }
        | RunError::LacksIsa { .. }
        | RunError::NotARun { .. }
        | RunError::Start { .. }
        | RunError::Samples { .. }
        | RunError::Lost { .. }
        | RunError::LostGames { .. }
        | RunError::NotHeldOut { .. }
        | RunError::NoBook { .. }
        | RunError::Processor(_)
        | RunError::Memory { .. } => Failure::input(error),
        RunError::DataSet(error) => data_set_failure(error),
        RunError::Checkpoint(
            CheckpointError::Damaged { .. }
            | CheckpointError::Weights { .. }
            | CheckpointError::Tensors { .. }
            | CheckpointError::Newest { .. }
            | CheckpointError::NoneWhole { .. }
            | CheckpointError::NoneWholeYet { .. },
        )
        | RunError::Shard(_)
        | RunError::UnlearnedShard { .. }
        | RunError::Config(_)
        | RunError::OtherNetwork { .. } => Failure::damaged(error),
        RunError::File { error: ref cause, .. } if cause.kind() == io::ErrorKind::InvalidInput => Failure::input(error),
        error => Failure::running(error),
    }
}
