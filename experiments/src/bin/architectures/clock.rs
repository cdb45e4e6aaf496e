//! Processor time of the current thread, so that other work on the machine does not count.

use std::time::{Duration, Instant};

/// A stopwatch of processor time.
pub struct Clock {
    start: Instant,
    processor_time: Option<Duration>,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { start: Instant::now(), processor_time: processor_time() }
    }

    /// The time since the start: wall-clock time where the system does not count processor time.
    pub fn elapsed(&self) -> Duration {
        match (self.processor_time, processor_time()) {
            (Some(before), Some(now)) => now - before,
            _ => self.start.elapsed(),
        }
    }
}

/// The first number of the thread's schedstat on Linux, in nanoseconds.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}
