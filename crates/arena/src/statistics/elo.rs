//! Elo differences of pairs of games, with their 95% intervals.

use super::interval::wilson;

/// Returns the score of a final margin: 1 for a win, 0.5 for a tie, 0 for a loss.
pub fn score(margin: i64) -> f64 {
    (margin.signum() + 1) as f64 / 2.0
}

/// Returns the Elo difference of a score in 0..=1, or `None` if it is infinite.
///
/// ```
/// use doublecross_arena::statistics::elo;
/// assert_eq!(elo(0.5), Some(0.0));
/// assert!((elo(10.0 / 11.0).unwrap() - 400.0).abs() < 1e-9);
/// assert_eq!(elo(1.0), None);
/// ```
pub fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// Returns the expected score, from 0 to 1, of a bot with this Elo difference.
///
/// ```
/// use doublecross_arena::statistics::{elo, score_of_elo};
/// assert_eq!(score_of_elo(0.0), 0.5);
/// assert!((elo(score_of_elo(120.0)).unwrap() - 120.0).abs() < 1e-9);
/// ```
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// An Elo difference with its 95% interval. Infinite numbers are `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// The difference.
    pub elo: Option<f64>,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

impl EloEstimate {
    /// Returns the estimate as text.
    ///
    /// ```
    /// use doublecross_arena::statistics::EloEstimate;
    /// let estimate = EloEstimate { elo: Some(12.3), low: Some(-3.0), high: Some(27.6) };
    /// assert_eq!(estimate.text(), "Elo +12 (-3 to +28)");
    /// // Every game was won.
    /// let estimate = EloEstimate { elo: None, low: Some(150.0), high: None };
    /// assert_eq!(estimate.text(), "Elo at least +150");
    /// ```
    pub fn text(&self) -> String {
        match (self.elo, self.low, self.high) {
            (Some(elo), Some(low), Some(high)) => format!("Elo {elo:+.0} ({low:+.0} to {high:+.0})"),
            (_, Some(low), _) => format!("Elo at least {low:+.0}"),
            (_, None, Some(high)) => format!("Elo at most {high:+.0}"),
            (Some(elo), None, None) => format!("Elo {elo:+.0} (any)"),
            (None, None, None) => "Elo unknown".into(),
        }
    }
}

/// The sums of the scores of pairs of games.
///
/// Two more pairs are counted in `middle` and `squares`, one of wins and one of losses, since pairs
/// with the same score prove little of how often another one comes.
pub(super) struct PairSums {
    /// The number of pairs.
    pub count: f64,
    /// The mean score.
    pub middle: f64,
    /// The sum of the squared distances from `middle`.
    pub squares: f64,
}

impl PairSums {
    pub fn of(pair_scores: &[f64]) -> PairSums {
        let (count, sum) = (pair_scores.len() as f64, pair_scores.iter().sum::<f64>());
        let middle = (sum + 1.0) / (count + 2.0);
        let square = |score: f64| (score - middle).powi(2);
        let squares = pair_scores.iter().map(|&score| square(score)).sum::<f64>() + square(0.0) + square(1.0);
        PairSums { count, middle, squares }
    }
}

/// Estimates the Elo difference from the mean scores of pairs of games, of which those in `distinct`
/// repeat no other.
///
/// The games of a pair share their opening, so the distinct pairs are the independent observations. Their
/// variance gives the number of independent games that they are worth, and the interval is Wilson's
/// for that number. Two more pairs are counted in the variance, one of wins and one of losses, since
/// pairs with the same score prove little of how often another one comes: where seats decide nearly
/// all games, an interval without them may leave out the truth in 14 of 100 matches.
pub fn paired_elo(pair_scores: &[f64], distinct: &[f64]) -> EloEstimate {
    if pair_scores.is_empty() {
        return EloEstimate { elo: None, low: None, high: None };
    }
    let mean = pair_scores.iter().sum::<f64>() / pair_scores.len() as f64;
    let PairSums { count, middle, squares } = PairSums::of(distinct);
    let (low, high) = wilson(mean, middle * (1.0 - middle) / (squares / count) * count);
    EloEstimate { elo: elo(mean), low: elo(low), high: elo(high) }
}

#[cfg(test)]
mod tests {
    use super::super::interval::Z;
    use super::*;

    /// Estimates the difference from pairs that are all distinct.
    fn estimate(pair_scores: &[f64]) -> EloEstimate {
        paired_elo(pair_scores, pair_scores)
    }

    #[test]
    fn equal_pairs_and_mixed_pairs_have_their_intervals() {
        let even = estimate(&[0.5; 50]);
        assert_eq!(even.elo, Some(0.0));
        assert!(even.low.unwrap() < 0.0 && even.high.unwrap() > 0.0);
        // Many pairs of 0.5 and 1 in turn: a normal distribution with a standard error of 0.25 /
        // sqrt(4000).
        let scores: Vec<f64> = (0..4000).map(|i| if i % 2 == 0 { 0.5 } else { 1.0 }).collect();
        let better = estimate(&scores);
        assert!((better.elo.unwrap() - 190.848).abs() < 0.01);
        let half = Z * 0.25 / 4000f64.sqrt();
        assert!((better.low.unwrap() - elo(0.75 - half).unwrap()).abs() < 0.1);
        assert!((better.high.unwrap() - elo(0.75 + half).unwrap()).abs() < 0.1);
        assert_eq!(estimate(&[1.0; 10]).elo, None);
        assert!(estimate(&[1.0; 10]).low.unwrap() > 0.0);
        assert_eq!((estimate(&[1.0; 10]).high, estimate(&[0.0; 10]).low), (None, None));
    }

    /// Another loss does not raise the lower end (by more than a point), and a few pairs prove
    /// nothing.
    #[test]
    fn better_results_have_better_bounds() {
        for pairs in [3, 5, 20, 200] {
            let lows: Vec<f64> = (0..=pairs.min(10))
                .map(|halves| {
                    let scores: Vec<f64> = (0..pairs).map(|pair| if pair < halves { 0.5 } else { 1.0 }).collect();
                    estimate(&scores).low.unwrap()
                })
                .collect();
            assert!(lows.is_sorted_by(|a, b| *a >= b - 1.0), "{pairs}: {lows:?}");
        }
        assert!(estimate(&[1.0, 1.0, 0.5]).low.unwrap() < 0.0);
    }

    /// About 95 of 100 intervals of matches with a known expected score contain it.
    #[test]
    fn intervals_contain_the_expected_score() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let cases: [&[(f64, f64)]; 5] = [
            &[(0.06, 0.5), (1.0, 1.0)],
            &[(0.02, 0.0), (0.18, 0.5), (1.0, 1.0)],
            &[(0.05, 0.0), (0.95, 0.5), (1.0, 1.0)],
            &[(0.1, 0.25), (0.6, 0.5), (0.9, 0.75), (1.0, 1.0)],
            &[(0.99, 0.5), (1.0, 1.0)],
        ];
        for case in cases {
            let mut below = 0.0;
            let mut expected = 0.0;
            for &(up_to, score) in case {
                expected += (up_to - below) * score;
                below = up_to;
            }
            for pairs in [10, 50, 200] {
                let matches = 2000;
                let hits = (0..matches).filter(|_| {
                    let draw = |number: f64| case.iter().find(|(up_to, _)| number < *up_to).map_or(1.0, |c| c.1);
                    let scores: Vec<f64> = (0..pairs).map(|_| draw(rng.random())).collect();
                    let EloEstimate { low, high, .. } = estimate(&scores);
                    let expected = elo(expected).unwrap();
                    low.is_none_or(|low| low <= expected) && high.is_none_or(|high| expected <= high)
                });
                let share = hits.count() as f64 / matches as f64;
                assert!(share > 0.93, "{case:?}, {pairs} pairs: {share}");
            }
        }
    }

    /// What is repeated counts as often as it was played, and makes the interval no narrower.
    #[test]
    fn repetitions_are_part_of_the_mean_alone() {
        let repeated = paired_elo(&[1.0, 1.0, 1.0, 0.0], &[1.0, 0.0]);
        assert!((repeated.elo.unwrap() - elo(0.75).unwrap()).abs() < 1e-9);
        let (width, once) = (repeated.high.unwrap() - repeated.low.unwrap(), estimate(&[1.0, 0.0]));
        assert!(width >= once.high.unwrap() - once.low.unwrap(), "{repeated:?} {once:?}");
    }
}
