//! Processor time of runs.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::TuneError;
use super::error::file_error;
use super::kept::read;
use doublecross_core::shell::shell_word;
use doublecross_files::write_whole;
use doublecross_run::{Event, Observer, Task};

/// Returns the time that all threads of this process have spent on processors.
///
/// Unlike the time by the clock, it does not depend on what else the machine does.
#[cfg(unix)]
pub(super) fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Returns the time by the clock times the number of processors. The standard library gives no
/// processor time.
#[cfg(not(unix))]
pub(super) fn processor_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    START.get_or_init(Instant::now).elapsed() * processors as u32
}

/// An observer that measures the processor time of a run's generations, without that of its suite.
///
/// The sum is kept in a file, so that it outlasts a kill. What a kill cuts off is not counted.
pub(super) struct Stopwatch {
    observer: Arc<dyn Observer>,
    /// The time of this process so far.
    clock: fn() -> Duration,
    /// The file with the sum, if there is one.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The time up to which all is counted.
    last: Duration,
    /// The time of the generation that goes on.
    current: Duration,
    /// The seconds up to the end of each generation of this process; the first are those of earlier
    /// processes.
    sums: Vec<f64>,
    /// The first failure of the file.
    error: Option<io::Error>,
}

impl Stopwatch {
    /// Starts a stopwatch that passes reports on to `observer`, and goes on from the sum in the file
    /// at `path`.
    ///
    /// # Errors
    /// Returns an error if there is a file that cannot be read.
    pub fn start(observer: Arc<dyn Observer>, path: Option<PathBuf>) -> Result<Stopwatch, TuneError> {
        Stopwatch::by(processor_time, observer, path)
    }

    fn by(clock: fn() -> Duration, observer: Arc<dyn Observer>, path: Option<PathBuf>) -> Result<Stopwatch, TuneError> {
        let mut before = 0.0;
        if let Some(path) = &path
            && let Some(text) = read(path)?
        {
            let number = text.trim().parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
            let reason = || format!("{:?} is not a number of seconds (remove the file to count from 0)", text.trim());
            before = number.ok_or_else(|| TuneError::Damaged { path: shell_word(path), reason: reason() })?;
        }
        let state = State { last: clock(), current: Duration::ZERO, sums: vec![before], error: None };
        Ok(Stopwatch { observer, clock, path, state: Mutex::new(state) })
    }

    /// Returns the seconds up to the end of each generation of this process; the first are those of
    /// earlier processes.
    ///
    /// # Errors
    /// Returns an error if the file could not be written.
    pub fn sums(&self) -> Result<Vec<f64>, TuneError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match (state.error.take(), &self.path) {
            (Some(error), Some(path)) => Err(file_error(path)(error)),
            _ => Ok(state.sums.clone()),
        }
    }
}

impl Observer for Stopwatch {
    fn report(&self, event: Event<'_>) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let now = (self.clock)();
            match event {
                Event::Progress { task: Task::ScoringSuite | Task::SolvingSuite, done: 0, .. } => state.count(now),
                Event::Ended(Task::ScoringSuite | Task::SolvingSuite) => state.last = now,
                Event::GenerationFinished { .. } => {
                    state.count(now);
                    let sum = state.sums.last().copied().unwrap_or(0.0) + state.current.as_secs_f64();
                    state.current = Duration::ZERO;
                    state.sums.push(sum);
                    if let Some(path) = &self.path
                        && let Err(error) = write_whole(path, format!("{sum:.3}\n").as_bytes())
                    {
                        state.error.get_or_insert(error);
                    }
                }
                _ => {}
            }
        }
        self.observer.report(event);
    }
}

impl State {
    /// Counts the time up to now to the present generation.
    fn count(&mut self, now: Duration) {
        self.current += now.saturating_sub(self.last);
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_run::Record;
    use std::cell::Cell;
    use std::fs;

    thread_local!(static SECONDS: Cell<u64> = const { Cell::new(7) });

    fn pass(seconds: u64) {
        SECONDS.set(SECONDS.get() + seconds);
    }

    #[test]
    fn processor_time_passes_with_work() {
        let start = processor_time();
        let mut sum = 0u64;
        while processor_time() <= start {
            sum = std::hint::black_box(sum + 1);
        }
    }

    #[test]
    fn generations_are_timed_without_their_suite_and_the_sum_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seed-1.seconds");
        let clock = || Duration::from_secs(SECONDS.get());
        let start = || Stopwatch::by(clock, Arc::new(()), Some(path.clone()));
        let end = |stopwatch: &Stopwatch| {
            stopwatch.report(Event::GenerationFinished { record: &Record::default(), generations: 2 });
        };
        let stopwatch = start().unwrap();
        pass(3);
        end(&stopwatch);
        pass(4);
        let task = Task::ScoringSuite;
        stopwatch.report(Event::Progress { task, done: 0, total: 9 });
        pass(100);
        stopwatch.report(Event::Progress { task, done: 5, total: 9 });
        stopwatch.report(Event::Ended(task));
        pass(2);
        end(&stopwatch);
        assert_eq!(stopwatch.sums().unwrap(), [0.0, 3.0, 9.0]);
        // Another process goes on.
        pass(50);
        let resumed = start().unwrap();
        pass(5);
        end(&resumed);
        assert_eq!(resumed.sums().unwrap(), [9.0, 14.0]);
        for text in ["", "x", "-1", "inf"] {
            fs::write(&path, text).unwrap();
            assert!(matches!(start(), Err(TuneError::Damaged { .. })), "{text:?}");
        }
    }
}
