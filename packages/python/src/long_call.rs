//! Calls of the library. All release the interpreter, and Ctrl-C ends those that take long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two looks for a signal.
const LOOK: Duration = Duration::from_millis(20);

/// Does work of milliseconds on this thread.
///
/// # Errors
/// Returns an error if the work panics.
pub fn short_call<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|_| failed())
}

/// The error of a call that should not have ended so.
pub fn failed() -> PyErr {
    PyRuntimeError::new_err("the call failed; this is a fault of the package")
}

/// Does some work on another thread, and sets `stop` where Python has a signal to handle. The result
/// of the work is dropped then.
///
/// # Errors
/// Returns the exception of the signal, or an error if the work panics.
pub fn long_call<T: Send>(py: Python<'_>, stop: &Arc<AtomicBool>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let (done, results) = channel();
    // The closure that waits may run on any thread, as far as the compiler knows.
    let results = Mutex::new(results);
    let wait = || results.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    thread::scope(|scope| {
        // What the work has changed is not used after a panic.
        scope.spawn(move || done.send(catch_unwind(AssertUnwindSafe(work))));
        let mut signal = Ok(());
        loop {
            match py.detach(wait) {
                Ok(Ok(result)) => return signal.map(|()| result),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(failed());
                }
                Err(RecvTimeoutError::Timeout) if signal.is_ok() => {
                    signal = py.check_signals();
                    // The work may have set it itself.
                    stop.fetch_or(signal.is_err(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}
