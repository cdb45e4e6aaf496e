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
mod signature;
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
use doublecross_core::shell::shell_word;
use doublecross_run::load_weights;

use crate::export::bundled_bot;
use solve::game::split_game;
use terminal::failure::{Failure, cannot_write, exit_code};
use terminal::interrupt::{EndOnInterrupt, interrupts, not_interrupted, prepare_signals};
use terminal::output::{check_output, print, print_help, print_json};
use terminal::stderr::{Verbosity, choice_among, print_detail, print_line, set_color, set_verbosity};
use terminal::threads::on_threads;
use terminal::usage::usage_message;
use terminal::version::LONG_VERSION;

/// Dots and Boxes: play strong bots, solve positions exactly, and train a bot of your own.
#[derive(Debug, Parser)]
#[command(name = "doublecross", version, long_version = LONG_VERSION.as_str(), arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  doublecross serve --open                  play the built-in bots in a browser
  doublecross match net greedy --games 20   let two bots play each other
  doublecross solve 3x3 --moves             the exact result of every first move
  doublecross train 3x3                     train a network in five minutes

`doublecross COMMAND --help` describes a command. The environment variable
DOUBLECROSS_ISA names the instruction set that networks run on, as in avx2; the
default is the fastest of the processor. The exit status is 0 on success, 1 on a
failure, 2 for wrong usage or input, 3 where damage is found, 4 where a bot
never made a move, 5 where a proof rests on assumed claims, and 130 after
Ctrl-C.")]
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

/// The command line's definition as it is parsed: the help of a command names the options of all commands in one line.
fn parser() -> clap::Command {
    let whole = command();
    let globals: Vec<clap::Arg> = whole.get_arguments().filter(|argument| argument.is_global_set()).cloned().collect();
    let brief = |command: clap::Command| {
        let hidden = globals.iter().map(|argument| argument.clone().hide(true));
        command.args(hidden).help_template(HELP_TEMPLATE)
    };
    whole.mut_subcommands(|command| brief(command).mut_subcommands(brief))
}

/// The form of a command's help.
const HELP_TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}

{all-args}

Options of all commands: --quiet, --verbose, --color (see doublecross --help){after-help}";

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
    Signature(signature::Signature),
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
        let bot = shell_word(spec.name());
        return Err(Failure::input(anyhow::anyhow!(
            "bot {bot} plays {known} alone, and the games are on {board} (name another bot, or play on {known})"
        )));
    }
    if let Some(notice) = factory.notice(board) {
        print_line(format_args!("bot {}: {notice}", shell_word(spec.name())));
    }
    Ok(())
}

/// Returns a failure if a checkpoint does not play the board of `--board`.
fn check_plays(weights: &Weights, board: Board) -> Result<(), Failure> {
    // A network of several boards plays any.
    if board == weights.board || !weights.other_boards.is_empty() {
        return Ok(());
    }
    Err(Failure::input(anyhow::anyhow!("--board {board}: the checkpoint plays {} alone", weights.board)))
}

/// The environment variable that names the instruction set that networks run on.
const ISA_VARIABLE: &str = "DOUBLECROSS_ISA";

/// The instruction set that the environment names, if it names one.
fn named_isa() -> Result<Option<Isa>, Failure> {
    let Some(name) = std::env::var_os(ISA_VARIABLE) else { return Ok(None) };
    let isa = Isa::named(&name.to_string_lossy(), &Isa::available());
    isa.map(Some).map_err(|error| Failure::input(anyhow::anyhow!("{ISA_VARIABLE}={}: {error}", shell_word(&name))))
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
        "train" | "config" | "label" | "learn" | "tune" | "verify" | "bench" if !cfg!(feature = "train") => {
            Some(WITHOUT_TRAINING.into())
        }
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
    let parsed = parser().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        // Help and version are not errors.
        Err(help) if !help.use_stderr() => {
            print_help(&help);
            return exit_code(check_output());
        }
        Err(help) if help.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => help.exit(),
        Err(error) => {
            let game = (error.kind() == ErrorKind::UnknownArgument).then(|| split_game(std::env::args().skip(1)));
            let message = left_out().or(game.flatten()).unwrap_or_else(|| usage_message(&error));
            return exit_code(Err(Failure::input(anyhow::anyhow!(message))));
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
        Command::Signature(command) => on_threads(None, || command.run()),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    });
    exit_code(result.and_then(|()| check_output()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All commands, each with the commands within it.
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        [command].into_iter().chain(command.get_subcommands().flat_map(all)).collect()
    }

    /// A shell splits each line into the words that the program gets.
    #[cfg(unix)]
    #[test]
    fn examples_are_command_lines() {
        let parser = parser();
        let texts =
            all(&parser).into_iter().filter_map(|command| command.get_after_help()).map(|help| help.to_string());
        // A command may go on in the next line.
        let texts = texts.map(|text| text.replace("\\\n    ", ""));
        let lines: Vec<String> = texts.flat_map(|text| text.lines().map(String::from).collect::<Vec<_>>()).collect();
        let examples = lines.iter().filter_map(|line| line.strip_prefix("  doublecross "));
        let mut count = 0;
        // A comment stands behind at least two spaces.
        let commands =
            examples.map(|example| example.split("  ").next().unwrap_or_default().trim_end_matches([' ', '\\']));
        for example in commands.filter(|example| !example.contains(['|', '>'])) {
            let script = format!("for word in {example}; do printf '%s\\n' \"$word\"; done");
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            let words = String::from_utf8(output.stdout).unwrap();
            let words = ["doublecross"].into_iter().chain(words.lines());
            let parsed = parser.clone().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            count += 1;
        }
        assert!(count > 30, "{count} examples");
    }

    #[test]
    fn a_command_names_the_options_of_all_commands_in_one_line() {
        let help = |arguments: &[&str]| {
            let words = ["doublecross"].iter().chain(arguments).chain(&["--help"]);
            parser().try_get_matches_from(words).unwrap_err().to_string()
        };
        for arguments in [&["solve"][..], &["book", "show"], &["fleet"]] {
            let help = help(arguments);
            assert_eq!(help.matches("--quiet").count(), 1, "{help}");
            assert!(help.contains("doublecross --help"), "{help}");
        }
        assert!(help(&[]).contains("Print nothing on stderr but errors and warnings"));
    }
}
