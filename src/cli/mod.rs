//! The command line: one file per command, each thin.

mod bench;
mod bot;
mod eval;
mod export;
mod leaderboard;
mod matching;
mod monitor;
mod replay;
mod report;
mod serve;
mod solve;
mod stdin;
mod train;

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::arena::{BotFactory, BotSpec};
use crate::board::Board;
use crate::export::bundled_bot;
use crate::net::Isa;
use crate::pretrained::PRETRAINED;
use crate::stderr::print_line;
use crate::train::load_weights;

/// Self-play trainer, exact solver and arena bot for Dots and Boxes.
#[derive(Debug, Parser)]
#[command(name = "doublecross", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Train(train::Train),
    Eval(eval::Eval),
    Match(matching::Match),
    Replay(replay::Replay),
    Leaderboard(leaderboard::Leaderboard),
    Solve(solve::Solve),
    Bot(bot::Bot),
    Export(export::Export),
    Serve(serve::Serve),
    Bench(bench::Bench),
}

/// Why a command ended early.
enum Failure {
    /// Wrong usage or bad input: exit status 2.
    Input(anyhow::Error),
    /// Something failed while running: exit status 1.
    Running(anyhow::Error),
}

impl Failure {
    fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Input(error.into())
    }

    fn running(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Running(error.into())
    }
}

/// Loads what a bot needs; its checkpoint may be a weights file, a checkpoint's folder or a run's folder.
fn load_bot(spec: &BotSpec) -> Result<BotFactory, Failure> {
    if let Some((old, new)) = spec.old_spelling() {
        print_line(format_args!("{}: the option {old} is now called {new}; the old name is still read", spec.name()));
    }
    let resolve = |path: &std::path::Path| load_weights(path).map_err(|error| error.to_string());
    spec.factory_with(chosen_isa()?, resolve).map_err(Failure::input)
}

/// An error when a bot has no network of the board: it could only be played as something else than it is called.
fn check_board(factory: &BotFactory, spec: &BotSpec, board: Board) -> Result<(), Failure> {
    if factory.knows(board) {
        return Ok(());
    }
    let known = match factory.board() {
        Some(board) => board.to_string(),
        None => PRETRAINED.map(|((rows, cols), _)| format!("{rows}x{cols}")).join(", "),
    };
    Err(Failure::input(anyhow::anyhow!("{} plays {known}; the games are on {board}", spec.name())))
}

/// A flag that Ctrl-C sets, or a request to end, or a terminal that is closed; the second one ends the program as usual.
fn interrupts() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM].into_iter().chain(hang_up()) {
        signal_hook::flag::register_conditional_default(signal, interrupted.clone()).map_err(Failure::running)?;
        signal_hook::flag::register(signal, interrupted.clone()).map_err(Failure::running)?;
    }
    Ok(interrupted)
}

/// The signal of a terminal that is closed, unless whoever started the program (as `nohup` does) wants it to outlive that.
#[cfg(unix)]
fn hang_up() -> Option<i32> {
    let signal = signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 0).then_some(signal)
}

/// There is no such signal.
#[cfg(not(unix))]
fn hang_up() -> Option<i32> {
    None
}

/// An error when the flag of [`interrupts`] is set.
fn not_interrupted(stop: &AtomicBool) -> Result<(), Failure> {
    if stop.load(Relaxed) { Err(Failure::running(anyhow::anyhow!("interrupted"))) } else { Ok(()) }
}

/// The environment variable that names an instruction set to take instead of the fastest one.
const ISA_VARIABLE: &str = "DOUBLECROSS_ISA";

/// The instruction set that networks run on.
fn chosen_isa() -> Result<Isa, Failure> {
    match std::env::var(ISA_VARIABLE) {
        Ok(name) => Isa::named(&name, &Isa::available())
            .map_err(|error| Failure::input(anyhow::anyhow!("{ISA_VARIABLE}: {error}"))),
        Err(_) => Ok(Isa::fastest()),
    }
}

/// What becomes of an error while this file or folder is written.
fn cannot_write(path: &std::path::Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    |error| Failure::running(anyhow::anyhow!("cannot write {}: {error}", path.display()))
}

/// The first error of [`print`]: told when the command has ended, so that what it still has to save is saved.
static UNWRITTEN: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Writes to stdout. A reader that has gone away is no failure of ours.
fn print(text: std::fmt::Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_fmt(text).and_then(|()| output.flush())
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && let Ok(mut unwritten) = UNWRITTEN.lock()
    {
        unwritten.get_or_insert(error);
    }
}

/// An error when something that was printed did not get out.
fn all_is_written() -> Result<(), Failure> {
    match UNWRITTEN.lock().ok().and_then(|mut error| error.take()) {
        Some(error) => Err(Failure::running(anyhow::anyhow!("cannot write to stdout: {error}"))),
        None => Ok(()),
    }
}

/// Writes one JSON object on a line of stdout.
fn print_json(object: &serde_json::Value) -> Result<(), Failure> {
    print(format_args!("{object}\n"));
    Ok(())
}

/// Runs the program: exit status 0 on success, 2 for wrong usage or bad input, 1 for a failure while running.
pub fn main() -> ExitCode {
    // A bundle is told nothing: it plays. Where the program's own file cannot be read, it is none.
    if let Ok(Some(bot)) = bundled_bot() {
        return status(bot::play_bundled(&bot));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and version are no errors.
        Err(told) if !told.use_stderr() || told.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            told.exit()
        }
        Err(error) => return status(Err(Failure::input(anyhow::anyhow!(in_one_line(&error))))),
    };
    // Asked here, so that a wrong name is an error whatever the command does with it.
    let result = chosen_isa().and_then(|_| match arguments.command {
        Command::Train(command) => command.run(),
        Command::Eval(command) => command.run(),
        Command::Match(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Leaderboard(command) => command.run(),
        Command::Solve(command) => command.run(),
        Command::Bot(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Serve(command) => command.run(),
        Command::Bench(command) => command.run(),
    });
    status(result.and_then(|()| all_is_written()))
}

/// What is wrong with the command line, without the usage that clap adds.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let said =
        text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let said: Vec<&str> = said.filter(|line| !line.is_empty()).collect();
    let said = said.join("; ").trim_start_matches("error: ").replace(":; ", ": ");
    // What the standard library says of a value does not tell what would have done.
    let words = [
        ("invalid digit found in string", "expected a whole number"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("invalid IP address syntax", "expected an IP address, as in 127.0.0.1 or ::1"),
    ];
    words.iter().fold(said, |said, (own, plain)| said.replace(own, plain))
}

/// Tells of a failure, and gives the exit status.
fn status(result: Result<(), Failure>) -> ExitCode {
    let (error, status) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(error)) => (error, 2),
        Err(Failure::Running(error)) => (error, 1),
    };
    print_line(format_args!("doublecross: {error:#}"));
    ExitCode::from(status)
}
