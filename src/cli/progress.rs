//! Progress on stderr: a bar with rate and time left on a terminal, a plain line now and then
//! elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::stderr::print_line;

/// The time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(30);

/// The progress of one piece of work.
pub(super) struct Progress {
    label: String,
    total: usize,
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Progress towards `total`.
    pub fn new(label: impl Into<String>, total: usize) -> Progress {
        let label = label.into();
        let bar = stderr().is_terminal().then(|| {
            let template = "{prefix} {wide_bar} {pos}/{len} {per_sec} {eta} left";
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total as u64).with_style(style).with_prefix(label.clone())
        });
        Progress { label, total, bar, last_line: Mutex::new(Instant::now()) }
    }

    /// Shows that `done` of the total are done.
    pub fn at(&self, done: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        } else if let Ok(mut last_line) = self.last_line.lock()
            && last_line.elapsed() >= INTERVAL
        {
            *last_line = Instant::now();
            print_line(format_args!("{} {done}/{}", self.label, self.total));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
