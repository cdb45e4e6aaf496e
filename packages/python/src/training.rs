//! Training runs that are started from Python.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use doublecross::built_in::{PRESETS, built_in};
use doublecross::run::{CheckpointError, Config, Event, Observer};
use doublecross::train::{RunContext, RunError, Training, WarmStart};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::long_call::long_call;
use crate::network::named_isa;
use crate::position::invalid;

/// Calls a function of Python after each generation. Its exception ends the run.
struct Reporter {
    progress: Option<Py<PyAny>>,
    stop: Arc<AtomicBool>,
    raised: Mutex<Option<PyErr>>,
}

impl Observer for Reporter {
    fn report(&self, event: Event<'_>) {
        let Event::GenerationFinished { record, .. } = event else { return };
        let (Some(progress), Ok(row)) = (&self.progress, serde_json::to_string(record)) else { return };
        if let Err(error) = Python::attach(|py| progress.call1(py, (row,))) {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The exception of a run that cannot begin or go on.
fn failed(error: RunError) -> PyErr {
    match error {
        RunError::File { .. } | RunError::Checkpoint(CheckpointError::File { .. }) => {
            PyOSError::new_err(error.to_string())
        }
        RunError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        RunError::Diverged { .. } | RunError::PlayerPanicked | RunError::Threads(_) => {
            PyRuntimeError::new_err(error.to_string())
        }
        _ => invalid(error),
    }
}

/// Trains in a folder to the last generation, and calls `progress` with the figures of each as JSON.
#[pyfunction]
pub fn train(
    py: Python<'_>,
    config: PathBuf,
    folder: PathBuf,
    settings: Vec<String>,
    start: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let config = Config::load_or_preset(&config, PRESETS, &settings).map_err(invalid)?;
    let stop = Arc::<AtomicBool>::default();
    let reporter = Arc::new(Reporter { progress, stop: stop.clone(), raised: Mutex::default() });
    let context =
        RunContext { stop: stop.clone(), ..RunContext::new(named_isa()?, built_in().books.clone(), reporter.clone()) };
    let trained = long_call(py, &stop, || {
        let warm_start = WarmStart { weights: start.as_deref(), ..WarmStart::default() };
        Training::open(&folder, config, warm_start, context)?.run()
    })?;
    match (reporter.raised.lock().unwrap_or_else(PoisonError::into_inner).take(), trained) {
        (Some(error), _) => Err(error),
        (None, result) => result.map_err(failed),
    }
}
