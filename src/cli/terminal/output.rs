//! Output on stdout.

use std::io::Write;
use std::sync::Mutex;

use crate::cli::Failure;

/// The first error of [`print`]. It is reported when the command has ended, so that the command can
/// still save its work.
static FIRST_ERROR: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Writes to stdout. A closed pipe is not an error, and other errors are kept for [`check_output`].
pub(crate) fn print(text: std::fmt::Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_fmt(text).and_then(|()| output.flush())
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && let Ok(mut first_error) = FIRST_ERROR.lock()
    {
        first_error.get_or_insert(error);
    }
}

/// Returns a failure if [`print`] could not write everything.
pub(crate) fn check_output() -> Result<(), Failure> {
    match FIRST_ERROR.lock().ok().and_then(|mut error| error.take()) {
        Some(error) => Err(Failure::running(anyhow::anyhow!("cannot write to stdout: {error}"))),
        None => Ok(()),
    }
}

/// Writes a JSON object to stdout, on one line.
pub(crate) fn print_json(object: &serde_json::Value) {
    print(format_args!("{object}\n"));
}

/// Returns a text that others wrote, as a name in a log, with control characters escaped, which a
/// terminal might interpret, and likewise those that change the direction of what follows.
pub(crate) fn printable(text: &str) -> String {
    let is_safe = |c: char| {
        !c.is_control() && !matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if is_safe(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_might_interpret_is_escaped() {
        assert_eq!(printable("net:runs/é"), "net:runs/é");
        assert_eq!(printable("a\u{1b}[2Jb\n\u{202e}c\u{9b}"), "a\\u{1b}[2Jb\\n\\u{202e}c\\u{9b}");
    }
}
