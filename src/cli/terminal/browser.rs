//! The default browser.

use std::process::{Command, Stdio};
use std::thread;

use crate::cli::terminal::stderr::print_line;

/// Opens an address in the default browser, and prints a message if that fails.
pub(crate) fn open_browser(address: &str) {
    let mut command = opener(address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let name = command.get_program().to_string_lossy().into_owned();
    match command.spawn() {
        // It may take as long as the browser is open.
        Ok(mut child) => {
            let wait = move || match child.wait() {
                Ok(status) if !status.success() => {
                    print_line(format_args!("cannot open a browser: {name} failed ({status})"));
                }
                _ => {}
            };
            // Without the thread, only the message is lost.
            let _ = thread::Builder::new().spawn(wait);
        }
        Err(error) => print_line(format_args!("cannot open a browser: {name}: {error}")),
    }
}

/// The system's command that opens an address. No shell reads the address.
fn opener(address: &str) -> Command {
    let (program, arguments): (&str, &[&str]) = if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    command
}
