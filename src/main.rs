//! The `doublecross` program.

// Output goes through `cli::terminal`, which does not panic where stdout or stderr is closed.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cli;
mod export;
mod page;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
