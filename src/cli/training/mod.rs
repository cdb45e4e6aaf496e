//! The commands that train, or measure training. They need the feature `train`.

pub(crate) mod bench;
mod run_report;
pub(crate) mod train;
mod tune;
mod verify;

use std::io;
use std::path::Path;

use clap::Subcommand;
use doublecross::built_in::PRESETS;
use doublecross_run::{CheckpointError, Config};
use doublecross_train::RunError;

use super::Failure;
use super::terminal::threads::on_threads;

/// A command that trains, or measures training.
#[derive(Debug, Subcommand)]
pub(crate) enum Training {
    Train(train::Train),
    Tune(tune::Tune),
    Verify(verify::Verify),
    Bench(bench::Bench),
}

impl Training {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Training::Train(command) => command.run(),
            Training::Tune(command) => on_threads(None, || command.run()),
            Training::Verify(command) => command.run(),
            Training::Bench(command) => on_threads(None, || command.run()),
        }
    }
}

/// Loads a config, or the default of every key, with overrides.
fn load_config(path: Option<&Path>, overrides: &[String]) -> Result<Config, Failure> {
    let loaded = match path {
        Some(path) => Config::load_or_preset(path, PRESETS, overrides),
        None => Config::parse("", "the defaults", overrides),
    };
    loaded.map_err(Failure::input)
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
        | RunError::NoBook { .. }
        | RunError::Processor(_)
        | RunError::Memory { .. } => Failure::input(error),
        RunError::Checkpoint(
            CheckpointError::Damaged { .. }
            | CheckpointError::Weights { .. }
            | CheckpointError::Newest { .. }
            | CheckpointError::NoneWhole { .. }
            | CheckpointError::NoneWholeYet { .. },
        )
        | RunError::Shard(_)
        | RunError::Config(_)
        | RunError::OtherNetwork { .. } => Failure::damaged(error),
        RunError::File { error: ref cause, .. } if cause.kind() == io::ErrorKind::InvalidInput => Failure::input(error),
        error => Failure::running(error),
    }
}
