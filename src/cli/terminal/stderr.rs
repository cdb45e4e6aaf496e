//! Messages on stderr for the person who runs the program.

use std::fmt::Arguments;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The messages that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors and warnings.
    Quiet,
    /// Progress and notices too.
    Normal,
    /// Details too.
    Verbose,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(Verbosity::Normal as u8);

/// Decides which messages are printed from now on.
pub(crate) fn set_verbosity(verbosity: Verbosity) {
    VERBOSITY.store(verbosity as u8, Relaxed);
}

/// Returns `true` if messages from this verbosity on are printed.
pub(crate) fn is_at_least(verbosity: Verbosity) -> bool {
    VERBOSITY.load(Relaxed) >= verbosity as u8
}

/// Returns `true` if progress is shown as a bar rather than in lines.
pub(crate) fn shows_bars() -> bool {
    is_at_least(Verbosity::Normal) && stderr().is_terminal()
}

/// Writes an error or a warning to stderr and ignores errors.
///
/// `eprintln!` would panic if stderr is a closed pipe, which must not end hours of work.
pub(crate) fn print_line(line: Arguments<'_>) {
    let _ = stderr().lock().write_fmt(format_args!("{line}\n"));
}

/// Writes progress or a notice to stderr, unless the program is quiet.
pub(crate) fn print_notice(line: Arguments<'_>) {
    if is_at_least(Verbosity::Normal) {
        print_line(line);
    }
}

/// Writes a detail to stderr if the program is verbose.
pub(crate) fn print_detail(line: Arguments<'_>) {
    if is_at_least(Verbosity::Verbose) {
        print_line(line);
    }
}
