//! A run: generations of self-play and learning, each ended by a checkpoint, in a folder that can
//! be resumed.

pub(crate) mod context;
mod counts;
mod earlier;
mod error;
mod folder;
mod generation;
mod go_back;
pub(crate) mod held_out;
mod isa;
mod logs;
mod margin_error;
pub(crate) mod memory;
mod open;
mod orders;
pub(crate) mod scoring;
mod tensorboard;
pub(crate) mod verifier;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use doublecross_run::layout::shard_path;
pub use error::RunError;
use error::panic_message;
use folder::START;
pub use folder::lock;
pub use go_back::go_back;
pub use verifier::{DifferingItem, Verification, Verifier};

use crate::learn::learner::Learner;
use crate::run::context::RunContext;
use crate::run::held_out::HeldOut;
use crate::run::logs::Logs;
use crate::run::scoring::Scoring;
use doublecross_run::Processor;
use doublecross_run::checkpoint;
use doublecross_run::config::{Config, GenerationConfig};
use doublecross_run::{Record, Stopwatch};
use doublecross_selfplay::{DataSet, Exchange, Window};

/// The time between two savings of what was played of a generation.
const SAVE: Duration = Duration::from_secs(10);

/// The things that a new run takes over instead of starting from nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart<'a> {
    /// The weights to continue from, in any form that [`load_weights`](doublecross_run::load_weights) reads.
    ///
    /// They are [grown](crate::grow) where the config's network is larger. The optimizer and the
    /// games start afresh.
    pub weights: Option<&'a Path>,
    /// The folder of a run whose newest training samples fill the window: [`window_samples`] of them
    /// or a few more.
    ///
    /// [`window_samples`]: doublecross_run::LearnConfig::window_samples
    pub samples: Option<&'a Path>,
}

/// A run in its folder.
pub struct Training {
    folder: PathBuf,
    config: Config,
    /// The config of the last generation that was begun.
    present: GenerationConfig,
    context: RunContext,
    learner: Learner,
    window: Window,
    scoring: Option<Scoring>,
    held_out: HeldOut,
    /// The labels that come from a folder.
    data_set: Option<DataSet>,
    logs: Logs,
    record: Record,
    /// The newest generation whose games were opened to be played.
    opened: u64,
    exchange: Arc<Exchange>,
    /// Started when the time of the run was last recorded.
    clock: Stopwatch,
    /// Held for as long as this lives. The operating system releases it however the process ends.
    _lock: File,
}

impl Training {
    /// Returns the number of generations finished so far.
    pub fn generation(&self) -> u64 {
        self.record.generation
    }

    /// Returns the number of training samples in the window.
    pub fn window(&self) -> usize {
        self.window.kinds().sum()
    }

    /// Returns `true` if the run started from weights, which are kept in its folder, rather than
    /// from fresh ones.
    pub fn has_start(&self) -> bool {
        self.folder.join(START).exists()
    }

    /// Returns `true` if there are all games of the generation after the last finished one.
    pub fn has_games_of_next_generation(&self) -> bool {
        shard_path(&self.folder, self.record.generation + 1).exists()
    }

    /// Returns the run's config.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Removes what only a return to an earlier generation needs, once all games are settled.
    pub fn trust_games(&self) {
        checkpoint::remove_kept_for_return(&self.folder, self.record.generation);
    }

    /// Returns the first generation with games that turned out to be fakes after they were learned
    /// from.
    pub fn first_fake(&self) -> Option<u64> {
        self.exchange.first_fake()
    }

    /// Returns the exchange that hands out the run's games while it [runs](Training::run).
    pub fn exchange(&self) -> &Arc<Exchange> {
        &self.exchange
    }

    /// Runs to the last generation, or to the end of the generation in which the config's minutes
    /// run out.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, if learning diverges, or if the
    /// [context](RunContext::stop) ends the run. Generations that were finished before are kept.
    pub fn run(&mut self) -> Result<(), RunError> {
        let pool = |threads: Option<usize>| rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
        let threads = self.config.resources.threads;
        let (learners, players) = (pool(threads)?, pool(threads)?);
        let exchange = &*self.exchange.clone();
        self.clock = Stopwatch::start();
        thread::scope(|threads| {
            // What is played ahead is saved while the network learns, too.
            let saver = thread::Builder::new().name("saver".into());
            saver.spawn_scoped(threads, || exchange.save_every(SAVE)).map_err(RunError::Saver)?;
            learners.install(|| {
                players.in_place_scope(|scope| {
                    // A panic is the learner's to report, and not the pool's.
                    let play = move || drop(catch_unwind(AssertUnwindSafe(|| exchange.play())));
                    scope.spawn_broadcast(move |_, _| play());
                    let _closing = Closing(exchange);
                    self.run_generations()
                })
            })
        })
    }

    fn run_generations(&mut self) -> Result<(), RunError> {
        let done = self.run_whole_generations();
        // What was played ahead is there when the run goes on.
        if matches!(done, Ok(()) | Err(RunError::Stopped)) {
            self.save_parts()?;
        }
        done
    }

    fn run_whole_generations(&mut self) -> Result<(), RunError> {
        while self.record.generation < self.config.generations && !self.is_out_of_time() {
            self.check_stop()?;
            match self.config.resources.learn_device {
                Processor::Cpu => self.run_generation()?,
                // burn panics where a driver reports an error. Nothing goes on from the learner that it leaves.
                Processor::Gpu => catch_unwind(AssertUnwindSafe(|| self.run_generation()))
                    .unwrap_or_else(|panic| Err(RunError::GpuFailed { reason: panic_message(&*panic) }))?,
            }
        }
        Ok(())
    }

    /// Checks that the run was not asked to end.
    fn check_stop(&self) -> Result<(), RunError> {
        if self.context.stop.load(Ordering::Relaxed) { Err(RunError::Stopped) } else { Ok(()) }
    }

    /// Returns `true` if the config's minutes are used up.
    pub fn is_out_of_time(&self) -> bool {
        self.config.resources.minutes.is_some_and(|minutes| self.record.seconds >= 60.0 * minutes)
    }
}

/// Ends the players when the learner ends, however it does.
struct Closing<'a>(&'a Exchange);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close(true);
    }
}
