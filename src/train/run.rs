//! A run: generations of self-play and learning, each ended by a checkpoint, in a folder that can be resumed.

mod earlier;
mod error;
mod folder;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use earlier::{check_rows, earlier_shards, take_over};
pub use error::RunError;
use error::file_error;
use folder::{
    START, check_config, check_empty, check_network, check_start, lock, played, shard_path, start_weights,
    write_config, write_start, write_suite,
};

use super::checkpoint::{self, Checkpoint, CheckpointError, State, newest_generation};
use super::config::Config;
use super::costs::Costs;
use super::labelled::label_positions;
use super::learner::{Learner, StepMetrics};
use super::logs::{Logs, Record};
use super::progress::Progress;
use super::replay::Replay;
use super::scoring::Scoring;
use super::selfplay::{inference, play_games};
use super::shard::Shard;
use super::{Sample, initial_weights, with_canaries};
use crate::board::{Board, State as BoardState};
use crate::net::{Isa, Network, Weights};
use crate::search::{Evaluation, Evaluator, NetworkEvaluator};
use crate::solver::Solver;
use crate::stderr::print_line;

/// What a generation's rows took.
struct Played {
    costs: Costs,
    /// Seconds of play.
    playing: f64,
    /// Seconds of study.
    studying: f64,
}

/// What a new run begins with, if not with nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart<'a> {
    /// Weights to learn on from, as [`load_weights`](super::load_weights) takes them, [grown](super::grow) where the
    /// config's network is larger. The optimiser and the games start afresh.
    pub weights: Option<&'a Path>,
    /// The folder of a run whose newest rows, [`window_rows`](super::LearnConfig::window_rows) or little more, fill the
    /// window.
    pub rows: Option<&'a Path>,
}

/// A run in its folder.
pub struct Training {
    folder: PathBuf,
    config: Config,
    isa: Isa,
    board: Board,
    learner: Learner,
    replay: Replay,
    scoring: Option<Scoring>,
    logs: Logs,
    record: Record,
    /// Held for as long as this lives; the system lets go of it however the process ends.
    _lock: File,
}

impl Training {
    /// Starts a run in `folder`, or resumes the one that is there. What a new run begins with is kept there.
    ///
    /// # Errors
    /// When the folder holds a run with other settings, from other weights, without the rows of another or a damaged
    /// one, or cannot be written, or when what it is to begin with is not of the config's board, or the weights not of
    /// its network or a smaller one.
    pub fn open(folder: &Path, config: Config, beginning: WarmStart<'_>, isa: Isa) -> Result<Training, RunError> {
        let board = config.board()?;
        let (workers, table) = (config.threads_of_games(), config.selfplay.table);
        Solver::check_memory(workers * table).map_err(|error| {
            let bytes = workers * table * Solver::ENTRY_BYTES;
            RunError::Memory { bytes, workers, error }
        })?;
        if newest_generation(folder)?.is_none() && !shard_path(folder, 1).exists() {
            // Before anything is made there.
            check_empty(folder)?;
            beginning.weights.map_or(Ok(()), |from| check_start(folder, from))?;
            beginning.rows.map_or(Ok(()), |other| check_rows(folder, other))?;
        }
        fs::create_dir_all(folder.join("shards")).map_err(|error| file_error(folder, error))?;
        let lock = lock(folder)?;
        let checkpoint = Checkpoint::newest(folder)?;
        let played = played(folder);
        // Where nothing has been played any config will do.
        let has_games = checkpoint.is_some() || played > 0;
        if has_games {
            check_config(folder, &config)?;
        }
        if checkpoint.is_none() && played > 1 {
            return Err(RunError::Lost { path: folder.display().to_string(), generations: played });
        }
        let start = start_weights(folder, &config, board, beginning.weights, has_games)?;
        if let Some(other) = beginning.rows {
            take_over(folder, other, config.learn.window_rows, board, has_games)?;
        }
        // Before the config, so that a run is never taken for one from fresh weights.
        if let Some(start) = &start {
            write_start(folder, start)?;
        }
        write_config(folder, &config)?;
        let (learner, record) = match &checkpoint {
            None => {
                let fresh = || initial_weights(board, config.architecture(), config.seed);
                (Learner::new(&config, &start.unwrap_or_else(fresh), isa)?, Record::default())
            }
            Some(checkpoint) => {
                let State { generation, steps, record } = &checkpoint.state;
                for weights in [&checkpoint.average, &checkpoint.learnt] {
                    check_network(&checkpoint::folder(folder, *generation), weights, &config, board)?;
                }
                let mut learner = Learner::new(&config, &checkpoint.learnt, isa)?;
                let average = checkpoint.average.tensors.clone();
                learner.restore(average, *steps, &checkpoint.optimizer).map_err(|error| CheckpointError::Damaged {
                    path: checkpoint::optimizer_path(folder, *generation).display().to_string(),
                    error: error.to_string(),
                })?;
                (learner, record.clone())
            }
        };
        let read = |generation| Shard::read_of(&shard_path(folder, generation), generation, board);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads).build()?;
        let scoring = pool.install(|| Scoring::new(&config, board));
        write_suite(folder, scoring.as_ref().map(Scoring::text).as_deref())?;
        let earlier = earlier_shards(folder, board).map(|shard| shard.map(|shard| without_suite(shard, &scoring)));
        let newest_first = (1..=record.generation).rev().map(read).chain(earlier);
        let replay = Replay::restore(record.rows as usize, &config.learn, newest_first)?;
        let last = checkpoint.as_ref().map(|checkpoint| &checkpoint.state.record);
        let logs = Logs::open(folder, last).map_err(|error| file_error(folder, error))?;
        Ok(Training { folder: folder.into(), config, isa, board, learner, replay, scoring, logs, record, _lock: lock })
    }

    /// The generations finished so far.
    pub fn generation(&self) -> u64 {
        self.record.generation
    }

    /// Rows that the window holds.
    pub fn window(&self) -> usize {
        self.replay.len()
    }

    /// Whether the run began with weights that are kept in its folder, not with fresh ones.
    pub fn has_start(&self) -> bool {
        self.folder.join(START).exists()
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
        let (shard, played) = if path.exists() {
            (Shard::read_of(&path, generation, self.board)?, None)
        } else {
            let (shard, played) = self.play(generation, &path)?;
            (shard, Some(played))
        };
        self.record.games += shard.games;
        self.record.rows += shard.rows.len() as u64;
        if shard.rows.is_empty() {
            print_line(format_args!("generation {generation}: not one position to learn from"));
        }
        self.replay.push(shard, &self.config.learn);
        // Before they are learnt from: the weights that played them have not seen their answers.
        let surprise = margin_error(&self.learner.average(), self.isa, self.replay.newest());
        let learnt = self.learner.learn(&self.config, &self.replay, generation);
        let diverged = || RunError::Diverged { path: self.folder.display().to_string(), generation };
        if !(learnt.is_finite() && self.learner.is_finite()) {
            return Err(diverged());
        }
        let weights = self.learner.average();
        // Weights may be numbers though what they say is none.
        if margin_error(&weights, self.isa, self.replay.newest()).is_some_and(|error| !error.is_finite()) {
            return Err(diverged());
        }
        self.fill_record(generation, &learnt, surprise);
        self.fill_costs(start.elapsed().as_secs_f64(), played);
        self.score(&weights);
        let checkpoint = Checkpoint {
            state: State { generation, steps: self.learner.steps(), record: self.record.clone() },
            average: with_canaries(weights),
            learnt: self.learner.weights(),
            optimizer: self.learner.optimizer_bytes(),
        };
        checkpoint.write(&self.folder)?;
        self.logs.write(&self.record).map_err(|error| file_error(&self.folder, error))?;
        let r = &self.record;
        print_line(format_args!(
            "generation {generation}/{}: {} games, {} rows, policy loss {:.3}, margin loss {:.3}, {}\
             {:.1} games/s, {:.0} evaluations/s, learning {:.0} %, {:.0} s in all",
            self.config.generations,
            r.games,
            r.rows,
            r.policy_loss,
            r.margin_loss,
            r.margin_error.map_or(String::new(), |error| format!("margin error {error:.2}, ")),
            r.games_per_second,
            r.evaluations_per_second,
            100.0 * r.share_learning,
            r.seconds
        ));
        if let Some(score) = r.suite {
            let sign =
                score.sign_agreement.map_or(String::new(), |share| format!(", sign right {:.1} %", 100.0 * share));
            print_line(format_args!(
                "on the suite: policy optimal {:.1} %, searched {:.1} %, margin error {:.2}{sign}",
                100.0 * score.policy_optimal,
                100.0 * score.search_optimal,
                score.margin_error
            ));
        }
        Ok(())
    }

    /// Scores the weights on the run's suite, where it is time.
    fn score(&mut self, weights: &Weights) {
        let start = Instant::now();
        let generation = self.record.generation;
        let is_last = generation == self.config.generations || self.is_out_of_time();
        let due = self.scoring.as_ref().filter(|scoring| is_last || scoring.is_due(generation));
        self.record.suite = due.map(|scoring| scoring.score(weights, self.isa));
        self.record.seconds += start.elapsed().as_secs_f64();
    }

    fn play(&self, generation: u64, path: &Path) -> Result<(Shard, Played), RunError> {
        let start = Instant::now();
        let inference = inference(&self.config, self.learner.average(), self.isa)?;
        let games = self.config.selfplay.games;
        let progress = Progress::new(format!("generation {generation}: games"), games);
        // What the solver did not settle a generation ago is where there is most to learn.
        let beyond = self.replay.newest().iter().filter(|sample| !sample.is_exact);
        let starts: Vec<BoardState> = beyond.map(|sample| sample.state).collect();
        let finished = |done| progress.at(done);
        let (mut rows, costs) = play_games(&self.config, self.board, &inference, generation, &starts, &finished);
        progress.finish();
        let playing = start.elapsed().as_secs_f64();
        let positions = self.config.study.positions;
        if positions > 0 {
            let progress = Progress::new(format!("generation {generation}: positions studied"), positions);
            rows.extend(label_positions(&self.config, self.board, generation, &|done| progress.at(done)));
            progress.finish();
        }
        let studying = start.elapsed().as_secs_f64() - playing;
        let shard = Shard { board: self.board, generation, games: games as u64, rows };
        let shard = without_suite(shard, &self.scoring);
        if shard.rows.is_empty() && self.replay.len() == 0 {
            return Err(RunError::NoRows { games: games as u64 });
        }
        shard.write(path).map_err(|error| file_error(path, error))?;
        Ok((shard, Played { costs, playing, studying }))
    }

    fn fill_record(&mut self, generation: u64, learnt: &StepMetrics, margin_error: Option<f64>) {
        let r = &mut self.record;
        r.generation = generation;
        r.steps = self.learner.steps();
        r.policy_loss = learnt.policy_loss;
        r.margin_loss = learnt.margin_loss;
        r.edge_loss = self.config.learn.learns_edges().then_some(learnt.edge_loss);
        r.policy_entropy = learnt.policy_entropy;
        r.gradient_norm = learnt.gradient_norm;
        r.learning_rate = learnt.learning_rate;
        r.margin_error = margin_error;
        r.window_rows = self.replay.len() as u64;
    }

    /// What the generation took: seconds in all, and what its rows took, unless they were there.
    fn fill_costs(&mut self, total: f64, played: Option<Played>) {
        let r = &mut self.record;
        r.seconds += total;
        let Some(Played { costs, playing, studying }) = played else { return };
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
        r.share_study = studying / total;
        r.share_learning = (total - playing - studying) / total;
    }
}

/// A shard without the positions that the run is scored on.
fn without_suite(mut shard: Shard, scoring: &Option<Scoring>) -> Shard {
    if let Some(scoring) = scoring {
        shard.rows.retain(|row| !scoring.holds(row.state));
    }
    shard
}

/// Mean distance of the expected margin from the proved one, over at most 200 proved rows, if there are any.
fn margin_error(weights: &Weights, isa: Isa, rows: &[Sample]) -> Option<f64> {
    const MOST: usize = 200;
    let mut evaluator = NetworkEvaluator::new(Arc::new(Network::new(weights, isa)));
    let mut evaluation = Evaluation::BLANK;
    let is_asked = |row: &&Sample| row.is_exact && !row.state.is_over();
    let exact: Vec<&Sample> = rows.iter().filter(is_asked).collect();
    // Spread over all games, which differ in length and end in the same positions.
    let sample = exact.iter().step_by(exact.len().div_ceil(MOST).max(1));
    let errors: Vec<f64> = sample
        .map(|row| {
            evaluator.evaluate(row.state, &mut evaluation);
            (evaluation.expected_margin(weights.board.boxes()) - row.margin as f32).abs() as f64
        })
        .collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}
