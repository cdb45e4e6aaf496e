//! Time that this thread has had a processor, so that other work on the machine does not count.

use std::time::{Duration, Instant};

pub struct Clock {
    start: Instant,
    had: Option<Duration>,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { start: Instant::now(), had: had() }
    }

    /// Since the start; by the wall where the system does not tell.
    pub fn elapsed(&self) -> Duration {
        match (self.had, had()) {
            (Some(before), Some(now)) => now - before,
            _ => self.start.elapsed(),
        }
    }
}

/// What Linux says that this thread had: the first number of its schedstat, in nanoseconds.
fn had() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}
