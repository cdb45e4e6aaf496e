//! A run's start: fresh, from what another run left, or from its own newest checkpoint.

use std::fs;
use std::path::Path;

use super::earlier::{check_samples, earlier_shards, take_over};
use super::error::{RunError, file_error};
use super::folder::{
    check_config, check_empty, check_network, check_start, lock, played, shard_path, start_weights, write_config,
    write_start, write_suite,
};
use super::generation::without_suite;
use super::{Training, WarmStart};
use crate::board::Board;
use crate::net::Isa;
use crate::solver::Solver;
use crate::train::checkpoint::{self, Checkpoint, CheckpointError, RunState, newest_generation};
use crate::train::config::Config;
use crate::train::environment::Environment;
use crate::train::initial_weights;
use crate::train::learner::Learner;
use crate::train::logs::Logs;
use crate::train::record::Record;
use crate::train::replay::Replay;
use crate::train::scoring::Scoring;
use crate::train::shard::Shard;

impl Training {
    /// Starts a run in `folder`, or resumes the one that is there. A warm start is copied into the
    /// folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, or if it holds a run with other settings,
    /// a run that started otherwise than `warm_start` says, or a damaged run. Returns an error if
    /// `warm_start` is for another board, or if its weights are neither those of the config's
    /// network nor of a smaller one.
    pub fn open(
        folder: &Path,
        config: Config,
        warm_start: WarmStart<'_>,
        environment: Environment,
    ) -> Result<Training, RunError> {
        let board = config.board()?;
        check_memory(&config)?;
        if newest_generation(folder)?.is_none() && !shard_path(folder, 1).exists() {
            // A refused start writes nothing.
            check_empty(folder)?;
            warm_start.weights.map_or(Ok(()), |from| check_start(folder, from))?;
            warm_start.samples.map_or(Ok(()), |other| check_samples(folder, other))?;
        }
        fs::create_dir_all(folder.join("shards")).map_err(|error| file_error(folder, error))?;
        let lock = lock(folder)?;
        let checkpoint = Checkpoint::newest(folder)?;
        let played = played(folder);
        // A run without games may continue with any config.
        let has_games = checkpoint.is_some() || played > 0;
        if has_games {
            check_config(folder, &config)?;
        }
        if checkpoint.is_none() && played > 1 {
            return Err(RunError::Lost { path: folder.display().to_string(), generations: played });
        }
        let observer = &*environment.observer;
        let start = start_weights(folder, &config, board, warm_start.weights, has_games, observer)?;
        if let Some(other) = warm_start.samples {
            take_over(folder, other, config.learn.window_samples, board, has_games)?;
        }
        // Before the config, so that a run is never taken for one from fresh weights.
        if let Some(start) = &start {
            write_start(folder, start)?;
        }
        write_config(folder, &config)?;
        let (learner, record) = match &checkpoint {
            None => {
                let fresh = || initial_weights(board, config.architecture(), config.seed);
                (Learner::new(&config, &start.unwrap_or_else(fresh), environment.isa)?, Record::default())
            }
            Some(checkpoint) => {
                let learner = resumed_learner(folder, &config, board, checkpoint, environment.isa)?;
                (learner, checkpoint.state.record.clone())
            }
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads).build()?;
        let scoring = pool.install(|| Scoring::new(&config, board, observer));
        write_suite(folder, scoring.as_ref().map(Scoring::text).as_deref())?;
        let replay = resumed_window(folder, &config, board, &record, &scoring)?;
        let last = checkpoint.as_ref().map(|checkpoint| &checkpoint.state.record);
        let logs = Logs::open(folder, last).map_err(|error| file_error(folder, error))?;
        let folder = folder.into();
        Ok(Training { folder, config, environment, board, learner, replay, scoring, logs, record, _lock: lock })
    }
}

/// Checks that there is memory for the workers' solver tables.
fn check_memory(config: &Config) -> Result<(), RunError> {
    let (workers, table) = (config.threads_of_games(), config.selfplay.table);
    Solver::check_memory(workers * table).map_err(|error| {
        let bytes = workers * table * Solver::ENTRY_BYTES;
        RunError::Memory { bytes, workers, error }
    })
}

/// Returns the learner that a checkpoint of the run in `folder` describes.
fn resumed_learner(
    folder: &Path,
    config: &Config,
    board: Board,
    checkpoint: &Checkpoint,
    isa: Isa,
) -> Result<Learner, RunError> {
    let RunState { generation, steps, .. } = checkpoint.state;
    for weights in [&checkpoint.ema, &checkpoint.weights] {
        check_network(&checkpoint::folder(folder, generation), weights, config, board)?;
    }
    let mut learner = Learner::new(config, &checkpoint.weights, isa)?;
    let ema = checkpoint.ema.tensors.clone();
    learner.restore(ema, steps, &checkpoint.optimizer).map_err(|error| CheckpointError::Damaged {
        path: checkpoint::optimizer_path(folder, generation).display().to_string(),
        error: error.to_string(),
    })?;
    Ok(learner)
}

/// Returns the window of the run in `folder`: its own newest shards, then those of its warm start.
fn resumed_window(
    folder: &Path,
    config: &Config,
    board: Board,
    record: &Record,
    scoring: &Option<Scoring>,
) -> Result<Replay, RunError> {
    let read = |generation| Shard::read_of(&shard_path(folder, generation), generation, board);
    let earlier = earlier_shards(folder, board).map(|shard| shard.map(|shard| without_suite(shard, scoring)));
    let newest_first = (1..=record.generation).rev().map(read).chain(earlier);
    Ok(Replay::restore(record.samples as usize, &config.learn, newest_first)?)
}
