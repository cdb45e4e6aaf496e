//! The processor time of this process.

use std::time::{Duration, Instant};

/// Returns the time that all threads of this process have spent on processors.
///
/// Unlike the time by the clock, it does not depend on what else the machine does. Where the system is
/// not a Unix, it is the time by the clock times the number of processors.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Returns the time by the clock times the number of processors. The standard library gives no
/// processor time.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    START.get_or_init(Instant::now).elapsed() * processors as u32
}

/// The beginning of some work, by the clock and in processor time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    clock: Instant,
    processor: Duration,
}

/// The time that some work took.
#[derive(Clone, Copy, Debug)]
pub struct Elapsed {
    /// Seconds by the clock.
    pub seconds: f64,
    /// Seconds of processor time, of all threads of this process.
    pub processor_seconds: f64,
}

impl Stopwatch {
    /// Starts a stopwatch.
    pub fn start() -> Stopwatch {
        Stopwatch { clock: Instant::now(), processor: processor_time() }
    }

    /// Returns the time since the start.
    pub fn elapsed(self) -> Elapsed {
        let processor_seconds = processor_time().saturating_sub(self.processor).as_secs_f64();
        Elapsed { seconds: self.clock.elapsed().as_secs_f64(), processor_seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_passes_with_work() {
        let stopwatch = Stopwatch::start();
        let mut sum = 0u64;
        while stopwatch.elapsed().processor_seconds <= 0.0 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(stopwatch.elapsed().seconds > 0.0);
    }
}
