//! A run's start: fresh, from what another run left, or from its own newest checkpoint.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::counts::Counts;
use super::earlier::{check_earlier, earlier_shards, newest_shards, write_earlier};
use super::error::{RunError, file_error};
use super::folder::{
    LABELS, check_empty, check_games, check_network, check_resumed, kept_config, lock, parts_path, played,
    start_weights, write_config, write_start, write_suites,
};
use super::go_back::{GOING_BACK, finish_going_back};
use super::isa::isa_of_run;
use super::memory::check_memory;
use super::{Training, WarmStart};
use crate::learn::device::device;
use crate::learn::learner::{Learner, Steps};
use crate::run::context::RunContext;
use crate::run::held_out::HeldOut;
use crate::run::logs::Logs;
use crate::run::scoring::Scoring;
use doublecross_core::board::Board;
use doublecross_core::net::Isa;
use doublecross_core::shell::shell_word;
use doublecross_files::{create_folders, write_whole};
use doublecross_proof::Books;
use doublecross_run::checkpoint;
use doublecross_run::checkpoint::{Checkpoint, CheckpointError, RunState, newest_generation};
use doublecross_run::config::{Config, GenerationConfig};
use doublecross_run::config::{Course, learning_rate};
use doublecross_run::initial_weights;
use doublecross_run::layout::shard_path;
use doublecross_run::observer::{Event, Observer};
use doublecross_run::{IsaSetting, Record, Stopwatch};
use doublecross_selfplay::{DataSet, Kinds, PartFile, Shard, Window};

impl Training {
    /// Starts a run in `folder`, or resumes the one that is there. A warm start is copied into the
    /// folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, or if it holds a run with other settings,
    /// a run that started otherwise than `warm_start` says, a run with more generations than the
    /// config asks for, a damaged run, or files of something else. Nothing has been written then.
    /// Returns an error if the weights of `warm_start` are neither those of the config's network nor
    /// of a smaller one, or if its samples are of other boards.
    pub fn open(
        folder: &Path,
        mut config: Config,
        warm_start: WarmStart<'_>,
        context: RunContext,
    ) -> Result<Training, RunError> {
        if folder.is_file() {
            let hint = "give --run a folder".into();
            return Err(RunError::NotARun { path: shell_word(folder), found: "no run: it is a file".into(), hint });
        }
        let boards = config.boards();
        let board = boards[0];
        // The program has to have the processor that the run learns on.
        device(config.resources.learn_device)?;
        check_book(&config, &context.books)?;
        check_memory(&config)?;
        // A refused start writes nothing: everything is read and checked before the first write.
        if folder.join(GOING_BACK).exists() {
            let _lock = lock(folder)?;
            finish_going_back(folder)?;
        }
        let found = Found::of(folder)?;
        let held = if found.is_new() { None } else { Some(lock(folder)?) };
        let checkpoint = Checkpoint::newest(folder)?;
        let observer = &*context.observer;
        let kept = if found.is_new() { None } else { Some(kept_config(folder, checkpoint.as_ref())?) };
        let isa = isa_of_run(folder, kept.as_ref().map_or(IsaSetting::Auto, |kept| kept.isa), config.isa, context.isa)?;
        match &kept {
            None => check_empty(folder)?,
            Some(kept) => check_resumed(folder, kept, &config, checkpoint.as_ref(), found.played)?,
        }
        config.isa = IsaSetting::Named(isa);
        Logs::check(folder).map_err(|(path, error)| file_error(&path, error))?;
        match &checkpoint {
            Some(checkpoint) => check_games(folder, checkpoint.state.generation)?,
            None if found.played > 1 => {
                return Err(RunError::Lost { path: shell_word(folder), generations: found.played });
            }
            None => {}
        }
        let done = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.state.generation);
        if config.generations < done {
            let (path, asked) = (shell_word(folder), config.generations);
            return Err(RunError::Longer { path, done, asked });
        }
        // The network's shape and the window's size are those of the last generation that was done.
        let (first, present) = (config.at(1), config.at(done.max(1)));
        let start = start_weights(folder, &config, warm_start.weights, !found.is_new(), observer)?;
        let earlier = match warm_start.samples {
            Some(other) if found.is_new() => Some(newest_shards(folder, other, first.learn.window_samples, &boards)?),
            Some(other) => check_earlier(folder, other).map(|()| None)?,
            None => None,
        };
        let (learner, record) = match &checkpoint {
            None => {
                let fresh = || initial_weights(board, first.architecture(), config.seed);
                let start = start.clone().unwrap_or_else(fresh);
                (Learner::new(&config, &first.learn, &start, isa)?, Record::default())
            }
            Some(checkpoint) => {
                let learner = resumed_learner(folder, &config, &present, checkpoint, isa)?;
                (learner, checkpoint.state.record.clone())
            }
        };
        let data_set = if done < config.generations { data_set(folder, &config, found.is_new())? } else { None };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.resources.threads.unwrap_or(0)).build()?;
        let scoring = pool.install(|| Scoring::new(&config, &boards, observer));
        let given = if found.is_new() { (*context.held_out).clone() } else { context.held_out.kept_in(folder)? };
        let mut held_out = given.clone();
        scoring.iter().for_each(|scoring| held_out.add(&scoring.held_out));
        let window = resumed_window(folder, &config, &boards, &record, &held_out, earlier.as_deref())?;
        if let Some(kept) = kept.filter(|_| record.generation > 0) {
            report_extension(&kept, &config, &record, learner.steps(), observer);
        }

        create_folders(&folder.join("shards")).map_err(|error| file_error(folder, error))?;
        let lock = held.map_or_else(|| lock(folder), Ok)?;
        if Found::of(folder)? != found {
            // Another process has begun or continued the run meanwhile.
            return Err(RunError::Busy { path: shell_word(folder) });
        }
        if let Some(earlier) = earlier {
            let earlier: Vec<Shard> = earlier.into_iter().map(|shard| held_out.without(shard)).collect();
            write_earlier(folder, &earlier)?;
        }
        // Before the config, so that a run is never taken for one from fresh weights.
        if let Some(start) = start.filter(|_| found.is_new()) {
            write_start(folder, &start)?;
        }
        if found.is_new() {
            given.write(folder)?;
        }
        write_config(folder, &config)?;
        write_suites(folder, board, &scoring)?;
        if let Some(data_set) = &data_set {
            let path = folder.join(LABELS);
            write_whole(&path, data_set.settings().as_bytes()).map_err(|error| file_error(&path, error))?;
        }
        checkpoint::remove_stale_files(folder, record.generation);
        remove_stale_games(folder, record.generation);
        let last = checkpoint.as_ref().map(|checkpoint| &checkpoint.state.record);
        let logs = Logs::open(folder, last, observer).map_err(|error| file_error(folder, error))?;
        let folder = folder.into();
        Ok(Training {
            folder,
            config,
            present,
            context,
            learner,
            window,
            scoring,
            held_out,
            data_set,
            logs,
            opened: record.generation,
            exchange: Arc::default(),
            clock: Stopwatch::start(),
            record,
            _lock: lock,
        })
    }
}

/// The parts of a run that are in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    /// The generation of the newest checkpoint.
    newest: Option<u64>,
    /// The newest generation with games, or 0.
    played: u64,
}

impl Found {
    fn of(folder: &Path) -> Result<Found, RunError> {
        Ok(Found { newest: newest_generation(folder)?, played: played(folder) })
    }

    /// Returns `true` if there is no run, or one without games, which may start with any config.
    fn is_new(self) -> bool {
        self.newest.is_none() && self.played == 0
    }
}

/// Removes what a kill between a step and its clean-up has left beside the shards, given the newest
/// generation.
fn remove_stale_games(folder: &Path, newest: u64) {
    Counts::remove(folder, newest);
    for generation in [newest, newest + 1] {
        if shard_path(folder, generation).exists() {
            PartFile::remove(&parts_path(folder, generation));
        }
    }
}

/// Reports a change of the learning rate that another number of generations brings.
fn report_extension(kept: &Config, config: &Config, record: &Record, steps: Steps, observer: &dyn Observer) {
    let next = record.generation + 1;
    let rate = |config: &Config| {
        let course = Course::at(config, next);
        let steps = if course.first == next { 0 } else { steps.in_course() };
        learning_rate(&config.at(next).learn, steps, course.share_done(next))
    };
    let learning_rates = [rate(kept), rate(config)];
    // Without a generation to come there is no rate to report.
    if record.generation < config.generations
        && kept.generations != config.generations
        && learning_rates[0] != learning_rates[1]
    {
        let (before, after) = (kept.generations, config.generations);
        let Course { first, last } = Course::at(kept, next);
        observer.report(Event::Extended { before, after, learning_rates, course: last + 1 - first });
    }
}

/// Opens the folder that a run's labels come from, if they do. It may have moved, but those of a run in `folder` that
/// goes on are made with the same settings.
fn data_set(folder: &Path, config: &Config, is_new: bool) -> Result<Option<DataSet>, RunError> {
    let Some(labels) = &config.labeled.data else { return Ok(None) };
    let data_set = DataSet::open(Path::new(labels))?;
    data_set.check(config.board)?;
    if !is_new {
        data_set.check_settings(&fs::read_to_string(folder.join(LABELS)).unwrap_or_default())?;
    }
    Ok(Some(data_set))
}

/// Checks that there is a book of one of the run's boards, if its games begin with positions of one.
fn check_book(config: &Config, books: &Books) -> Result<(), RunError> {
    let board = config.board;
    let share = |first| config.at(first).selfplay.book_share;
    match config.first_generations().map(share).find(|&share| share > 0.0) {
        Some(share) if config.boards().iter().all(|&board| books.of(board).is_none_or(|book| book.is_empty())) => {
            let known: Vec<String> = books.iter().map(|book| book.board().to_string()).collect();
            Err(RunError::NoBook { share, board, known: known.join(", ") })
        }
        _ => Ok(()),
    }
}

/// Returns the learner that a checkpoint of the run in `folder` describes.
fn resumed_learner(
    folder: &Path,
    config: &Config,
    present: &GenerationConfig,
    checkpoint: &Checkpoint,
    isa: Isa,
) -> Result<Learner, RunError> {
    let RunState { generation, steps, steps_before_course, .. } = checkpoint.state;
    for weights in [&checkpoint.ema, &checkpoint.weights] {
        check_network(&checkpoint::folder(folder, generation), weights, config.board, present)?;
    }
    let mut learner = Learner::new(config, &present.learn, &checkpoint.weights, isa)?;
    let ema = checkpoint.ema.tensors.clone();
    let steps = Steps { taken: steps, before_course: steps_before_course };
    learner.restore(ema, steps, &checkpoint.optimizer).map_err(|error| CheckpointError::Damaged {
        path: shell_word(checkpoint::optimizer_path(folder, generation)),
        error: error.to_string(),
    })?;
    Ok(learner)
}

/// Returns the window of the run in `folder`: its own newest shards, then those of its warm start,
/// which are given for a new run, newest first.
fn resumed_window(
    folder: &Path,
    config: &Config,
    boards: &[Board],
    record: &Record,
    held_out: &HeldOut,
    earlier: Option<&[Shard]>,
) -> Result<Window, RunError> {
    // A generation's board follows from the config that the run keeps, and is checked with it.
    let board_of = |generation| config.board_of(generation);
    let read = |generation| Shard::read_of(&shard_path(folder, generation), generation, board_of(generation));
    let own = (1..=record.generation).rev().map(read);
    let kinds = |all: u64, played: u64| Kinds { exact: all.saturating_sub(played) as usize, played: played as usize };
    let total = kinds(record.samples, record.played_samples);
    let wanted = match record.generation {
        0 => {
            let samples = config.at(1).learn.window_samples;
            Kinds { exact: samples, played: samples }
        }
        // What an earlier phase left out of the window does not come back in a larger one.
        _ => kinds(record.window_samples, record.window_played),
    };
    let restored = match earlier {
        Some(earlier) => {
            let earlier = earlier.iter().cloned().map(|shard| Ok(held_out.without(shard)));
            Window::restore(total, wanted, own.chain(earlier))
        }
        None => {
            let earlier = earlier_shards(folder, boards).map(|shard| shard.map(|shard| held_out.without(shard)));
            Window::restore(total, wanted, own.chain(earlier))
        }
    };
    Ok(restored?)
}
