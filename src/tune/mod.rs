//! Tuning: variants of a config, trained for equal time and compared.
//!
//! [`Tuning`] is the type to start with. Each [`Variant`] is trained with several seeds, scored on a
//! suite that no run has seen, and played against the first variant until a sequential test has its
//! verdict. A folder keeps all of it, so that tuning goes on where it was stopped. This module may
//! use everything above `tune` in the list of layers in [the crate's documentation](crate).

mod error;
mod games;
mod stopwatch;
mod trial;
mod variant;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub use error::TuneError;
pub use games::Comparison;
pub use variant::{Changes, Variant};

use error::file_error;
use games::{GameSettings, Opponents, compare};
use serde::{Deserialize, Serialize};
use trial::Trials;

use crate::arena::BotSpec;
use crate::board::Board;
use crate::eval::{Band, PositionKind, Suite, SuiteBand, SuiteSettings, draw_suite, evaluate_suite};
use crate::net::{Isa, Network};
use crate::search::Budget;
use crate::statistics::Sprt;
use crate::train::files::write_whole;
use crate::train::{Config, Environment, load_weights};

/// The seed of the suite.
const SUITE_SEED: u64 = 1;

/// The settings that all variants are compared by.
#[derive(Clone, Copy, Debug)]
pub struct TuneSettings {
    /// The minutes of a trial on all threads of its config, each of which counts as one processor.
    pub minutes: f64,
    /// The number of positions of the suite.
    pub positions: usize,
    /// The simulations of each search on the suite and in games, which have no solver.
    pub simulations: usize,
    /// The most games of a comparison.
    pub games: usize,
    /// The test that ends it.
    pub sprt: Sprt,
}

/// Variants of a config, and the folder of their trials.
pub struct Tuning {
    folder: PathBuf,
    settings: TuneSettings,
    variants: Vec<Variant>,
    environment: Environment,
    board: Board,
    suite: Suite,
}

/// A run of a variant, and its score on the suite.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// The run's folder.
    pub folder: PathBuf,
    /// The number of generations.
    pub generations: u64,
    /// The minutes that it took on all its threads.
    pub minutes: f64,
    /// The score of the run's network.
    pub score: Band,
}

/// The settings that a folder's trials have in common, as they are kept in it.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    board: String,
    minutes: f64,
    positions: usize,
    least_undrawn: usize,
    most_undrawn: usize,
}

impl Tuning {
    /// Starts to tune in `folder`, or goes on there. All variants are compared with the first one.
    /// The suite has the range of undrawn edges of its config's `[suite]`; drawing it calls `report`
    /// with the number of positions that are there, now and then.
    ///
    /// # Errors
    /// Returns an error if two variants have the same name or differ in their board, the folder holds
    /// trials with other settings, or a file cannot be read or written.
    ///
    /// # Panics
    /// Panics if there is no variant.
    pub fn open(
        folder: &Path,
        settings: TuneSettings,
        variants: Vec<Variant>,
        environment: Environment,
        report: &(dyn Fn(usize) + Sync),
    ) -> Result<Tuning, TuneError> {
        let first = &variants.first().expect("there should be a variant to compare with").config;
        let board = first.board()?;
        for (number, variant) in variants.iter().enumerate() {
            let name = &variant.name;
            if variants[..number].iter().any(|other| other.name == *name) {
                return Err(TuneError::Variants(format!("two variants are called {name}; expected different names")));
            }
            if variant.config.board()? != board {
                let reason = format!("{name} is for {}, and {} for {board}", variant.config.board, variants[0].name);
                return Err(TuneError::Variants(format!("{reason}; expected one board")));
            }
        }
        fs::create_dir_all(folder).map_err(file_error(folder))?;
        let suite = first.suite.clone();
        check_kept(
            &folder.join("tune.json"),
            &Kept {
                board: board.to_string(),
                minutes: settings.minutes,
                positions: settings.positions,
                least_undrawn: suite.least_undrawn,
                most_undrawn: suite.most_undrawn,
            },
        )?;
        let suite = fresh_suite(&folder.join("suite.tsv"), board, first, settings.positions, report)?;
        Ok(Tuning { folder: folder.into(), settings, variants, environment, board, suite })
    }

    /// Returns the variants.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// Returns the suite.
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// Trains a variant with this seed to its end, or goes on with it, and scores it. `progress` is
    /// called with the number of positions that are scored.
    ///
    /// # Errors
    /// Returns an error if the run cannot go on, or has other settings than the variant.
    pub fn trial(&self, variant: usize, seed: u64, progress: &(dyn Fn(usize) + Sync)) -> Result<Trial, TuneError> {
        let trials = self.trials(variant);
        fs::create_dir_all(&trials.folder).map_err(file_error(&trials.folder))?;
        let (generations, seconds) = trials.train(seed)?;
        let folder = trials.run_folder(seed);
        let network = Network::checked(&load_weights(&folder)?, self.isa())?;
        let mut budget = Budget::new(self.settings.simulations, 0);
        budget.settings.margin_weight = 1.0;
        let score = evaluate_suite(&network, &self.suite, &budget, progress).pop();
        let score = score.expect("the band of all positions should be last");
        let minutes = seconds / 60.0 / threads(&trials.variant.config);
        Ok(Trial { seed, folder, generations, minutes, score })
    }

    /// Plays a variant against the first one, network against network of the same seed, up to this
    /// number of seeds. `progress` is called with the number of games now and then.
    ///
    /// # Errors
    /// Returns an error if a run has no weights, or the log of games cannot be read or written.
    pub fn compare(&self, variant: usize, seeds: u64, progress: &dyn Fn(usize)) -> Result<Comparison, TuneError> {
        let both = [self.trials(variant), self.trials(0)];
        let simulations = self.settings.simulations;
        let opponents = (1..=seeds).map(|seed| {
            let bot = |trials: &Trials<'_>| {
                let spec = BotSpec::network(&trials.run_folder(seed), &format!("sims={simulations},nodes=0"))?;
                spec.factory_with(self.isa(), |path| load_weights(path).map_err(|error| error.to_string()))
            };
            let name = |trials: &Trials<'_>| format!("{}/seed-{seed},sims={simulations}", trials.variant.name);
            let [one, other] = &both;
            Ok(Opponents { names: [name(one), name(other)], bots: [bot(one)?, bot(other)?] })
        });
        let opponents = opponents.collect::<Result<Vec<_>, TuneError>>()?;
        let log = both[0].folder.join("games.jsonl");
        let TuneSettings { games, sprt, .. } = self.settings;
        let settings = GameSettings { board: self.board, isa: self.isa(), games, sprt, log: &log };
        compare(&settings, &opponents, progress)
    }

    fn trials(&self, variant: usize) -> Trials<'_> {
        let variant = &self.variants[variant];
        Trials {
            folder: self.folder.join(&variant.name),
            variant,
            seconds: 60.0 * self.settings.minutes * threads(&variant.config),
            environment: &self.environment,
        }
    }

    /// The instruction set of searches and games.
    fn isa(&self) -> Isa {
        self.environment.isa.unwrap_or_else(Isa::fastest)
    }
}

/// The number of threads that a run with this config keeps busy.
fn threads(config: &Config) -> f64 {
    match config.threads {
        0 => std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64),
        threads => threads as f64,
    }
}

/// Checks the settings that a folder keeps against those that were asked for, and keeps these if it
/// has none.
fn check_kept(path: &Path, asked: &Kept) -> Result<(), TuneError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = serde_json::to_string(asked).expect("the settings should be plain") + "\n";
            return write_whole(path, text.as_bytes()).map_err(file_error(path));
        }
        text => text.map_err(file_error(path))?,
    };
    let damaged =
        |error: serde_json::Error| TuneError::Damaged { path: path.display().to_string(), reason: error.to_string() };
    let found: Kept = serde_json::from_str(&text).map_err(damaged)?;
    for (key, found, asked) in [
        ("board", found.board, asked.board.clone()),
        ("minutes", found.minutes.to_string(), asked.minutes.to_string()),
        ("positions", found.positions.to_string(), asked.positions.to_string()),
        ("suite.least_undrawn", found.least_undrawn.to_string(), asked.least_undrawn.to_string()),
        ("suite.most_undrawn", found.most_undrawn.to_string(), asked.most_undrawn.to_string()),
    ] {
        if found != asked {
            return Err(TuneError::OtherSettings { path: path.display().to_string(), key, found, asked });
        }
    }
    Ok(())
}

/// Reads the suite in a folder, or draws it.
fn fresh_suite(
    path: &Path,
    board: Board,
    config: &Config,
    positions: usize,
    report: &(dyn Fn(usize) + Sync),
) -> Result<Suite, TuneError> {
    if !path.exists() {
        let most = config.suite.most_undrawn.clamp(1, board.edges());
        let least = config.suite.least_undrawn.clamp(1, most);
        let count = most - least + 1;
        let share = |number: usize| positions / count + (number < positions % count) as usize;
        let bands = (least..=most).rev().enumerate();
        let bands: BTreeMap<SuiteBand, usize> = bands
            .map(|(number, undrawn)| (SuiteBand { kind: PositionKind::Careful, undrawn }, share(number)))
            .collect();
        let nodes = config.suite.nodes;
        let settings = SuiteSettings { board, bands, seed: SUITE_SEED, nodes };
        let drawn = draw_suite(&settings, [], report);
        if drawn.is_empty() {
            return Err(TuneError::NoSuite { undrawn: format!("{least} to {most}"), nodes });
        }
        let lines = drawn.iter().map(|drawn| drawn.position.line(&drawn.kind.to_string()) + "\n");
        write_whole(path, lines.collect::<String>().as_bytes()).map_err(file_error(path))?;
    }
    Ok(Suite::read(path)?)
}
