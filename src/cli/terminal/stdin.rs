//! The lines of stdin, read so that waiting for them can be interrupted.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::cli::Failure;
use doublecross_core::protocol::{Line, Lines};

/// The time between two checks of the flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// An iterator over the lines of stdin without their line breaks, until stdin ends or a flag is
/// set.
///
/// Another thread reads them, since a signal that sets a flag does not end a read.
pub(crate) struct StdinLines {
    lines: Receiver<io::Result<Line>>,
    interrupted: Arc<AtomicBool>,
}

impl StdinLines {
    /// Starts to read lines, until `interrupted` is set.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn new(interrupted: Arc<AtomicBool>) -> Result<StdinLines, Failure> {
        // Few lines wait in memory, however long they are.
        let (sender, lines) = sync_channel(4);
        let read = move || {
            let _ = Lines(io::stdin().lock()).try_for_each(|line| sender.send(line));
        };
        let spawned = thread::Builder::new().name("stdin".into()).spawn(read);
        spawned
            .map_err(|error| Failure::running(anyhow::anyhow!("cannot start a thread that reads stdin: {error}")))?;
        Ok(StdinLines { lines, interrupted })
    }
}

impl Iterator for StdinLines {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<io::Result<Line>> {
        while !self.interrupted.load(Relaxed) {
            match self.lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}
