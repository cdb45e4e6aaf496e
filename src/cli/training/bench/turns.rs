//! Rates of short turns of work, and their median.

use std::time::Duration;

use doublecross_run::{Elapsed, Stopwatch};

/// The things done in a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// In a second by the clock.
    pub per_second: f64,
    /// In a second of processor time.
    pub per_processor_second: f64,
}

/// The least duration of a turn.
const TURN: Duration = Duration::from_millis(150);

/// Repeats a call for one turn, after one call that is not measured.
///
/// Each call returns the number of things that it did.
pub(crate) fn turn(mut call: impl FnMut() -> usize) -> Turn {
    call();
    let stopwatch = Stopwatch::start();
    let mut done = 0;
    loop {
        done += call();
        let Elapsed { seconds, processor_seconds } = stopwatch.elapsed();
        if seconds >= TURN.as_secs_f64() {
            let done = done as f64;
            return Turn { per_second: done / seconds, per_processor_second: done / processor_seconds.max(1e-9) };
        }
    }
}

/// Returns the median of some values.
///
/// # Panics
/// Panics if there are none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
