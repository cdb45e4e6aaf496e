//! Trials: runs of a variant, each with a seed, that take a given time.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::file_error;
use super::kept::read;
use super::stopwatch::Stopwatch;
use super::{TuneError, Variant};
use crate::{RunContext, Training, WarmStart};
use doublecross_core::shell::shell_word;
use doublecross_files::{create_folders, write_whole};
use doublecross_run::checkpoint::newest_generation;
use doublecross_run::{Config, Event, Observer};

/// The share of a trial's time that is spent on finding out how many generations fit into it.
const PROBE_SHARE: f64 = 0.1;

/// The fewest generations of a probe. The first one's games are those of fresh weights.
const PROBE_GENERATIONS: u64 = 4;

/// The most generations of a run.
const MOST_GENERATIONS: u64 = 1_000_000;

/// The trials of a variant, in a folder of their own.
pub(super) struct Trials<'a> {
    /// The folder.
    pub folder: PathBuf,
    /// The variant.
    pub variant: &'a Variant,
    /// The processor time of a trial, in seconds.
    pub seconds: f64,
}

impl Trials<'_> {
    /// Returns the folder of a trial's run.
    pub fn run_folder(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("seed-{seed}"))
    }

    /// Trains a trial to its end, or goes on with it, and returns the generations and the seconds of
    /// processor time that it took.
    pub fn train(&self, seed: u64, context: &RunContext) -> Result<(u64, f64), TuneError> {
        let (generations, folder) = (self.generations(context)?, self.run_folder(seed));
        let times = self.folder.join(format!("seed-{seed}.seconds"));
        let sums = if newest_generation(&folder)? == Some(generations) {
            Stopwatch::start(context.observer.clone(), Some(times))?.sums()?
        } else {
            let config = Config { seed, generations, ..self.variant.config.clone() };
            train(&folder, config, context, Some(times))?
        };
        Ok((generations, sums.last().copied().unwrap_or(0.0)))
    }

    /// Returns the number of generations that take a trial's time. It is measured once and kept, so
    /// that all trials of the variant have the same.
    fn generations(&self, context: &RunContext) -> Result<u64, TuneError> {
        let path = self.folder.join("generations");
        if let Some(text) = read(&path)? {
            let reason =
                || format!("{:?} is not a number of generations (the config.toml of the runs have it)", text.trim());
            let damaged = || TuneError::Damaged { path: shell_word(&path), reason: reason() };
            return text.trim().parse().ok().filter(|&generations| generations > 0).ok_or_else(damaged);
        }
        let generations = self.probe(context)?;
        write_whole(&path, format!("{generations}\n").as_bytes()).map_err(file_error(&path))?;
        Ok(generations)
    }

    /// Trains for a tenth of a trial's time, or longer where that is less than a few generations.
    /// Returns the number of generations that take the whole time if each takes as long as those of
    /// the probe's last part.
    fn probe(&self, context: &RunContext) -> Result<u64, TuneError> {
        let folder = self.folder.join("probe");
        remove(&folder)?;
        create_folders(&folder).map_err(file_error(&folder))?;
        let observer: Arc<dyn Observer> = Arc::new(Quiet(context.observer.clone()));
        let context = RunContext { observer, ..context.clone() };
        let mut config = self.variant.config.clone();
        (config.suite.positions, config.learn.schedule_generations) = (0, Some(MOST_GENERATIONS));
        config.generations = PROBE_GENERATIONS;
        let mut spent = 0.0;
        let generation = loop {
            let sums = train(&folder, config.clone(), &context, None)?;
            let last = sums.len() - 1;
            spent += sums[last];
            if spent >= PROBE_SHARE * self.seconds || config.generations >= MOST_GENERATIONS / 2 {
                // The first generation of a process takes longer, since what it needs is read first.
                break (sums[last] - sums[1]) / (last - 1).max(1) as f64;
            }
            config.generations *= 2;
        };
        remove(&folder)?;
        let generations = (self.seconds / generation.max(1e-6)).round();
        Ok((generations as u64).clamp(1, MOST_GENERATIONS))
    }
}

/// Trains a run to its end, and returns the sums of a [`Stopwatch`].
fn train(folder: &Path, config: Config, context: &RunContext, times: Option<PathBuf>) -> Result<Vec<f64>, TuneError> {
    let stopwatch = Arc::new(Stopwatch::start(context.observer.clone(), times)?);
    let context = RunContext { observer: stopwatch.clone(), ..context.clone() };
    Training::open(folder, config, WarmStart::default(), context)?.run()?;
    stopwatch.sums()
}

/// Removes a folder, if there is one.
fn remove(folder: &Path) -> Result<(), TuneError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(file_error(folder)(error)),
        _ => Ok(()),
    }
}

/// An observer that passes on nothing but the progress of tasks.
struct Quiet(Arc<dyn Observer>);

impl Observer for Quiet {
    fn report(&self, event: Event<'_>) {
        if let Event::Progress { .. } | Event::Ended(_) = event {
            self.0.report(event);
        }
    }
}
