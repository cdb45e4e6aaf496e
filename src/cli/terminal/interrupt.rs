//! Signals: those that end a command, and those that the system sends where an error is enough.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::{Builder, sleep};
use std::time::Duration;

use crate::cli::Failure;
use crate::cli::terminal::failure::INTERRUPTED;
use crate::cli::terminal::stderr::{print_line, shows_bars};
use doublecross_files::end_waits;

/// The time between two checks of a flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time after a signal in which another one belongs to it.
const SAME_SIGNAL: Duration = Duration::from_millis(300);

/// Set by a signal that ends the command.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set as long as nothing looks at `STOP`.
static ENDS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(true.into()));

/// `true` once signals set `STOP`.
static IS_REGISTERED: Mutex<bool> = Mutex::new(false);

/// Prepares the process for signals, before it does anything else.
///
/// The first process of a container has no default reactions to signals, so a command that looks at no
/// flag ends by this one. A file that grows beyond the limit of the process is an error like a full disk.
/// A failed allocation, about which the standard library prints a message, ends the process with the
/// status of a failure.
pub(crate) fn prepare_signals() {
    use signal_hook::flag::register_conditional_shutdown;
    // Only a signal that cannot be handled is an error.
    let _ = register_conditional_shutdown(signal_hook::consts::SIGABRT, 1, Arc::new(AtomicBool::new(true)));
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::<AtomicBool>::default());
    if std::process::id() == 1 {
        for signal in ending_signals() {
            let _ = register_conditional_shutdown(signal, INTERRUPTED.into(), ENDS_AT_ONCE.clone());
        }
    }
}

/// Returns a flag that is set by Ctrl-C, by a request to terminate, and on Linux by the
/// closing of the terminal. A second such signal ends the program, unless it comes at once, as from
/// `timeout`, which signals the process and then its group.
///
/// Waits for readers of pipes end with the first.
pub(crate) fn interrupts() -> Result<Arc<AtomicBool>, Failure> {
    let mut is_registered = IS_REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_registered {
        let was_stopped: Arc<AtomicBool> = Arc::default();
        for signal in ending_signals() {
            signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED.into(), was_stopped.clone())
                .map_err(Failure::running)?;
            signal_hook::flag::register(signal, STOP.clone()).map_err(Failure::running)?;
        }
        let watch = move || {
            while !is_interrupted() {
                sleep(POLL_INTERVAL);
            }
            sleep(SAME_SIGNAL);
            was_stopped.store(true, Relaxed);
        };
        start_thread("second-signal", watch)?;
        end_waits(STOP.clone());
        ENDS_AT_ONCE.store(false, Relaxed);
        *is_registered = true;
    }
    Ok(STOP.clone())
}

/// Returns `true` if a signal has set the flag of [`interrupts`].
pub(crate) fn is_interrupted() -> bool {
    STOP.load(Relaxed)
}

/// Returns the signals that end a command.
fn ending_signals() -> impl Iterator<Item = i32> {
    [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM].into_iter().chain(hang_up())
}

/// Returns the signal of a closed terminal if it is known not to be ignored, as `nohup` has it. Only
/// Linux tells.
#[cfg(unix)]
fn hang_up() -> Option<i32> {
    let signal = signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 0).then_some(signal)
}

/// Returns `None`, since there is no such signal on this system.
#[cfg(not(unix))]
fn hang_up() -> Option<i32> {
    None
}

/// Returns a failure if the flag of [`interrupts`] is set.
pub(crate) fn not_interrupted(stop: &AtomicBool) -> Result<(), Failure> {
    if stop.load(Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Starts a thread that watches for signals.
fn start_thread(name: &str, watch: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let spawned = Builder::new().name(name.into()).spawn(watch);
    spawned.map(drop).map_err(|error| Failure::running(anyhow::anyhow!("cannot start a thread for signals: {error}")))
}

/// Ends the program when a signal comes, for work that may be cut off anywhere, as long as this lives.
pub(crate) struct EndOnInterrupt {
    is_over: Arc<AtomicBool>,
}

impl EndOnInterrupt {
    /// Ends the program with `message` when a signal comes from now on.
    pub fn new(message: impl Fn() -> String + Send + 'static) -> Result<EndOnInterrupt, Failure> {
        let interrupted = interrupts()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let watched = is_over.clone();
        let watch = move || {
            while !watched.load(Relaxed) {
                if interrupted.load(Relaxed) {
                    // Below the bar, which stays.
                    let below = if shows_bars() { "\n" } else { "" };
                    print_line(format_args!("{below}{}", message()));
                    // Without destructors, which other threads may still need.
                    signal_hook::low_level::exit(INTERRUPTED.into());
                }
                sleep(POLL_INTERVAL);
            }
        };
        start_thread("interrupts", watch)?;
        Ok(EndOnInterrupt { is_over })
    }
}

impl Drop for EndOnInterrupt {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
    }
}
