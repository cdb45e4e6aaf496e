//! The command line: one file for each command, each a thin layer over the library.
//!
//! Output on stdout, signals, exit statuses and the environment variable of the instruction set are
//! handled here and nowhere else.

mod book;
mod bot;
mod completions;
mod eval;
mod export;
#[cfg(feature = "fleet")]
mod fleet;
mod leaderboard;
mod man;
mod r#match;
mod prove;
mod puzzles;
mod replay;
mod serve;
mod solve;
mod suite;
mod terminal;
#[cfg(feature = "train")]
mod training;

use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use doublecross::built_in;
use doublecross_arena::{BotFactory, BotSpec, Launch, supervise};
use doublecross_core::board::Board;
use doublecross_core::net::{Isa, Weights};
use doublecross_run::load_weights;

use crate::export::bundled_bot;
use terminal::failure::{Failure, cannot_write, exit_code, usage_message};
use terminal::interrupt::{EndOnInterrupt, interrupts, not_interrupted, prepare_signals};
use terminal::output::{check_output, print, print_help, print_json};
use terminal::stderr::{Verbosity, choice_among, print_detail, print_line, set_color, set_verbosity};
use terminal::threads::on_threads;
use terminal::version::LONG_VERSION;

/// Dots and Boxes: play strong bots, solve positions exactly, and train a bot of your own.
#[derive(Debug, Parser)]
#[command(name = "doublecross", version, long_version = LONG_VERSION.as_str(), arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  doublecross serve --open                  play the built-in bots in a browser
  doublecross match net greedy --games 20   let two bots play each other
  doublecross solve 3x3 --moves             the exact result of every first move
  doublecross train configs/smoke.toml      train a small network in seconds

`doublecross COMMAND --help` describes a command. The environment variable
DOUBLECROSS_ISA names the instruction set that networks run on, as in avx2; the
default is the fastest of the processor.")]
struct Arguments {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The message of commands that need the feature `train`.
const WITHOUT_TRAINING: &str = "this program was built without training (build it with --features train)";

/// The message of commands and options that need the feature `fleet`.
const WITHOUT_FLEET: &str = "this program was built without fleets (build it with --features fleet)";

/// The options of all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of all commands")]
struct Global {
    /// Print nothing on stderr but errors and warnings.
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Print more on stderr: the version, plans and further figures.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Color messages and help; auto does so on a terminal unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
}

impl Global {
    /// Lets messages follow the options.
    fn apply(&self) {
        set_color(self.color);
        set_verbosity(match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        });
        print_detail(format_args!("doublecross {}", LONG_VERSION.replace('\n', ", ")));
    }
}

/// The command line's definition.
fn command() -> clap::Command {
    // A negative number is a value that is out of range rather than an unknown option.
    let reads_negatives = |argument: clap::Arg| {
        let is_option = !argument.is_positional() && argument.get_action().takes_values();
        if is_option { argument.allow_negative_numbers(true) } else { argument }
    };
    let in_command = |command: clap::Command| command.mut_args(reads_negatives);
    Arguments::command().mut_subcommands(|command| in_command(command).mut_subcommands(in_command))
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "train")]
    #[command(flatten)]
    Training(training::Training),
    Eval(eval::Eval),
    Suite(suite::SuiteCommand),
    Match(r#match::Match),
    Replay(replay::Replay),
    Leaderboard(leaderboard::Leaderboard),
    Solve(solve::Solve),
    Prove(prove::Prove),
    Book(book::BookCommand),
    Puzzles(puzzles::Puzzles),
    Bot(bot::Bot),
    Export(export::Export),
    Serve(serve::Serve),
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    Fleet(fleet::FleetCommands),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Loads the networks of a bot. Its checkpoint may be a weights file, a checkpoint's folder or a
/// run's folder.
fn load_bot(spec: &BotSpec) -> Result<BotFactory, Failure> {
    let resolve = |path: &Path| load_weights(path).map_err(|error| error.to_string());
    let factory = spec.factory_with(chosen_isa()?, built_in(), resolve).map_err(Failure::input)?;
    Ok(factory.with_launch(Launch::supervised()))
}

/// Returns a failure if a bot has no network for the board, since it would not play as its name
/// says.
fn check_board(factory: &BotFactory, spec: &BotSpec, board: Board) -> Result<(), Failure> {
    if let Some(known) = factory.board().filter(|_| !factory.knows(board)) {
        return Err(Failure::input(anyhow::anyhow!("{} plays {known}; the games are on {board}", spec.name())));
    }
    if let Some(notice) = factory.notice(board) {
        print_line(format_args!("{}: {notice}", spec.name()));
    }
    Ok(())
}

/// Returns a failure if a checkpoint does not play the board of `--board`.
fn check_plays(weights: &Weights, board: Board) -> Result<(), Failure> {
    // A network of several boards plays any.
    if board == weights.board || !weights.other_boards.is_empty() {
        return Ok(());
    }
    Err(Failure::input(anyhow::anyhow!("the checkpoint plays {}, and --board is {board}", weights.board)))
}

/// The environment variable that names the instruction set that networks run on.
const ISA_VARIABLE: &str = "DOUBLECROSS_ISA";

/// The instruction set that the environment names, if it names one.
fn named_isa() -> Result<Option<Isa>, Failure> {
    let Some(name) = std::env::var_os(ISA_VARIABLE) else { return Ok(None) };
    let isa = Isa::named(&name.to_string_lossy(), &Isa::available());
    isa.map(Some).map_err(|error| Failure::input(anyhow::anyhow!("{ISA_VARIABLE}: {error}")))
}

/// The instruction set that networks run on: the one that the environment names, or the fastest
/// one.
fn chosen_isa() -> Result<Isa, Failure> {
    Ok(named_isa()?.unwrap_or_else(Isa::fastest))
}

/// Returns the message about a command that this program was built without.
fn left_out() -> Option<String> {
    let command = std::env::args().nth(1)?;
    match command.as_str() {
        "train" | "tune" | "verify" | "bench" if !cfg!(feature = "train") => Some(WITHOUT_TRAINING.into()),
        "worker" | "fleet" if !cfg!(feature = "fleet") => Some(WITHOUT_FLEET.into()),
        _ => None,
    }
}

/// Runs the program. The exit status is 0 on success, and that of the failure otherwise.
pub fn main() -> ExitCode {
    // Supervisors of bots are this program too.
    if let Some(code) = supervise(std::env::args_os()) {
        return code;
    }
    prepare_signals();
    // A bundle takes no arguments: it plays. A program that cannot read its own file is no bundle.
    if let Ok(Some(bot)) = bundled_bot() {
        return exit_code(bot::play_bundled(&bot));
    }
    set_color(choice_among(std::env::args_os()));
    let parsed = command().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        // Help and version are not errors.
        Err(help) if !help.use_stderr() => {
            print_help(&help);
            return exit_code(check_output());
        }
        Err(help) if help.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => help.exit(),
        Err(error) => {
            return exit_code(Err(Failure::input(anyhow::anyhow!(
                left_out().unwrap_or_else(|| usage_message(&error))
            ))));
        }
    };
    arguments.global.apply();
    // The instruction set is checked first, so that a wrong name is an error of every command.
    let result = chosen_isa().and_then(|_| match arguments.command {
        #[cfg(feature = "train")]
        Command::Training(command) => command.run(),
        Command::Eval(command) => on_threads(command.threads, || command.run()),
        Command::Suite(command) => command.run(),
        Command::Match(command) => on_threads(command.threads, || command.run()),
        Command::Replay(command) => command.run(),
        Command::Leaderboard(command) => command.run(),
        Command::Solve(command) => command.run(),
        Command::Prove(command) => command.run(),
        Command::Book(command) => command.run(),
        Command::Puzzles(command) => command.run(),
        Command::Bot(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Serve(command) => command.run(),
        #[cfg(feature = "fleet")]
        Command::Fleet(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    });
    exit_code(result.and_then(|()| check_output()))
}
