//! Processor time of runs.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::TuneError;
use super::error::file_error;
use crate::train::files::write_whole;
use crate::train::{Event, Observer};

/// Returns the time that all threads of this process have spent on processors.
///
/// Unlike the time by the clock, it does not depend on what else the machine does.
#[cfg(unix)]
pub(super) fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Returns the time by the clock, since this system has no other that the standard library tells,
/// times the number of processors.
#[cfg(not(unix))]
pub(super) fn processor_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    START.get_or_init(Instant::now).elapsed() * processors as u32
}

/// An observer that adds up the processor time of a run's generations, and keeps it in a file so
/// that it outlasts a kill.
pub(super) struct Stopwatch {
    observer: Arc<dyn Observer>,
    /// The file with the sum, if there is one.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The process's processor time at the end of the last generation.
    last: Duration,
    /// The sum after each generation of this process, in seconds, after that of earlier ones.
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
        let before = match &path {
            Some(path) => match fs::read_to_string(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => 0.0,
                text => seconds(&text.map_err(file_error(path))?)
                    .map_err(|reason| TuneError::Damaged { path: path.display().to_string(), reason })?,
            },
            None => 0.0,
        };
        let state = State { last: processor_time(), sums: vec![before], error: None };
        Ok(Stopwatch { observer, path, state: Mutex::new(state) })
    }

    /// Returns the seconds up to each generation of this process; the first are those of earlier
    /// processes.
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

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    number.ok_or_else(|| format!("expected a number of seconds, and found {:?}", text.trim()))
}

impl Observer for Stopwatch {
    fn report(&self, event: Event<'_>) {
        if let Event::GenerationFinished { .. } = event {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let now = processor_time();
            let sum = state.sums.last().copied().unwrap_or(0.0) + (now.saturating_sub(state.last)).as_secs_f64();
            state.last = now;
            state.sums.push(sum);
            if let Some(path) = &self.path
                && let Err(error) = write_whole(path, format!("{sum:.3}\n").as_bytes())
            {
                state.error.get_or_insert(error);
            }
        }
        self.observer.report(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Record;

    #[test]
    fn generations_are_timed_and_the_sum_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seed-1.seconds");
        let generation = |stopwatch: &Stopwatch| {
            let end = processor_time() + Duration::from_millis(20);
            while processor_time() < end {}
            stopwatch.report(Event::GenerationFinished { record: &Record::default(), generations: 2 });
        };
        let start = || Stopwatch::start(Arc::new(()), Some(path.clone()));
        let stopwatch = start().unwrap();
        generation(&stopwatch);
        generation(&stopwatch);
        let sums = stopwatch.sums().unwrap();
        assert!(sums.len() == 3 && sums[0] == 0.0 && sums[1] >= 0.02 && sums[2] >= sums[1] + 0.02, "{sums:?}");
        // Another process goes on.
        let resumed = start().unwrap();
        assert!((resumed.sums().unwrap()[0] - sums[2]).abs() < 0.001);
        generation(&resumed);
        assert!(resumed.sums().unwrap()[1] > sums[2]);
        for text in ["", "x", "-1", "inf"] {
            fs::write(&path, text).unwrap();
            assert!(matches!(start(), Err(TuneError::Damaged { .. })), "{text:?}");
        }
    }
}
