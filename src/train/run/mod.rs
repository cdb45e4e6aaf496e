//! A run: generations of self-play and learning, each ended by a checkpoint, in a folder that can
//! be resumed.

mod earlier;
mod error;
mod folder;
mod generation;
mod isa;
mod margin_error;
mod open;

use std::fs::File;
use std::path::{Path, PathBuf};

pub use error::RunError;
use folder::START;

use super::config::Config;
use super::environment::Environment;
use super::learner::Learner;
use super::logs::Logs;
use super::record::Record;
use super::replay::Replay;
use super::scoring::Scoring;
use crate::board::Board;

/// The things that a new run takes over instead of starting from nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart<'a> {
    /// The weights to continue from, in any form that [`load_weights`](super::load_weights) reads.
    ///
    /// They are [grown](super::grow) where the config's network is larger. The optimiser and the
    /// games start afresh.
    pub weights: Option<&'a Path>,
    /// The folder of a run whose newest training samples fill the window: [`window_samples`] of them
    /// or a few more.
    ///
    /// [`window_samples`]: super::LearnConfig::window_samples
    pub samples: Option<&'a Path>,
    /// `true` to resume also from a checkpoint of the first versions, which has no checksums.
    pub accepts_old: bool,
}

/// A run in its folder.
pub struct Training {
    folder: PathBuf,
    config: Config,
    environment: Environment,
    board: Board,
    learner: Learner,
    replay: Replay,
    scoring: Option<Scoring>,
    logs: Logs,
    record: Record,
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
        self.replay.len()
    }

    /// Returns `true` if the run started from weights, which are kept in its folder, rather than
    /// from fresh ones.
    pub fn has_start(&self) -> bool {
        self.folder.join(START).exists()
    }

    /// Returns the run's config.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Runs to the last generation, or to the end of the generation in which the config's minutes
    /// run out.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, or if learning diverges. Generations
    /// that were finished before are kept.
    pub fn run(&mut self) -> Result<(), RunError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.config.workers()).build()?;
        pool.install(|| {
            while self.record.generation < self.config.generations && !self.is_out_of_time() {
                self.run_generation()?;
            }
            Ok(())
        })
    }

    fn is_out_of_time(&self) -> bool {
        self.config.minutes > 0.0 && self.record.seconds >= 60.0 * self.config.minutes
    }
}
