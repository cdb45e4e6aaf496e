//! Output on stdout.

use std::io::Write;
use std::sync::Mutex;

use super::Failure;

/// The first error of [`print`]. It is reported when the command has ended, so that the command can
/// still save its work.
static FIRST_ERROR: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Writes to stdout. A closed pipe is not an error, and other errors are kept for [`check_output`].
pub(super) fn print(text: std::fmt::Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_fmt(text).and_then(|()| output.flush())
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && let Ok(mut first_error) = FIRST_ERROR.lock()
    {
        first_error.get_or_insert(error);
    }
}

/// Returns a failure if [`print`] could not write everything.
pub(super) fn check_output() -> Result<(), Failure> {
    match FIRST_ERROR.lock().ok().and_then(|mut error| error.take()) {
        Some(error) => Err(Failure::running(anyhow::anyhow!("cannot write to stdout: {error}"))),
        None => Ok(()),
    }
}

/// Writes a JSON object to stdout, on one line.
pub(super) fn print_json(object: &serde_json::Value) {
    print(format_args!("{object}\n"));
}
