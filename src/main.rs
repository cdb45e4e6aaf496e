//! The `doublecross` program. See [`doublecross::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    doublecross::cli::main()
}
