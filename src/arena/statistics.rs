//! Shares, ratings and their 95 % intervals.

/// The 97.5 % point of the normal distribution.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// What ending this many boxes ahead scores: 1 for a win, a half for a tie.
pub fn score(margin: i64) -> f64 {
    (margin.signum() + 1) as f64 / 2.0
}

/// Wilson's 95 % interval of a share, `(0, 1)` without trials.
///
/// ```
/// use doublecross::arena::wilson_interval;
/// let (low, high) = wilson_interval(8, 10);
/// assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
/// ```
pub fn wilson_interval(successes: usize, trials: usize) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    wilson(successes as f64 / trials as f64, trials as f64)
}

fn wilson(share: f64, trials: f64) -> (f64, f64) {
    let (square, shrink) = (Z * Z / trials, 1.0 + Z * Z / trials);
    let middle = share + square / 2.0;
    let half = Z * (share * (1.0 - share) / trials + square / (4.0 * trials)).max(0.0).sqrt();
    // The ends of certain shares are exact; rounding must not turn them into huge ratings.
    let low = if share <= 0.0 { 0.0 } else { ((middle - half) / shrink).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { ((middle + half) / shrink).min(1.0) };
    (low, high)
}

/// The Elo difference of a score in 0..=1; `None` when it is infinite.
///
/// ```
/// use doublecross::arena::elo;
/// assert_eq!(elo(0.5), Some(0.0));
/// assert!((elo(10.0 / 11.0).unwrap() - 400.0).abs() < 1e-9);
/// assert_eq!(elo(1.0), None);
/// ```
pub fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// An Elo difference with its 95 % interval; `None` where it is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// The difference.
    pub elo: Option<f64>,
    /// The interval's lower end.
    pub low: Option<f64>,
    /// The interval's upper end.
    pub high: Option<f64>,
}

/// The Elo difference from the mean scores of pairs of games. Games of a pair share their opening, so the interval
/// comes from the variance between pairs, or from Wilson's where pairs hardly differ.
pub fn paired_elo(pair_scores: &[f64]) -> EloEstimate {
    let count = pair_scores.len() as f64;
    if pair_scores.is_empty() {
        return EloEstimate { elo: None, low: None, high: None };
    }
    let mean = pair_scores.iter().sum::<f64>() / count;
    let variance = pair_scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let half = Z * (variance / count).sqrt();
    let (low, high) = if half < 1e-9 { wilson(mean, count) } else { (mean - half, mean + half) };
    EloEstimate { elo: elo(mean), low: elo(low), high: elo(high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_their_share() {
        for (hits, trials) in [(0, 5), (5, 5), (1, 2), (97, 100)] {
            let (low, high) = wilson_interval(hits, trials);
            let share = hits as f64 / trials as f64;
            assert!(low <= share + 1e-12 && share <= high + 1e-12 && low >= 0.0 && high <= 1.0);
        }
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
    }

    #[test]
    fn pairs_that_agree_and_pairs_that_do_not() {
        let even = paired_elo(&[0.5; 50]);
        assert_eq!(even.elo, Some(0.0));
        assert!(even.low.unwrap() < 0.0 && even.high.unwrap() > 0.0);
        // Mean 0.75, variance 1/12 * ... : scores 0.5 and 1 in turn, standard error 0.25 / sqrt(39 / 40 * 40).
        let scores: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 0.5 } else { 1.0 }).collect();
        let better = paired_elo(&scores);
        assert!((better.elo.unwrap() - 190.848).abs() < 0.01);
        let half = Z * (0.0625 * 40.0 / 39.0 / 40.0f64).sqrt();
        assert!((better.low.unwrap() - elo(0.75 - half).unwrap()).abs() < 1e-9);
        assert_eq!(paired_elo(&[1.0; 10]).elo, None);
        assert!(paired_elo(&[1.0; 10]).low.unwrap() > 0.0);
        assert_eq!((paired_elo(&[1.0; 10]).high, paired_elo(&[0.0; 10]).low), (None, None));
    }
}
