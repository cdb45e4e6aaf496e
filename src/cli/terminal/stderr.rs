//! Messages on stderr for the person who runs the program.

use std::ffi::OsString;
use std::fmt::Arguments;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use anstream::AutoStream;
use clap::ColorChoice;
use doublecross_files::printable;

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

/// Decides whether messages and help are colored from now on, as far as the choice is not left to the terminal and
/// the environment (NO_COLOR, CLICOLOR, CLICOLOR_FORCE).
pub(crate) fn set_color(choice: ColorChoice) {
    let choice = match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Returns `true` if messages are colored.
pub(crate) fn is_colored() -> bool {
    AutoStream::choice(&stderr()) != anstream::ColorChoice::Never
}

/// Returns the choice of `--color` among arguments that clap has not parsed yet, for help and errors
/// of usage.
pub(crate) fn choice_among(arguments: impl Iterator<Item = OsString>) -> ColorChoice {
    let words: Vec<String> = arguments.map(|word| word.to_string_lossy().into_owned()).collect();
    let following = words.iter().zip(words.iter().skip(1)).filter(|(word, _)| *word == "--color");
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
    let choice = following.map(|(_, value)| value.as_str()).chain(joined).last();
    choice.and_then(|choice| choice.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Returns `true` if progress is shown as a bar rather than in lines.
pub(crate) fn shows_bars() -> bool {
    is_at_least(Verbosity::Normal) && stderr().is_terminal()
}

/// Writes an error or a warning to stderr, and ignores errors. Control characters but line feeds are
/// escaped, since what others wrote may be in it, as the name of a file.
pub(crate) fn print_line(line: Arguments<'_>) {
    print_after("", &line.to_string());
}

/// Does the same, after a text with colors, which are left out unless they are wanted.
///
/// `eprintln!` would panic if stderr is a closed pipe, which must not end hours of work.
pub(crate) fn print_after(colored: &str, line: &str) {
    let lines = line.split('\n').map(printable).collect::<Vec<_>>().join("\n");
    let _ = anstream::stderr().lock().write_fmt(format_args!("{colored}{lines}\n"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_choice_among_the_arguments_counts() {
        for (arguments, expected) in [
            (&["train", "--help"][..], ColorChoice::Auto),
            (&["--color", "never", "--help"], ColorChoice::Never),
            (&["--color=always", "--help"], ColorChoice::Always),
            (&["--color", "always", "--color=never"], ColorChoice::Never),
            (&["--color", "blue"], ColorChoice::Auto),
            (&["--color"], ColorChoice::Auto),
        ] {
            assert_eq!(choice_among(arguments.iter().map(OsString::from)), expected, "{arguments:?}");
        }
    }
}
