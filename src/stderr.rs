//! Messages on stderr for the person who runs the program.

use std::fmt::Arguments;
use std::io::{Write, stderr};

/// Writes a line to stderr and ignores errors.
///
/// `eprintln!` would panic if stderr is a closed pipe, which must not end hours of work.
pub(crate) fn print_line(line: Arguments<'_>) {
    let _ = stderr().lock().write_fmt(format_args!("{line}\n"));
}
