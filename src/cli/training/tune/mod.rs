//! `doublecross tune`: variants of a config, trained and compared.

mod report;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::{Value, json};

use crate::cli::terminal::count::counted;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::training::load_config;
use crate::cli::training::run_failure;
use crate::cli::training::run_report::RunReport;
use crate::cli::{EndOnInterrupt, Failure, chosen_isa, named_isa, print};
use doublecross::built_in;
use doublecross_core::search::MOST_SIMULATIONS;
use doublecross_core::shell::shell_word;
use doublecross_train::RunContext;
use doublecross_train::{Changes, TuneError, TuneSettings, Tuning, Variant};
use report::{VariantResult, line, object, table};

/// The name of the config as it is.
const BASE: &str = "base";

/// Compare settings of a config.
///
/// Trains the config as it is (base) and variants of it, each with several seeds, and scores all
/// networks on one suite of positions with exact answers that no run learns from: the share of them
/// where the policy's likeliest edge is optimal, and where the searched edge is. Then the networks of
/// each variant play those of base.
///
/// All runs have the generations that the config says, so a cheaper variant is not given more of them:
/// the table has the processor time of each run beside its score. To compare at equal time, give a
/// variant generations of its own. The config's seed and resources.minutes are not used.
///
/// Runs of one config differ by their seeds, often by more than variants do. So a difference is called
/// better or worse only if the spread between seeds and between positions does not explain it
/// (95 %), and if learning diverged with no seed of the better one. Two seeds show little; give --seeds 3
/// or more to decide.
///
/// The folder keeps everything: the same command goes on where it was stopped, and more --seeds,
/// --games or --try add to what is there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross tune 3x3 --try \"adamw: learn.optimizer=adamw\"
  doublecross tune mine.toml --set generations=40 \\
    --try \"few: selfplay.games=50 generations=80\" \\
    --try \"no-walks: labeled.band_undrawn=180\"

Curves of the runs: doublecross serve --run FOLDER/base/seed-1 --run FOLDER/NAME/seed-1")]
pub(crate) struct Tune {
    /// A config: a file, the name of a built-in one, as in 3x3, or any board, as in 4x5.
    config: PathBuf,
    /// A variant: its name, of letters, digits, `_` and `-`, and the keys that differ, as in
    /// "wide: network.channels=64 learn.passes=2"; `none` takes a key away that may be absent. May be given more than
    /// once.
    #[arg(long = "try", required = true, value_name = "NAME: KEY=VALUE ...")]
    variants: Vec<Changes>,
    /// The folder of the runs [default: tune/ and the config's name].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Runs of each variant, with the seeds 1, 2 and so on.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1000))]
    seeds: u64,
    /// Positions of the suite.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    positions: usize,
    /// Simulations of each search on the suite and in games, which have no solver.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_SIMULATIONS as u64))]
    sims: usize,
    /// Games of a variant against base, over all seeds; rounded up to whole pairs for each seed. 0: no games.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(0..=100_000))]
    games: usize,
    /// Override a key of the config for all runs, as in --set resources.threads=2; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

impl Tune {
    pub fn run(self) -> Result<(), Failure> {
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => Path::new("tune").join(self.config.file_stem().unwrap_or("config".as_ref())),
        };
        // What is printed when a signal comes.
        let (shown, finished) = (shell_word(&folder), Arc::<Mutex<String>>::default());
        let printed = finished.clone();
        let message = move || {
            print(format_args!("{}", printed.lock().unwrap_or_else(PoisonError::into_inner)));
            format!("doublecross: interrupted; the same command goes on with what is in {shown}")
        };
        let _end_on_interrupt = EndOnInterrupt::new(message)?;
        let variants = self.variants()?;
        let Tune { positions, sims: simulations, games, .. } = self;
        let settings = TuneSettings { positions, simulations, games, isa: chosen_isa()? };
        let progress = Progress::new("positions of the suite drawn", positions);
        let tuning = Tuning::open(&folder, settings, variants, &|count| progress.at(count));
        progress.finish();
        let tuning = tuning.map_err(failure)?;
        let found = tuning.suite().positions.len();
        if found < positions {
            print_line(format_args!("--positions {positions}: the suite has {found}, all that were found"));
        }
        let runs = tuning.variants().len() as u64 * self.seeds;
        let generations = tuning.variants().iter().map(|variant| variant.config.generations).sum::<u64>() * self.seeds;
        let (runs, generations) = (counted(runs, "run"), counted(generations, "generation"));
        print_notice(format_args!("{runs}, {generations} in all, then games; what is there already is kept"));
        let text = |results: &[VariantResult<'_>], is_interrupted: bool| match self.json {
            false if results.iter().all(|result| result.trials.is_empty()) => String::new(),
            false => table(results),
            true => {
                let object = json!({
                    "suite": folder.join("suite.tsv").display().to_string(),
                    "positions": tuning.suite().positions.len(),
                    "simulations": simulations,
                    "variants": results.iter().map(|result| object(result, &results[0])).collect::<Vec<Value>>(),
                    "interrupted": is_interrupted,
                });
                format!("{object}\n")
            }
        };
        let finish = |results: &[VariantResult<'_>]| {
            *finished.lock().unwrap_or_else(PoisonError::into_inner) = text(results, true);
        };
        let results = self.try_all(&tuning, &finish)?;
        print(format_args!("{}", text(&results, false)));
        Ok(())
    }

    /// The config as it is, and its variants.
    fn variants(&self) -> Result<Vec<Variant>, Failure> {
        let base = Variant { name: BASE.into(), config: load_config(&self.config, &self.set)? };
        let changed = self.variants.iter().map(|changes| {
            let settings = [self.set.as_slice(), &changes.settings].concat();
            let config = load_config(&self.config, &settings).map_err(|error| match error {
                Failure::Input(error) => Failure::Input(error.context(format!("--try {}", changes.name))),
                other => other,
            })?;
            Ok(Variant { name: changes.name.clone(), config })
        });
        std::iter::once(Ok(base)).chain(changed).collect()
    }

    /// Trains and scores all variants, seed by seed, and lets them play. `finish` gets what there is,
    /// whenever there is more.
    fn try_all<'a>(
        &self,
        tuning: &'a Tuning,
        finish: &dyn Fn(&[VariantResult<'_>]),
    ) -> Result<Vec<VariantResult<'a>>, Failure> {
        let result = |variant| VariantResult { variant, trials: Vec::new(), games: None };
        let mut results: Vec<VariantResult<'_>> = tuning.variants().iter().map(result).collect();
        finish(&results);
        for seed in 1..=self.seeds {
            for number in 0..results.len() {
                let variant = results[number].variant;
                print_notice(format_args!("{}, seed {seed} of {}", variant.name, self.seeds));
                let report = Arc::new(RunReport::default());
                let context = RunContext::new(named_isa()?, built_in().books.clone(), report);
                let progress = Progress::new("positions scored", tuning.suite().positions.len());
                let trial = tuning.trial(number, seed, &context, &|count| progress.at(count));
                progress.finish();
                let trial = trial.map_err(failure)?;
                print_notice(format_args!("{}, seed {seed}: {}", variant.name, line(&trial)));
                results[number].trials.push(trial);
                finish(&results);
            }
        }
        // Networks that have a score, of seeds with which base has one.
        let scored = |result: &VariantResult<'_>| -> Vec<u64> {
            result.trials.iter().filter(|trial| trial.score.is_ok()).map(|trial| trial.seed).collect()
        };
        let of_base = scored(&results[0]);
        for number in (1..results.len()).filter(|_| self.games > 0) {
            let result = &mut results[number];
            let mut seeds = scored(result);
            seeds.retain(|seed| of_base.contains(seed));
            let progress = Progress::new(format!("games of {} against {BASE}", result.variant.name), self.games);
            let games = tuning.compare(number, &seeds, &|count| progress.at(count));
            progress.finish();
            result.games = Some(games.map_err(failure)?);
            finish(&results);
        }
        Ok(results)
    }
}

/// Returns the failure of an error.
fn failure(error: TuneError) -> Failure {
    match error {
        TuneError::Run(error) => run_failure(error),
        TuneError::Variants(_)
        | TuneError::OtherSettings { .. }
        | TuneError::OtherFolder { .. }
        | TuneError::NoSuite { .. }
        | TuneError::Config(_) => Failure::input(error),
        TuneError::Damaged { .. } | TuneError::Suite(_) | TuneError::Checkpoint(_) => Failure::damaged(error),
        error => Failure::running(error),
    }
}
