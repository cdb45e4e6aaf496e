//! The lines of stdin, for which waiting can be interrupted.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often it is looked whether to stop.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The lines of stdin without their ends, until there are no more or the flag is set. They are read on a thread of their
/// own: a signal that sets a flag does not end a read.
pub(super) struct Lines {
    lines: Receiver<io::Result<Vec<u8>>>,
    interrupted: Arc<AtomicBool>,
}

impl Lines {
    pub fn new(interrupted: Arc<AtomicBool>) -> Lines {
        let (sender, lines) = sync_channel(64);
        std::thread::spawn(move || io::stdin().lock().split(b'\n').try_for_each(|line| sender.send(line)));
        Lines { lines, interrupted }
    }
}

impl Iterator for Lines {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        while !self.interrupted.load(Relaxed) {
            match self.lines.recv_timeout(BETWEEN_LOOKS) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}
