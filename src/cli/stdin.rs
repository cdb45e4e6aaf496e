//! The lines of stdin, read so that waiting for them can be interrupted.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// The time between two checks of the flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// An iterator over the lines of stdin without their line breaks, until stdin ends or a flag is
/// set.
///
/// Another thread reads them, since a signal that sets a flag does not end a read.
pub(super) struct StdinLines {
    lines: Receiver<io::Result<Vec<u8>>>,
    interrupted: Arc<AtomicBool>,
}

impl StdinLines {
    /// Starts to read lines, until `interrupted` is set.
    pub fn new(interrupted: Arc<AtomicBool>) -> StdinLines {
        let (sender, lines) = sync_channel(64);
        std::thread::spawn(move || io::stdin().lock().split(b'\n').try_for_each(|line| sender.send(line)));
        StdinLines { lines, interrupted }
    }
}

impl Iterator for StdinLines {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
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
