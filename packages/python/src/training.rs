//! Training runs that are started from Python.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use doublecross::built_in::{PRESETS, built_in};
use doublecross::run::config::changeable_keys;
use doublecross::run::{Config, ConfigError, Event, Observer};
use doublecross::train::{RunContext, RunError, Training, WarmStart};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;

use crate::errors::{checkpoint_error, data_set_error, file_error, invalid, shard_error, without_options};
use crate::long_call::long_call;
use crate::network::named_isa;

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
pub fn run_error(error: RunError, start: Option<&Path>, data: Option<&Path>) -> PyErr {
    match error {
        RunError::File { path, error } => file_error(format!("{path}: {error}"), Some(error.kind())),
        RunError::Config(error) => config_error(error),
        RunError::Checkpoint(error) => checkpoint_error(error),
        RunError::Shard(error) => shard_error(error),
        RunError::DataSet(error) => data_set_error(data.unwrap_or(Path::new("")), error),
        RunError::Start { .. } => {
            let is_missing = start.is_some_and(|start| !start.exists());
            file_error(error, is_missing.then_some(ErrorKind::NotFound))
        }
        RunError::OtherRun { path, key, kept, asked } => invalid(format!(
            "{path} holds a run with other settings: {key} is {kept} there, and {asked} was asked for (go on with it by \
             the folder in place of the config, or name another folder). Phases that have not begun may change, and \
             these keys:\n{}",
            changeable_keys()
        )),
        RunError::Longer { path, done, asked } => {
            invalid(format!("{path} has {done} generations, and generations is {asked} (set it to {done} or more)"))
        }
        RunError::EditedConfig { path, key, kept, asked } => invalid(format!(
            "{path}/config.toml was changed: {key} is {asked} there, and {kept} in the run (put {kept} back, or train \
             the config that the run was started with, which writes the file again)"
        )),
        RunError::OtherIsa { path, own, beside } => invalid(format!(
            "{path} is a run on the instruction set {own}, and DOUBLECROSS_ISA asks for {beside} (unset that, or name \
             another folder and set isa to {beside:?})"
        )),
        RunError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        RunError::Diverged { .. } | RunError::PlayerPanicked | RunError::Threads(_) => {
            PyRuntimeError::new_err(without_options(error.to_string()))
        }
        _ => invalid(without_options(error.to_string())),
    }
}

/// The exception of a config that cannot be used.
fn config_error(error: ConfigError) -> PyErr {
    let kind = if let ConfigError::Read { error, .. } = &error { Some(error.kind()) } else { None };
    file_error(error, kind)
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
    let config = Config::load_or_preset(&config, PRESETS, &settings).map_err(config_error)?;
    let data = config.labeled.data.as_ref().map(PathBuf::from);
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
        (None, result) => result.map_err(|error| run_error(error, start.as_deref(), data.as_deref())),
    }
}
