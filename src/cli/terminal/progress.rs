//! Progress on stderr: a bar with rate and time left on a terminal, a plain line now and then
//! elsewhere.

use std::fmt::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::cli::terminal::stderr::{is_colored, print_notice, shows_bars};

/// The time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(30);

/// The progress of one piece of work.
pub(crate) struct Progress {
    label: String,
    total: usize,
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Progress towards `total`.
    pub fn new(label: impl Into<String>, total: usize) -> Progress {
        Progress::within(None, label, total)
    }

    /// Progress towards `total`, as a part of longer work whose progress stands above the bar.
    pub fn within(whole: Option<String>, label: impl Into<String>, total: usize) -> Progress {
        let label = label.into();
        let bar = shows_bars().then(|| {
            let (whole_style, bar_style) = if is_colored() { (":.bold", ":.cyan") } else { ("", "") };
            let above = whole.as_ref().map_or(String::new(), |_| format!("{{msg{whole_style}}}\n"));
            let template = format!("{above}{{prefix}} {{wide_bar{bar_style}}} {{pos}}/{{len}} {{rate}} {{left}}");
            let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
            let style = style
                .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
                    let _ = out.write_str(&known(state, rate(state.per_sec())));
                })
                .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
                    let _ = out.write_str(&known(state, time_left(state.eta())));
                });
            let bar = ProgressBar::new(total as u64).with_style(style).with_prefix(label.clone());
            whole.map_or(bar.clone(), |whole| bar.with_message(whole))
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
            print_notice(format_args!("{} {done}/{}", self.label, self.total));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The text about a bar's speed, which is not known before something is done.
fn known(state: &ProgressState, text: String) -> String {
    if state.pos() == 0 { String::new() } else { text }
}

/// Formats a rate with about three digits.
fn rate(per_second: f64) -> String {
    match per_second {
        rate if !rate.is_finite() => String::new(),
        rate if rate < 10.0 => format!("{rate:.2}/s"),
        rate if rate < 100.0 => format!("{rate:.1}/s"),
        rate if rate < 10_000.0 => format!("{rate:.0}/s"),
        rate if rate < 10_000_000.0 => format!("{:.0}k/s", rate / 1e3),
        rate => format!("{:.0}M/s", rate / 1e6),
    }
}

/// Formats the time left in one unit, as in `4 min left`.
pub(crate) fn time_left(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds < 120 => format!("{seconds} s left"),
        seconds if seconds < 7200 => format!("{} min left", seconds / 60),
        seconds if seconds < 48 * 3600 => format!("{} h left", seconds / 3600),
        seconds => format!("{} days left", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_times_have_few_digits() {
        for (per_second, expected) in [
            (0.0, "0.00/s"),
            (1.23456, "1.23/s"),
            (12.3456, "12.3/s"),
            (123.456789, "123/s"),
            (12345.6, "12k/s"),
            (123e6, "123M/s"),
            (f64::INFINITY, ""),
        ] {
            assert_eq!(rate(per_second), expected);
        }
        for (seconds, expected) in
            [(0, "0 s left"), (119, "119 s left"), (299, "4 min left"), (7300, "2 h left"), (200_000, "2 days left")]
        {
            assert_eq!(time_left(Duration::from_secs(seconds)), expected);
        }
    }
}
