//! Trials: runs of a variant, each with a seed.

use std::path::PathBuf;
use std::sync::Arc;

use super::{TuneError, Variant};
use crate::{HeldOut, RunContext, Training, WarmStart};
use doublecross_run::Config;
use doublecross_run::checkpoint::{newest_generation, record};

/// The trials of a variant, in a folder of their own.
pub(super) struct Trials<'a> {
    /// The folder.
    pub folder: PathBuf,
    /// The variant.
    pub variant: &'a Variant,
    /// Positions that no trial learns from.
    pub held_out: Arc<HeldOut>,
}

impl Trials<'_> {
    /// Returns the folder of a trial's run.
    pub fn run_folder(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("seed-{seed}"))
    }

    /// Trains a trial to its end, or goes on with it, and returns the seconds of processor time that
    /// it took.
    pub fn train(&self, seed: u64, context: &RunContext) -> Result<f64, TuneError> {
        let folder = self.run_folder(seed);
        let config = Config { seed, ..self.variant.config.clone() };
        let generations = config.generations;
        if newest_generation(&folder)? == Some(generations) {
            self.held_out.kept_in(&folder)?;
        } else {
            let context = RunContext { held_out: self.held_out.clone(), ..context.clone() };
            Training::open(&folder, config, WarmStart::default(), context)?.run()?;
        }
        Ok(record(&folder, generations).map_or(0.0, |record| record.processor_seconds))
    }
}
