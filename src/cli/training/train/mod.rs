//! `doublecross train`

pub(crate) mod plan;
pub(crate) mod runs;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::cli::r#match::{play_match, print_result};
use crate::cli::terminal::external;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::training::run_report::RunReport;
use crate::cli::training::train::plan::print_plan;
use crate::cli::training::train::runs::{Alone, RunsTraining};
use crate::cli::training::{config_file, ended, load_config, presets, run_failure};
use crate::cli::{EndOnInterrupt, Failure, check_board, chosen_isa, interrupts, load_bot, named_isa, not_interrupted};
use doublecross::built_in;
use doublecross_arena::{BotFactory, BotSpec, MatchOutcome};
use doublecross_core::board::{Board, Position};
use doublecross_core::shell::shell_word;
use doublecross_files::read_regular;
use doublecross_run::config::changeable_keys;
use doublecross_run::{Config, FinishMatch, Record};
use doublecross_train::{RunContext, Training, WarmStart, go_back};

/// The most bytes of a run's progress that are read for its best score.
const MAX_PROGRESS: u64 = 64 << 20;

/// Train a network by self-play, or resume a run.
///
/// A run is a config and a folder. The folder keeps the network after each generation, all games and
/// the figures, so that a run may be stopped or killed at any time: the same command resumes it.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct Train {
    /// A config to train, or the folder of a run to resume. A config is a file (`doublecross config`
    /// prints one to start from), the name of a built-in one, as in 3x3, or any board, as in 4x5.
    pub(super) config: PathBuf,
    /// The run's folder [default: runs/ and the config's name].
    #[arg(long, value_name = "DIR")]
    pub(super) run: Option<PathBuf>,
    /// Override a key of the config, as in --set learn.batch=64; `none` takes one away that may be
    /// absent. May be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Start a new run from weights: a .dxw or .safetensors file, a checkpoint's folder or a run's folder. Give it another seed than
    /// theirs (--set seed=2), or it plays the same openings again. Where the config's network has more channels, blocks
    /// or hidden units, theirs grows and begins with what it knows. They may be of another board.
    #[arg(long, value_name = "CHECKPOINT")]
    pub(super) from: Option<PathBuf>,
    /// Fill a new run's window with the newest samples of another run: learn.window_samples of them, so raise that too.
    #[arg(long, value_name = "RUN")]
    pub(super) samples: Option<PathBuf>,
    /// Let workers on other machines play as well, through the NATS server at this address, as in
    /// nats://games.example.org (docs/fleet.md).
    #[arg(long, value_name = "URL", requires = "key")]
    pub(super) at: Option<String>,
    /// The coordinator's key to the server.
    #[arg(long, value_name = "FILE", requires = "at")]
    pub(super) key: Option<PathBuf>,
}

impl Train {
    pub fn run(self) -> Result<(), Failure> {
        // The folder of a run stands for the config that is kept there.
        let config_path = config_file(&self.config);
        let config = self.load(&config_path)?;
        let against = config.finish.against.clone();
        // Loaded before the run, so that a bot that cannot be loaded is an error now.
        let opponent = (config.finish.games > 0).then(|| load_bot(&against)).transpose()?;
        if let Some(opponent) = &opponent {
            check_board(opponent, &against, config.board)?;
            check_acts(opponent, &against, config.board)?;
        }
        let folder = match &self.run {
            Some(folder) => folder.clone(),
            None if self.config.is_dir() => self.config.clone(),
            None => default_folder(&config_path),
        };
        let warm_start = WarmStart { weights: self.from.as_deref(), samples: self.samples.as_deref() };
        let report = Arc::new(RunReport::new(&config));
        let context = RunContext::new(named_isa()?, built_in().books.clone(), report.clone());
        if self.at.is_none() {
            report_open_checks(&folder);
        }
        let at = self.at.as_ref().zip(self.key.as_ref());
        let at = at.map_or(String::new(), |(at, key)| format!(" --at {} --key {}", shell_word(at), shell_word(key)));
        let link = self
            .at
            .zip(self.key)
            .map_or_else(|| Ok(Box::new(Alone) as Box<dyn RunsTraining>), |(address, key)| fleet_at(&address, &key))?;
        // A run survives an end at any time.
        let resumed = folder.clone();
        let end_on_interrupt = EndOnInterrupt::new(move || interrupted(&resumed, &at))?;
        let open = || Training::open(&folder, config.clone(), warm_start, context.clone());
        let mut training =
            open().map_err(|error| if error.is_out_of_space() { ended(&folder, error) } else { run_failure(error) })?;
        report.set_best(best_search(&folder));
        print_start(&folder, &training);
        while let Some(generation) = link.run(&folder, &mut training)? {
            drop(training);
            let target = go_back(&folder, generation).map_err(Failure::damaged)?;
            print_line(format_args!(
                "a worker has handed in games of generation {generation} that it did not play by the orders;\n\
                 the run goes back to the end of generation {target} (fleet.json has the worker's name)"
            ));
            training = open().map_err(Failure::damaged)?;
        }
        drop(end_on_interrupt);
        let (done, last) = (training.generation(), training.config().generations);
        if let Some(minutes) = training.config().resources.minutes.filter(|_| training.is_out_of_time() && done < last)
        {
            print_notice(format_args!(
                "the run ends after generation {done}: its {minutes} minutes are used up\n\
                 (--set resources.minutes=none goes on without a limit)"
            ));
        }
        if let Some(opponent) = opponent {
            play_finish(&folder, training.config(), opponent)?;
        }
        print_uses(&folder);
        Ok(())
    }

    /// Loads the config at this path.
    fn load(&self, path: &Path) -> Result<Config, Failure> {
        let is_folder = self.config.is_dir();
        let again = || {
            let run = shell_word(&self.config);
            format!(
                "put it back, or train the config that the run was started with: `doublecross train CONFIG --run {run}`"
            )
        };
        if is_folder && !path.exists() {
            let shown = shell_word(&self.config);
            return Err(Failure::input(match self.config.join("shards").is_dir() {
                true => anyhow::anyhow!("{shown} has no config.toml ({})", again()),
                false => anyhow::anyhow!("{shown} has no config.toml (name a config, or the folder of a run)"),
            }));
        }
        load_config(path, &self.set).map_err(|failure| match failure {
            Failure::Input(error) if is_folder && self.set.is_empty() => {
                Failure::input(anyhow::anyhow!("{error:#} ({})", again()))
            }
            failure => failure,
        })
    }
}

/// Prints what a run is about to do, and how to watch it.
fn print_start(folder: &Path, training: &Training) {
    let shown = shell_word(folder);
    match training.generation() {
        0 => {
            let weights = if training.has_start() { ", from the weights in its start.dxw" } else { "" };
            let samples = match training.window() {
                0 => String::new(),
                samples => format!(", with {samples} samples of another run"),
            };
            let (begun, where_it_is) = match training.has_games_of_next_generation() {
                true => ("resuming the run", " in its first generation"),
                false => ("new run", ""),
            };
            print_notice(format_args!("{begun} in {shown}{where_it_is}{weights}{samples}"));
        }
        done if done >= training.config().generations => {
            print_notice(format_args!(
                "the run in {shown} is finished after generation {done} (--set generations=N with a larger N goes on)"
            ));
            return;
        }
        done => print_notice(format_args!("resuming the run in {shown} after generation {done}")),
    }
    let folder = shell_word(folder);
    print_notice(format_args!("watch it: doublecross serve --run {folder}\n      or: tensorboard --logdir {folder}"));
    print_plan(training.config(), training.generation());
}

/// Prints what the network of a run is good for.
fn print_uses(folder: &Path) {
    let run = shell_word(folder);
    print_notice(format_args!(
        "play against it: doublecross serve {run}\n\
         export it: doublecross export {run} --to my-bot"
    ));
    // A path may hold what a bot's name cannot.
    if BotSpec::network(folder, "").is_ok() {
        let name = shell_word(format!("net:{},nodes=0", folder.display()));
        print_notice(format_args!("let it play without the solver: doublecross match {name} chains"));
    }
}

#[cfg(feature = "fleet")]
use crate::cli::fleet::link::report_open_checks;

/// A program without fleets does not read their accounts.
#[cfg(not(feature = "fleet"))]
fn report_open_checks(_: &Path) {}

/// Returns the fleet at a server, once it was reached with the key in a file.
#[cfg(feature = "fleet")]
fn fleet_at(address: &str, key: &Path) -> Result<Box<dyn RunsTraining>, Failure> {
    Ok(Box::new(crate::cli::fleet::link::FleetLink::reach(address, key)?))
}

/// Returns the failure of a program that was built without fleets.
#[cfg(not(feature = "fleet"))]
fn fleet_at(address: &str, _: &Path) -> Result<Box<dyn RunsTraining>, Failure> {
    Err(Failure::input(anyhow::anyhow!("--at {address}: {}", crate::cli::WITHOUT_FLEET)))
}

fn after_help() -> String {
    format!(
        "\
Examples:
  doublecross train 3x3                       train a preset, in runs/3x3
  doublecross config 4x5 > mine.toml          write a config, change it,
  doublecross train mine.toml                 and train it in runs/mine
  doublecross train runs/mine                 resume it
  doublecross train runs/mine --set generations=300
                                              go on for longer
  doublecross train 6x6 --from checkpoints/any --set seed=2
                                              begin with what a network knows

Built in are {}.

When a run is resumed, these keys may change, and phases that have not begun:
{}",
        presets(),
        changeable_keys()
    )
}

/// The message about a run that a signal ends.
fn interrupted(folder: &Path, at: &str) -> String {
    if !folder.join("config.toml").exists() {
        return "doublecross: interrupted before the run began".into();
    }
    format!("doublecross: interrupted; resume with: doublecross train {}{at}", shell_word(folder))
}

/// Returns the best share of optimal searched edges on the suite in a run so far. Lines that cannot be
/// read count for nothing.
fn best_search(folder: &Path) -> Option<f64> {
    let text = String::from_utf8(read_regular(&folder.join("progress.jsonl"), MAX_PROGRESS).ok()?).ok()?;
    let records = text.lines().filter_map(|line| serde_json::from_str::<Record>(line).ok());
    records.filter_map(|record| Some(record.suite?.search_optimal)).max_by(f64::total_cmp)
}

/// Returns `true` if a folder has a part of a run.
fn is_run(folder: &Path) -> bool {
    ["version.txt", "shards", "checkpoints", "ema.dxw"].iter().any(|name| folder.join(name).exists())
}

/// Returns the folder of a config's run if none is given.
fn default_folder(config: &Path) -> PathBuf {
    match config.parent() {
        // This is the copy of its config that a run keeps.
        Some(folder) if config.ends_with("config.toml") && is_run(folder) => Path::new(".").join(folder),
        _ => PathBuf::from("runs").join(config.file_stem().unwrap_or("run".as_ref())),
    }
}

/// Returns a failure if a bot is a program that does not act, which would otherwise show at the end of the run.
fn check_acts(bot: &BotFactory, spec: &BotSpec, board: Board) -> Result<(), Failure> {
    if !spec.is_external() {
        return Ok(());
    }
    let mut bot = bot.make();
    let answer = bot.answer(&Position::new(board), 0).map_err(Failure::running)?;
    let trouble = bot.trouble().unwrap_or_else(|| "it answers no action".into());
    bot.end_game();
    match answer {
        Some(_) => Ok(()),
        None => Err(Failure::input(anyhow::anyhow!(
            "finish.against: {} (--set finish.games=0 ends the run without a match)",
            external::trouble_text(spec.name(), &trouble)
        ))),
    }
}

/// Plays the match at the end of a run against its opponent, and prints the outcome.
fn play_finish(folder: &Path, config: &Config, against: BotFactory) -> Result<(), Failure> {
    let planned = config.finish_match(folder, chosen_isa()?).map_err(Failure::input)?;
    let Some(FinishMatch { network: own, opponent, settings }) = planned else { return Ok(()) };
    let stop = interrupts()?;
    let factory = load_bot(&own)?.with_stop(stop.clone());
    let launch = external::launch([&opponent].into_iter(), true, None)?;
    let (name, against) = (opponent.name(), against.with_launch(launch).with_stop(stop.clone()));
    let threads = config.resources.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::running)?;
    let (label, bots) = (format!("against {name}"), [(own.name(), &factory), (name, &against)]);
    let MatchOutcome { result, error } = pool.install(|| play_match(label, &settings, bots, &mut |_| true, &stop));
    print_result(&result);
    not_interrupted(&stop)?;
    error.map_or(Ok(()), |error| Err(Failure::running(error)))
}
