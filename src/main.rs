//! The `doublecross` program, whose commands are in [`doublecross::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    doublecross::cli::main()
}
