//! The command line: one file per command, each thin.

mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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

/// Runs the program: exit status 0 on success, 2 for wrong usage or bad input, 1 for a failure while running.
pub fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Train(command) => command.run(),
    };
    let (error, status) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(error)) => (error, 2),
        Err(Failure::Running(error)) => (error, 1),
    };
    eprintln!("doublecross: {error:#}");
    ExitCode::from(status)
}
