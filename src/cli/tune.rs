//! `doublecross tune`: variants of a config, trained for equal time and compared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::{Value, json};

use super::progress::Progress;
use super::run_report::RunReport;
use super::{EndOnInterrupt, Failure, load_config, named_isa, print, print_json};
use crate::search::MOST_SIMULATIONS;
use crate::statistics::{Sprt, Verdict, wilson_interval};
use crate::stderr::print_notice;
use crate::train::{Environment, RunError};
use crate::tune::{Changes, Comparison, Trial, TuneError, TuneSettings, Tuning, Variant};

/// The name of the config as it is.
const BASE: &str = "base";

/// Compare settings of a config at equal time.
///
/// Trains the config as it is, called base, and each variant of it, with several seeds and for the
/// same processor time. Scores every network on a suite that was drawn for this and that no run has
/// seen, and lets the networks of each variant play against those of base until a sequential
/// probability ratio test (SPRT) decides whether the variant is better by --elo or not.
///
/// A tenth of the time is spent beforehand on finding out how many generations of a variant fit into
/// it, so that the learning rate falls to its end in each run. The phases of a config keep the
/// generations that they begin with.
///
/// Everything is kept in the folder. The same command goes on where it was stopped; with more --seeds
/// or --games, or a further --try, it adds to what is there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross tune configs/3x3.toml --try \"muon: learn.optimizer=muon learn.learning_rate=0.002\"
  doublecross tune configs/4x4.toml --minutes 20 --seeds 3 --try \"few: selfplay.games=200\" --try \"many: selfplay.games=1000\"

Curves of the runs: doublecross serve --run FOLDER/base/seed-1 --run FOLDER/NAME/seed-1")]
pub(super) struct Tune {
    /// A config, as configs/3x3.toml.
    config: PathBuf,
    /// A variant: its name and the keys that differ, as in "wide: network.channels=64 learn.passes=2"; may be given more
    /// than once.
    #[arg(long = "try", required = true, value_name = "NAME: KEY=VALUE ...")]
    variants: Vec<Changes>,
    /// The folder of the runs [default: tune/ and the config's name].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Minutes of each run, on as many processors as it has threads.
    #[arg(long, value_name = "M", default_value_t = 5.0, value_parser = minutes)]
    minutes: f64,
    /// Runs of each variant, with the seeds 1, 2 and so on.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1000))]
    seeds: u64,
    /// Positions of the suite.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    positions: usize,
    /// Simulations of each search on the suite and in games, which have no solver.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_SIMULATIONS as u64))]
    sims: usize,
    /// The most games of a variant against base; 0 plays none.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(0..=1_000_000))]
    games: usize,
    /// The Elo difference that is worth finding.
    #[arg(long, value_name = "E", default_value_t = 20.0, value_parser = elo)]
    elo: f64,
    /// Override a key of the config for all runs, as in --set threads=2; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

/// A variant's trials, and its games against the first variant.
struct Tried {
    trials: Vec<Trial>,
    games: Option<Comparison>,
}

impl Tune {
    pub fn run(self) -> Result<(), Failure> {
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => Path::new("tune").join(self.config.file_stem().unwrap_or("config".as_ref())),
        };
        let shown = folder.display().to_string();
        let message = move || format!("doublecross: interrupted; the same command goes on with what is in {shown}");
        let _end_on_interrupt = EndOnInterrupt::new(message)?;
        let variants = self.variants()?;
        let report = Arc::new(RunReport::new(&variants[0].config));
        let environment = Environment { isa: named_isa()?, observer: report };
        let sprt = Sprt { elo: self.elo, error: 0.05 };
        let Tune { minutes, positions, sims: simulations, games, .. } = self;
        let settings = TuneSettings { minutes, positions, simulations, games, sprt };
        let progress = Progress::new("positions of the suite drawn", positions);
        let tuning = Tuning::open(&folder, settings, variants, environment, &|count| progress.at(count));
        progress.finish();
        let tuning = tuning.map_err(failure)?;
        let tried = self.try_all(&tuning)?;
        if self.json {
            let variants: Vec<Value> =
                tuning.variants().iter().zip(&tried).map(|(variant, tried)| object(variant, tried)).collect();
            print_json(&json!({
                "suite": folder.join("suite.tsv").display().to_string(),
                "positions": tuning.suite().positions.len(),
                "minutes": minutes,
                "simulations": simulations,
                "elo": self.elo,
                "variants": variants,
            }));
        } else {
            print_table(&tuning, &tried);
        }
        Ok(())
    }

    /// The config as it is, and its variants.
    fn variants(&self) -> Result<Vec<Variant>, Failure> {
        let base = Variant { name: BASE.into(), config: load_config(Some(&self.config), &self.set)? };
        let changed = self.variants.iter().map(|changes| {
            let settings = [self.set.as_slice(), &changes.settings].concat();
            let config = load_config(Some(&self.config), &settings).map_err(|error| match error {
                Failure::Input(error) => Failure::Input(error.context(format!("--try {}", changes.name))),
                other => other,
            })?;
            Ok(Variant { name: changes.name.clone(), config })
        });
        std::iter::once(Ok(base)).chain(changed).collect()
    }

    /// Trains and scores all variants, seed by seed, and lets them play.
    fn try_all(&self, tuning: &Tuning) -> Result<Vec<Tried>, Failure> {
        let variants = tuning.variants();
        let mut tried: Vec<Tried> = variants.iter().map(|_| Tried { trials: Vec::new(), games: None }).collect();
        for seed in 1..=self.seeds {
            for (number, variant) in variants.iter().enumerate() {
                print_notice(format_args!("{}, seed {seed} of {}", variant.name, self.seeds));
                let progress = Progress::new("positions scored", tuning.suite().positions.len());
                let trial = tuning.trial(number, seed, &|count| progress.at(count));
                progress.finish();
                let trial = trial.map_err(failure)?;
                print_notice(format_args!("{}, seed {seed}: {}", variant.name, line(&trial)));
                tried[number].trials.push(trial);
            }
        }
        for (number, variant) in variants.iter().enumerate().skip(1).filter(|_| self.games > 0) {
            let progress = Progress::new(format!("games of {} against {BASE}", variant.name), self.games);
            let games = tuning.compare(number, self.seeds, &|count| progress.at(count));
            progress.finish();
            tried[number].games = Some(games.map_err(failure)?);
        }
        Ok(tried)
    }
}

/// Returns the failure of an error.
fn failure(error: TuneError) -> Failure {
    match error {
        TuneError::Variants(_)
        | TuneError::OtherSettings { .. }
        | TuneError::NoSuite { .. }
        | TuneError::Config(_)
        | TuneError::Run(RunError::OtherRun { .. } | RunError::OtherIsa { .. } | RunError::LacksIsaOfRun { .. }) => {
            Failure::input(error)
        }
        TuneError::Damaged { .. } | TuneError::Suite(_) | TuneError::Checkpoint(_) => Failure::damaged(error),
        error => Failure::running(error),
    }
}

/// The share of a variant's positions in which a choice is optimal, with its interval: those of all
/// trials together.
fn pooled(trials: &[Trial], share: fn(&Trial) -> f64) -> (f64, f64, f64) {
    let positions: usize = trials.iter().map(|trial| trial.score.positions).sum();
    let hits = trials.iter().map(|trial| (share(trial) * trial.score.positions as f64).round() as usize).sum();
    let (low, high) = wilson_interval(hits, positions);
    (hits as f64 / positions.max(1) as f64, low, high)
}

fn policy(trial: &Trial) -> f64 {
    trial.score.policy_optimal.share
}

fn search(trial: &Trial) -> f64 {
    trial.score.search_optimal.share
}

/// A trial in words.
fn line(trial: &Trial) -> String {
    let Trial { generations, minutes, .. } = trial;
    let (policy, search) = (100.0 * policy(trial), 100.0 * search(trial));
    format!("{generations} generations, {minutes:.1} minutes, policy {policy:.1} %, search {search:.1} %")
}

/// Prints the trials, then what comes of them.
fn print_table(tuning: &Tuning, tried: &[Tried]) {
    let width = tuning.variants().iter().map(|variant| variant.name.len()).max().unwrap_or(0).max("variant".len());
    print(format_args!(
        "{:<width$}  seed  generations  minutes  {:^20}  {:^20}\n",
        "variant", "policy optimal", "search optimal"
    ));
    let share = |(share, low, high): (f64, f64, f64)| {
        format!("{:5.1} % ({:.1}-{:.1})", 100.0 * share, 100.0 * low, 100.0 * high)
    };
    let shares = |trials: &[Trial]| format!("{:<20}  {}", share(pooled(trials, policy)), share(pooled(trials, search)));
    for (variant, tried) in tuning.variants().iter().zip(tried) {
        for trial in &tried.trials {
            let Trial { seed, generations, minutes, .. } = trial;
            let shares = shares(std::slice::from_ref(trial));
            print(format_args!("{:<width$}  {seed:>4}  {generations:>11}  {minutes:>7.1}  {shares}\n", variant.name));
        }
        if tried.trials.len() > 1 {
            print(format_args!("{:<width$}   all  {:>20}  {}\n", variant.name, "", shares(&tried.trials)));
        }
    }
    for (variant, tried) in tuning.variants().iter().zip(tried) {
        if let Some(games) = &tried.games {
            print(format_args!("{}\n", describe(&variant.name, games)));
        }
    }
}

/// A comparison in words.
fn describe(name: &str, games: &Comparison) -> String {
    let [won, lost, tied] = games.results;
    let elo = |value: Option<f64>, infinite: &str| value.map_or(infinite.into(), |value| format!("{value:+.0}"));
    let infinite = if won > lost { "+inf" } else { "-inf" };
    format!(
        "{name} - {BASE}: {} games, {won} won, {lost} lost, {tied} tied, Elo {} ({} to {}): {}",
        games.games,
        elo(games.elo.elo, infinite),
        elo(games.elo.low, "-inf"),
        elo(games.elo.high, "+inf"),
        verdict(games)
    )
}

fn verdict(games: &Comparison) -> &'static str {
    match games.verdict {
        Some(Verdict::Better) => "better",
        Some(Verdict::NotBetter) => "not better",
        None => "open",
    }
}

/// A variant as JSON.
fn object(variant: &Variant, tried: &Tried) -> Value {
    let interval = |(share, low, high): (f64, f64, f64)| json!({ "share": share, "low": low, "high": high });
    let trials = tried.trials.iter().map(|trial| {
        json!({
            "seed": trial.seed,
            "run": trial.folder.display().to_string(),
            "generations": trial.generations,
            "minutes": trial.minutes,
            "score": trial.score,
        })
    });
    let games = tried.games.as_ref().map(|games| {
        let [won, lost, tied] = games.results;
        json!({
            "games": games.games, "won": won, "lost": lost, "tied": tied,
            "elo": games.elo.elo, "elo_low": games.elo.low, "elo_high": games.elo.high,
            "verdict": verdict(games),
        })
    });
    json!({
        "name": variant.name,
        "policy_optimal": interval(pooled(&tried.trials, policy)),
        "search_optimal": interval(pooled(&tried.trials, search)),
        "trials": trials.collect::<Vec<_>>(),
        "against_base": games,
    })
}

/// Parses the minutes of a run.
fn minutes(text: &str) -> Result<f64, String> {
    number(text, 0.001, 1e6, "minutes, from 0.001 to 1000000")
}

/// Parses an Elo difference.
fn elo(text: &str) -> Result<f64, String> {
    number(text, 1.0, 1000.0, "an Elo difference, from 1 to 1000")
}

fn number(text: &str, least: f64, most: f64, expected: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected {expected}"))
}
