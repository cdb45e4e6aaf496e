//! Tuning: variants of a config, trained and compared.
//!
//! [`Tuning`] is the type to start with. Each [`Variant`] is trained with several seeds, scored on a
//! suite that no run learns from, and played against the first variant. A folder keeps all of it, so
//! that tuning goes on where it was stopped.

mod error;
mod games;
mod kept;
mod suite;
mod trial;
mod variant;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

pub use error::TuneError;
pub use games::Comparison;
pub use variant::{Changes, Variant};

use error::file_error;
use games::{GameSettings, Opponents, compare};
use kept::{KeptSettings, check_config, read};
use suite::kept_suite;
use trial::Trials;

use crate::run::memory::check_memory;
use crate::{HeldOut, RunContext, RunError, lock};
use doublecross_arena::suite::{Band, Suite, bands, score_positions, suite_budget};
use doublecross_arena::{BotSpec, BuiltIn};
use doublecross_core::board::Board;
use doublecross_core::net::{Isa, Network};
use doublecross_core::shell::shell_word;
use doublecross_files::{create_folders, write_whole};
use doublecross_run::config::shown;
use doublecross_run::{Processor, load_weights};

/// The settings that all variants are compared by.
#[derive(Clone, Copy, Debug)]
pub struct TuneSettings {
    /// The number of positions of the suite.
    pub positions: usize,
    /// The simulations of each search on the suite and in games, which have no solver.
    pub simulations: usize,
    /// The games of a comparison, of all seeds together.
    pub games: usize,
    /// The instruction set of searches and games.
    pub isa: Isa,
}

/// Variants of a config, and the folder of their trials.
pub struct Tuning {
    folder: PathBuf,
    settings: TuneSettings,
    variants: Vec<Variant>,
    board: Board,
    suite: Suite,
    /// The suite's positions.
    held_out: Arc<HeldOut>,
    /// Held for as long as this lives.
    _lock: File,
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
    /// The minutes of processor time that it took, without those of its own suite and of work that a
    /// kill cut off.
    pub processor_minutes: f64,
    /// The score of the run's network, or the reason why it has none: learning diverged.
    pub score: Result<TrialScore, String>,
}

/// The score of a trial on the common suite.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialScore {
    /// The figures of all positions.
    pub all: Band,
    /// For each position, in their order, `true` if the policy's first edge is optimal.
    pub policy_optimal: Vec<bool>,
    /// For each position, `true` if the searched edge is optimal.
    pub search_optimal: Vec<bool>,
}

/// The score of a trial, as it is kept beside its run.
#[derive(Serialize, Deserialize)]
struct KeptScore {
    /// The checksum of the weights.
    weights: u32,
    /// The checksum of the suite.
    suite: u32,
    simulations: usize,
    score: TrialScore,
}

impl Tuning {
    /// Starts to tune in `folder`, or goes on there. All variants are compared with the first one.
    /// The suite has the range of undrawn edges of its config's `[suite]`; drawing it calls `report`
    /// with the number of positions that are there, now and then.
    ///
    /// The seed and the minutes of the configs are replaced.
    ///
    /// # Errors
    /// Returns an error if variants cannot be compared, the folder was begun with other settings or
    /// is worked on by another process, or a file cannot be read or written.
    ///
    /// # Panics
    /// Panics if there is no variant.
    pub fn open(
        folder: &Path,
        settings: TuneSettings,
        mut variants: Vec<Variant>,
        report: &(dyn Fn(usize) + Sync),
    ) -> Result<Tuning, TuneError> {
        assert!(!variants.is_empty(), "there should be a variant to compare with");
        let board = check_variants(&variants)?;
        for Variant { config, .. } in &mut variants {
            (config.seed, config.resources.minutes) = (1, None);
            check_memory(config)?;
        }
        create_folders(folder).map_err(file_error(folder))?;
        let path = folder.join("tune.json");
        if !path.exists() {
            check_new(folder)?;
        }
        let lock = lock(folder)?;
        let kept = KeptSettings::new(&variants[0].config.suite_on(board), settings.positions);
        let suite_path = folder.join("suite.tsv");
        if suite_path.exists() {
            kept.check(&path)?;
        }
        for Variant { name, config } in &variants {
            check_config(&folder.join(name).join("config.toml"), config)?;
        }
        // Before the suite, which is not drawn again.
        kept.write(&path)?;
        let suite = kept_suite(&suite_path, &variants[0].config.suite_on(board), settings.positions, report)?;
        for Variant { name, config } in &variants {
            let folder = folder.join(name);
            create_folders(&folder).map_err(file_error(&folder))?;
            let path = folder.join("config.toml");
            write_whole(&path, config.to_toml().as_bytes()).map_err(file_error(&path))?;
        }
        let held_out = suite.positions.iter().map(|position| position.state).collect();
        let (folder, held_out) = (folder.into(), Arc::new(held_out));
        Ok(Tuning { folder, settings, variants, board, suite, held_out, _lock: lock })
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
    /// Returns an error if the run cannot go on.
    pub fn trial(
        &self,
        variant: usize,
        seed: u64,
        context: &RunContext,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Trial, TuneError> {
        let trials = self.trials(variant);
        let folder = trials.run_folder(seed);
        let seconds = match trials.train(seed, context) {
            Err(TuneError::Run(error @ RunError::Diverged { .. })) => {
                let score = Err(error.to_string());
                return Ok(Trial { seed, folder, generations: 0, processor_minutes: 0.0, score });
            }
            trained => trained?,
        };
        let generations = trials.variant.config.generations;
        let kept = trials.folder.join(format!("seed-{seed}.json"));
        let score = Ok(self.score(&folder, &kept, progress, &context.stop)?);
        Ok(Trial { seed, folder, generations, processor_minutes: seconds / 60.0, score })
    }

    /// Scores the network of a run, unless the file at `path` has the score already.
    fn score(
        &self,
        run: &Path,
        path: &Path,
        progress: &(dyn Fn(usize) + Sync),
        stop: &Arc<AtomicBool>,
    ) -> Result<TrialScore, TuneError> {
        let weights = load_weights(run)?;
        let (checksum, simulations) = (crc32fast::hash(&weights.to_bytes()), self.settings.simulations);
        let lines = self.suite.positions.iter().map(|position| position.line(""));
        let suite = crc32fast::hash(lines.collect::<String>().as_bytes());
        // What cannot be read is scored again.
        let kept = read(path)?.and_then(|text| serde_json::from_str::<KeptScore>(&text).ok());
        if let Some(kept) =
            kept.filter(|kept| (kept.weights, kept.suite, kept.simulations) == (checksum, suite, simulations))
        {
            return Ok(kept.score);
        }
        let network = Network::checked(&weights, self.settings.isa)?;
        let scores = score_positions(&network, &self.suite, &suite_budget(simulations, 0), progress, stop);
        let scores = scores.ok_or(RunError::Stopped)?;
        let score = TrialScore {
            all: bands(&self.suite, &scores).pop().expect("the band of all positions should be last"),
            policy_optimal: scores.iter().map(|score| score.is_policy_optimal).collect(),
            search_optimal: scores.iter().map(|score| score.is_search_optimal).collect(),
        };
        let kept = KeptScore { weights: checksum, suite, simulations, score };
        let text = serde_json::to_string(&kept).expect("a score should be plain") + "\n";
        write_whole(path, text.as_bytes()).map_err(file_error(path))?;
        Ok(kept.score)
    }

    /// Plays a variant against the first one, network against network of the same seed, with these
    /// seeds. `progress` is called with the number of games now and then.
    ///
    /// # Errors
    /// Returns an error if a run has no weights, or the log of games cannot be read or written.
    pub fn compare(&self, variant: usize, seeds: &[u64], progress: &dyn Fn(usize)) -> Result<Comparison, TuneError> {
        let TuneSettings { games, isa, simulations, .. } = self.settings;
        let both = [self.trials(variant), self.trials(0)];
        let opponents = seeds.iter().map(|&seed| {
            let bot = |trials: &Trials<'_>| {
                let weights = load_weights(&trials.run_folder(seed))?;
                let checksum = crc32fast::hash(&weights.to_bytes());
                let name = format!("{}/seed-{seed}/{checksum:08x},sims={simulations}", trials.variant.name);
                let spec = BotSpec::network(&trials.run_folder(seed), &format!("sims={simulations},nodes=0"))?;
                Ok::<_, TuneError>((name, spec.factory_with(isa, &BuiltIn::default(), |_| Ok(weights.clone()))?))
            };
            let [one, other] = &both;
            let ((name, one), (other_name, other)) = (bot(one)?, bot(other)?);
            Ok(Opponents { names: [name, other_name], bots: [one, other] })
        });
        let opponents = opponents.collect::<Result<Vec<_>, TuneError>>()?;
        let log = both[0].folder.join("games.jsonl");
        compare(&GameSettings { board: self.board, isa, games, log: &log }, &opponents, progress)
    }

    fn trials(&self, variant: usize) -> Trials<'_> {
        let variant = &self.variants[variant];
        Trials { folder: self.folder.join(&variant.name), variant, held_out: self.held_out.clone() }
    }
}

/// Checks that a folder has nothing but what an early end of tuning left behind.
fn check_new(folder: &Path) -> Result<(), TuneError> {
    for entry in fs::read_dir(folder).map_err(file_error(folder))? {
        let name = entry.map_err(file_error(folder))?.file_name();
        if !["lock", "tune.json.partial"].iter().any(|own| name == *own) {
            return Err(TuneError::OtherFolder { path: shell_word(folder) });
        }
    }
    Ok(())
}

/// Checks that variants can be compared, and returns their board.
fn check_variants(variants: &[Variant]) -> Result<Board, TuneError> {
    let refused = |reason: String| Err(TuneError::Variants(reason));
    let Variant { name: first_name, config: first } = &variants[0];
    let board = first.board;
    for (number, Variant { name, config }) in variants.iter().enumerate() {
        let is_same = |other: &Variant| other.name.eq_ignore_ascii_case(name);
        if name.eq_ignore_ascii_case("lock") || variants[..number].iter().any(is_same) {
            return refused(format!("the name {name} is taken (give each variant a name of its own)"));
        }
        if config.board != board {
            return refused(format!(
                "{name} is for {}, and {first_name} for {board} (variants are compared on one board)",
                config.board
            ));
        }
        // Keys that tuning sets itself, or that do not change what is learned.
        let is_fixed = |key: &str| {
            key == "seed" || key.starts_with("resources.") || key.starts_with("suite.") || key.starts_with("finish.")
        };
        let mut values = config.values().into_iter().zip(first.values());
        if let Some(((key, found), _)) = values.find(|(found, of_first)| found != of_first && is_fixed(found.0.path)) {
            let found = format!("{} = {}", key.path, shown(found.as_ref()));
            return refused(format!("{name} has {found}, unlike {first_name} (vary keys of what is learned, or how)"));
        }
        if config.resources.learn_device == Processor::Gpu {
            return refused(format!(
                "{name} learns on a GPU, and processor time is compared (set resources.learn_device=cpu)"
            ));
        }
    }
    Ok(board)
}
