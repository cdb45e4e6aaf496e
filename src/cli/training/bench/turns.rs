//! Rates of short turns of work, and their median.

use std::time::{Duration, Instant};

/// The least duration of a turn.
const TURN: Duration = Duration::from_millis(150);

/// Repeats a call for one turn, after one call that is not measured, and returns the things done a
/// second.
///
/// Each call returns the number of things that it did.
pub(crate) fn turn(mut call: impl FnMut() -> usize) -> f64 {
    call();
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed() < TURN {
        done += call();
    }
    done as f64 / start.elapsed().as_secs_f64()
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
