//! Output on stdout.

use std::fmt::Arguments;
use std::io;
use std::sync::Mutex;

use anstream::{AutoStream, ColorChoice};

use crate::cli::Failure;
use doublecross_files::write_when_ready;

/// The first error of [`print`]. It is reported when the command has ended, so that the command can
/// still save its work.
static FIRST_ERROR: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to stdout. A pipe whose reader has gone is not an error, and other errors are kept for
/// [`check_output`].
pub(crate) fn print(text: Arguments<'_>) {
    let text = text.to_string();
    let written = match closed::is_closed() {
        true => Err(io::Error::other("it is closed")),
        false => write_when_ready(&mut io::stdout().lock(), text.as_bytes()),
    };
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
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

/// Writes a help text or the version to stdout.
pub(crate) fn print_help(help: &clap::Error) {
    let (text, color) = (help.render(), AutoStream::choice(&io::stdout()));
    match color {
        ColorChoice::Never => print(format_args!("{text}")),
        _ => print(format_args!("{}", text.ansi())),
    }
}

/// Writes a JSON object to stdout, on one line.
pub(crate) fn print_json(object: &serde_json::Value) {
    print(format_args!("{object}\n"));
}

/// Stdout as the program was started with it. The standard library puts `/dev/null` in the place of
/// one that is closed, so this looks before it does.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod closed {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// Called by the loader before `main`.
    #[used]
    // SAFETY: the loader calls the functions of this section once, with arguments that this one does
    // not look at. It allocates nothing and uses nothing that the standard library sets up.
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        let found = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        IS_CLOSED.store(found == Err(rustix::io::Errno::BADF), Relaxed);
    }

    /// Returns `true` if the program was started without stdout.
    pub(super) fn is_closed() -> bool {
        IS_CLOSED.load(Relaxed)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod closed {
    /// Returns `false`, since nothing is known.
    pub(super) fn is_closed() -> bool {
        false
    }
}
