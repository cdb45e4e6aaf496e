//! Shares with their 95% intervals.

/// The 97.5% point of the normal distribution.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Returns Wilson's 95% interval of a share, or `(0, 1)` without trials.
///
/// ```
/// use doublecross_arena::statistics::wilson_interval;
/// let (low, high) = wilson_interval(8, 10);
/// assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
/// ```
pub fn wilson_interval(successes: usize, trials: usize) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    wilson(successes as f64 / trials as f64, trials as f64)
}

/// Returns Wilson's interval of a share of `trials` trials, which need not be a whole number.
pub(super) fn wilson(share: f64, trials: f64) -> (f64, f64) {
    let (square, shrink) = (Z * Z / trials, 1.0 + Z * Z / trials);
    let middle = share + square / 2.0;
    let half = Z * (share * (1.0 - share) / trials + square / (4.0 * trials)).max(0.0).sqrt();
    // The ends of the intervals of 0 and 1 are exact. Rounding must not turn them into huge
    // ratings.
    let low = if share <= 0.0 { 0.0 } else { ((middle - half) / shrink).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { ((middle + half) / shrink).min(1.0) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_contain_their_share() {
        for (hits, trials) in [(0, 5), (5, 5), (1, 2), (97, 100)] {
            let (low, high) = wilson_interval(hits, trials);
            let share = hits as f64 / trials as f64;
            assert!(low <= share + 1e-12 && share <= high + 1e-12 && low >= 0.0 && high <= 1.0);
        }
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
    }
}
