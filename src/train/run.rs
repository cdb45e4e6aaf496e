//! A run: generations of self-play and learning, each ended by a checkpoint, in a folder that can be resumed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use super::checkpoint::{self, Checkpoint, CheckpointError, State, load_weights};
use super::config::{Config, ConfigError};
use super::files::write_whole;
use super::learner::{Learner, Learnt};
use super::logs::{Logs, Record};
use super::processor::ProcessorError;
use super::progress::Progress;
use super::replay::Replay;
use super::selfplay::{Costs, inference, play_games};
use super::shard::{Shard, ShardError};
use super::{OptimizerError, Row, initial_weights, with_canaries};
use crate::board::{Board, Edges};
use crate::net::{Architecture, Network, Weights};
use crate::search::{Evaluation, Evaluator, NetworkEvaluator};

/// Why a run cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file of the run cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// The config cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A shard cannot be used.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The optimiser's state cannot be used.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    /// The folder holds a run of another config.
    #[error(
        "{path} holds a run with other settings, first at `{line}`; resume it with its own config.toml or give --run another folder"
    )]
    OtherRun {
        /// The run's folder.
        path: String,
        /// The first line that differs.
        line: String,
    },
    /// The weights to start from are not those that the run started from, or not of its network.
    #[error("cannot start {path} from {weights}: {reason}")]
    Start {
        /// The run's folder.
        path: String,
        /// The weights given.
        weights: String,
        /// Why not.
        reason: String,
    },
    /// Weights in the run are not of its config's network.
    #[error("{path} is for {found}; the run's config is for {expected}")]
    OtherNetwork {
        /// The weights' file or the checkpoint's folder.
        path: String,
        /// Board and shape they are for.
        found: String,
        /// Board and shape of the config.
        expected: String,
    },
    /// There are games of later generations, but no checkpoint to go on from.
    #[error(
        "{path} has games of {generations} generations but no checkpoint; put checkpoints/ back or give --run another folder"
    )]
    Lost {
        /// The run's folder.
        path: String,
        /// How many generations there are games of.
        generations: u64,
    },
    /// Learning came to what is not a number.
    #[error(
        "learning diverged in generation {generation}: a loss or a weight is not a number; {path} stays as it was before. Start a new \
         run with a lower learn.learning_rate, from this one if it is worth it (--from)"
    )]
    Diverged {
        /// The run's folder.
        path: String,
        /// The generation that is not kept.
        generation: u64,
    },
    /// Another process works on the run.
    #[error("{path} is being worked on by another process; stop that one first")]
    Busy {
        /// The run's folder.
        path: String,
    },
    /// The config asks for a GPU, and there is none.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// The worker threads cannot be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The weights that a run started from, if not fresh ones.
const START: &str = "start.dxw";

/// A run in its folder.
pub struct Training {
    folder: PathBuf,
    config: Config,
    board: Board,
    learner: Learner,
    replay: Replay,
    logs: Logs,
    record: Record,
    /// Held for as long as this lives; the system lets go of it however the process ends.
    _lock: File,
}

impl Training {
    /// Starts a run in `folder`, or resumes the one that is there. A new run learns on from the weights at `from` (as
    /// [`load_weights`] takes them), if any are given; the optimiser and the games start afresh.
    ///
    /// # Errors
    /// When the folder holds a run with other settings, from other weights or a damaged one, or cannot be written, or
    /// when `from` does not hold weights of the config's board and network.
    pub fn open(folder: &Path, config: Config, from: Option<&Path>) -> Result<Training, RunError> {
        let board = config.board()?;
        fs::create_dir_all(folder.join("shards")).map_err(|error| file_error(folder, error))?;
        let lock = lock(folder)?;
        check_config(folder, &config)?;
        let checkpoint = Checkpoint::newest(folder)?;
        let played = (1..).take_while(|&generation| shard_path(folder, generation).exists()).count() as u64;
        if checkpoint.is_none() && played > 1 {
            return Err(RunError::Lost { path: folder.display().to_string(), generations: played });
        }
        let start = start_weights(folder, &config, board, from, played > 0)?;
        // Before the config, so that a run is never taken for one from fresh weights.
        if let Some(start) = &start {
            let path = folder.join(START);
            write_whole(&path, &start.to_bytes()).map_err(|error| file_error(&path, error))?;
        }
        write_config(folder, &config)?;
        let mut replay = Replay::default();
        let (learner, record) = match &checkpoint {
            None => {
                let fresh = || initial_weights(board, config.architecture(), config.seed);
                (Learner::new(&config, &start.unwrap_or_else(fresh))?, Record::default())
            }
            Some(checkpoint) => {
                let State { generation, steps, record } = &checkpoint.state;
                for weights in [&checkpoint.average, &checkpoint.learnt] {
                    check_network(&checkpoint::folder(folder, *generation), weights, &config, board)?;
                }
                let mut learner = Learner::new(&config, &checkpoint.learnt)?;
                learner.restore(checkpoint.average.tensors.clone(), *steps, &checkpoint.optimizer)?;
                for generation in 1..=*generation {
                    replay.push(Shard::read_of(&shard_path(folder, generation), generation, board)?, &config.learn);
                }
                replay.restore_passes(&checkpoint.passes);
                (learner, record.clone())
            }
        };
        let last = checkpoint.as_ref().map(|checkpoint| &checkpoint.state.record);
        let logs = Logs::open(folder, last).map_err(|error| file_error(folder, error))?;
        Ok(Training { folder: folder.into(), config, board, learner, replay, logs, record, _lock: lock })
    }

    /// The generations finished so far.
    pub fn generation(&self) -> u64 {
        self.record.generation
    }

    /// The run's config.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Runs to the last generation, or to the end of the generation in which the minutes run out.
    ///
    /// # Errors
    /// When a file cannot be read or written. What was finished before is kept.
    pub fn run(&mut self) -> Result<(), RunError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.config.workers()).build()?;
        pool.install(|| {
            while self.record.generation < self.config.generations && !self.is_out_of_time() {
                self.generate()?;
            }
            Ok(())
        })
    }

    fn is_out_of_time(&self) -> bool {
        self.config.minutes > 0.0 && self.record.seconds >= 60.0 * self.config.minutes
    }

    /// One generation: games (unless a kill left their shard behind), learning, checkpoint, logs.
    fn generate(&mut self) -> Result<(), RunError> {
        let generation = self.record.generation + 1;
        let start = Instant::now();
        let path = shard_path(&self.folder, generation);
        let (shard, costs) = if path.exists() {
            (Shard::read_of(&path, generation, self.board)?, None)
        } else {
            self.play(generation, &path)?
        };
        let playing = start.elapsed().as_secs_f64();
        self.record.games += shard.games;
        self.record.rows += shard.rows.len() as u64;
        self.replay.push(shard, &self.config.learn);
        let learnt = self.learner.learn(&self.config, &mut self.replay, generation);
        if !(learnt.is_finite() && self.learner.is_finite()) {
            return Err(RunError::Diverged { path: self.folder.display().to_string(), generation });
        }
        let weights = self.learner.average();
        let margin_error = margin_error(&weights, self.replay.newest());
        self.fill_record(generation, &learnt, margin_error);
        self.fill_costs((playing, start.elapsed().as_secs_f64()), costs.as_ref());
        let checkpoint = Checkpoint {
            state: State { generation, steps: self.learner.steps(), record: self.record.clone() },
            average: with_canaries(weights),
            learnt: self.learner.weights(),
            optimizer: self.learner.optimizer_bytes(),
            passes: self.replay.passes(),
        };
        checkpoint.write(&self.folder)?;
        self.logs.write(&self.record).map_err(|error| file_error(&self.folder, error))?;
        let r = &self.record;
        eprintln!(
            "generation {generation}/{}: {} games, {} rows, policy loss {:.3}, margin loss {:.3}, margin error {:.2}, \
             {:.1} games/s, {:.0} evaluations/s, learning {:.0} %, {:.0} s in all",
            self.config.generations,
            r.games,
            r.rows,
            r.policy_loss,
            r.margin_loss,
            r.margin_error,
            r.games_per_second,
            r.evaluations_per_second,
            100.0 * r.share_learning,
            r.seconds
        );
        Ok(())
    }

    fn play(&self, generation: u64, path: &Path) -> Result<(Shard, Option<Costs>), RunError> {
        let inference = inference(&self.config, self.learner.average())?;
        let games = self.config.selfplay.games;
        let progress = Progress::new(format!("generation {generation}: games"), games);
        // What the solver did not settle a generation ago is where there is most to learn.
        let beyond = self.replay.newest().iter().filter(|row| !row.is_exact);
        let starts: Vec<Edges> = beyond.map(|row| row.drawn).collect();
        let finished = |done| progress.at(done);
        let (rows, costs) = play_games(&self.config, self.board, &inference, generation, &starts, &finished);
        progress.finish();
        let shard = Shard { board: self.board, generation, games: games as u64, rows };
        shard.write(path).map_err(|error| file_error(path, error))?;
        Ok((shard, Some(costs)))
    }

    fn fill_record(&mut self, generation: u64, learnt: &Learnt, margin_error: f64) {
        let r = &mut self.record;
        r.generation = generation;
        r.steps = self.learner.steps();
        r.policy_loss = learnt.policy_loss;
        r.margin_loss = learnt.margin_loss;
        r.policy_entropy = learnt.policy_entropy;
        r.gradient_norm = learnt.gradient_norm;
        r.learning_rate = learnt.learning_rate;
        r.margin_error = margin_error;
        r.window_rows = self.replay.len() as u64;
        r.passes_per_row = self.replay.mean_passes();
    }

    /// What the generation took: seconds of playing and in all, and what the games took, unless they were there.
    fn fill_costs(&mut self, (playing, total): (f64, f64), costs: Option<&Costs>) {
        let r = &mut self.record;
        r.seconds += total;
        let Some(costs) = costs else { return };
        let worked = costs.total.as_secs_f64().max(1e-9);
        let share = |part: f64| part / worked * playing / total;
        r.positions += costs.searches;
        r.evaluations += costs.evaluations;
        r.games_per_second = self.config.selfplay.games as f64 / playing;
        r.positions_per_second = costs.searches as f64 / playing;
        r.evaluations_per_second = costs.evaluations as f64 / playing;
        r.cache_hits = 1.0 - costs.computed as f64 / costs.evaluations.max(1) as f64;
        r.share_network = share(costs.network.as_secs_f64());
        r.share_solver = share(costs.solver.as_secs_f64());
        r.share_leaves = share(costs.leaves.as_secs_f64());
        r.share_search = share(costs.search().as_secs_f64());
        r.share_learning = (total - playing) / total;
    }
}

fn shard_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join("shards").join(format!("gen-{generation:06}.shard"))
}

fn file_error(path: &Path, error: io::Error) -> RunError {
    RunError::File { path: path.display().to_string(), error }
}

fn lock(folder: &Path) -> Result<File, RunError> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(|error| file_error(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Busy { path: folder.display().to_string() }),
        Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
    }
}

const CONFIG: &str = "config.toml";

/// Checks that nothing in the config of a run that is there differs but how long it goes on, on what, and what is played
/// when it ends.
fn check_config(folder: &Path, config: &Config) -> Result<(), RunError> {
    let path = folder.join(CONFIG);
    if path.exists() {
        let old = Config::load(&path, &[])?;
        let Config { threads, generations, minutes, finish, .. } = config.clone();
        let mut comparable = Config { threads, generations, minutes, finish, ..old };
        comparable.learn.device = config.learn.device;
        (comparable.selfplay.device, comparable.selfplay.at_once) = (config.selfplay.device, config.selfplay.at_once);
        if comparable != *config {
            let (old, new) = (comparable.to_toml(), config.to_toml());
            let line = old.lines().zip(new.lines()).find(|(a, b)| a != b).map_or("", |(a, _)| a);
            return Err(RunError::OtherRun { path: folder.display().to_string(), line: line.into() });
        }
    }
    Ok(())
}

fn write_config(folder: &Path, config: &Config) -> Result<(), RunError> {
    let version = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"), "\n");
    write_whole(&folder.join("version.txt"), version.as_bytes())
        .and_then(|()| write_whole(&folder.join(CONFIG), config.to_toml().as_bytes()))
        .map_err(|error| file_error(folder, error))
}

/// An error when the weights at `path` are not of the config's board and network.
fn check_network(path: &Path, weights: &Weights, config: &Config, board: Board) -> Result<(), RunError> {
    if (weights.board, weights.architecture) == (board, config.architecture()) {
        return Ok(());
    }
    let of = |board: Board, a: Architecture| {
        format!("{board} with {} channels, {} blocks and {} hidden units", a.channels, a.blocks, a.value_hidden)
    };
    Err(RunError::OtherNetwork {
        path: path.display().to_string(),
        found: of(weights.board, weights.architecture),
        expected: of(board, config.architecture()),
    })
}

/// The weights that a run starts from when they are not fresh. The run keeps them, so that it can be resumed when the
/// checkpoint that they came from has gone on or away.
fn start_weights(
    folder: &Path,
    config: &Config,
    board: Board,
    from: Option<&Path>,
    has_games: bool,
) -> Result<Option<Weights>, RunError> {
    let kept_path = folder.join(START);
    let kept = if kept_path.exists() { Some(load_weights(&kept_path)?) } else { None };
    if let Some(kept) = &kept {
        check_network(&kept_path, kept, config, board)?;
    }
    let Some(from) = from else { return Ok(kept) };
    let refused = |reason: &str| RunError::Start {
        path: folder.display().to_string(),
        weights: from.display().to_string(),
        reason: reason.into(),
    };
    let given = load_weights(from).map_err(|error| refused(&error.to_string()))?;
    check_network(from, &given, config, board).map_err(|error| refused(&error.to_string()))?;
    match kept {
        Some(kept) if kept == given => Ok(Some(kept)),
        Some(_) => Err(refused("the run there started from other weights; resume it without --from")),
        None if has_games => Err(refused("the run there started from fresh weights; resume it without --from")),
        None => Ok(Some(given)),
    }
}

/// Mean distance of the expected margin from the proved one, over at most 200 proved rows.
fn margin_error(weights: &Weights, rows: &[Row]) -> f64 {
    let mut evaluator = NetworkEvaluator::new(Arc::new(Network::new(weights)));
    let mut evaluation = Evaluation::BLANK;
    let exact: Vec<&Row> = rows.iter().filter(|row| row.is_exact).take(200).collect();
    let errors = exact.iter().map(|row| {
        if weights.board.undrawn(row.drawn).is_empty() {
            return 0.0;
        }
        evaluator.evaluate(row.drawn, &mut evaluation);
        (evaluation.expected_margin(weights.board.boxes()) - row.margin as f32).abs() as f64
    });
    errors.sum::<f64>() / exact.len().max(1) as f64
}
