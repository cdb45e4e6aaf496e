//! Words on stderr, beside what a command has to say.

use std::fmt::Arguments;
use std::io::{Write, stderr};

/// Writes a line to stderr, if it can. Nobody being there any more to read it, as at the end of a pipe, is no reason to
/// end hours of work, which is what `eprintln!` would do.
pub(crate) fn tell(line: Arguments<'_>) {
    let _ = stderr().lock().write_fmt(format_args!("{line}\n"));
}
