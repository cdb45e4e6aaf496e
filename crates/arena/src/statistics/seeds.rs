//! Means over seeds, with intervals that count the spread between them.

use super::elo::{EloEstimate, PairSums, elo};
use super::interval::Z;

/// The 97.5% points of Student's distribution with 1 to 10 degrees of freedom.
const STUDENT: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval, `-inf` for a single value.
    pub low: f64,
    /// The upper end of the interval, `inf` for a single value.
    pub high: f64,
}

impl Mean {
    /// Returns the mean of what was measured with several seeds, or `None` if there are no values.
    ///
    /// Each value is one observation, so the interval is Student's and counts everything in which
    /// seeds differ. `noise` is the variance that a single value is known to have; the seeds are taken
    /// to spread at least as much, since two or three may agree by chance. `common` is the variance of
    /// what all values have in common, like the positions that they are measured on, which more values do
    /// not lessen.
    ///
    /// ```
    /// use doublecross_arena::statistics::Mean;
    /// let mean = Mean::of_seeds(&[0.5, 0.6, 0.7], 0.0, 0.0).unwrap();
    /// assert!((mean.mean - 0.6).abs() < 1e-12 && (mean.low - 0.352).abs() < 1e-3);
    /// assert_eq!(Mean::of_seeds(&[0.5], 0.0, 0.0).unwrap().high, f64::INFINITY);
    /// ```
    pub fn of_seeds(values: &[f64], noise: f64, common: f64) -> Option<Mean> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        match values.len() {
            0 => None,
            1 => Some(Mean { mean, low: f64::NEG_INFINITY, high: f64::INFINITY }),
            seeds => {
                let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
                let half = (student(seeds - 1).powi(2) * spread.max(noise) / count + Z.powi(2) * common).sqrt();
                Some(Mean { mean, low: mean - half, high: mean + half })
            }
        }
    }
}

/// The mean scores of the pairs of games of a seed.
#[derive(Clone, Debug, Default)]
pub struct SeedScores {
    /// Those of all pairs.
    pub all: Vec<f64>,
    /// Those of the pairs that repeat no other.
    pub distinct: Vec<f64>,
}

/// Estimates the Elo difference from pairs of games, by seed. Seeds without pairs are passed over; one
/// seed alone has no interval.
pub fn elo_of_seeds(seeds: &[SeedScores]) -> EloEstimate {
    let played: Vec<&SeedScores> = seeds.iter().filter(|scores| !scores.all.is_empty()).collect();
    let noise = |scores: &&SeedScores| {
        let PairSums { count, squares, .. } = PairSums::of(&scores.distinct);
        squares / count / count
    };
    let noise = played.iter().map(noise).sum::<f64>() / played.len().max(1) as f64;
    let mean = |scores: &&SeedScores| scores.all.iter().sum::<f64>() / scores.all.len() as f64;
    let values: Vec<f64> = played.iter().map(mean).collect();
    match Mean::of_seeds(&values, noise, 0.0) {
        None => EloEstimate { elo: None, low: None, high: None },
        Some(Mean { mean, low, high }) => EloEstimate { elo: elo(mean), low: elo(low), high: elo(high) },
    }
}

/// Returns the 97.5% point of Student's distribution, `degrees` of at least 1 (Abramowitz and Stegun,
/// *Handbook of Mathematical Functions*, 26.7.5, beyond the table).
fn student(degrees: usize) -> f64 {
    STUDENT.get(degrees - 1).copied().unwrap_or_else(|| {
        let n = degrees as f64;
        let [cube, fifth, seventh] = [3, 5, 7].map(|power| Z.powi(power));
        Z + (cube + Z) / (4.0 * n)
            + (5.0 * fifth + 16.0 * cube + 3.0 * Z) / (96.0 * n * n)
            + (3.0 * seventh + 19.0 * fifth + 17.0 * cube - 15.0 * Z) / (384.0 * n * n * n)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::score_of_elo;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Returns the scores of pairs that repeat no other.
    fn distinct(scores: Vec<f64>) -> SeedScores {
        SeedScores { all: scores.clone(), distinct: scores }
    }

    #[test]
    fn points_of_the_distribution_are_those_of_tables() {
        for (degrees, point) in [(1, 12.706), (10, 2.228), (11, 2.201), (20, 2.086), (100, 1.984)] {
            assert!((student(degrees) - point).abs() < 5e-4, "{degrees}: {}", student(degrees));
        }
    }

    #[test]
    fn seeds_that_agree_by_chance_have_the_interval_of_their_noise() {
        let agreed = Mean::of_seeds(&[0.5, 0.5, 0.5], 0.03, 0.0).unwrap();
        assert!((agreed.high - 0.5 - 4.303 * 0.1).abs() < 1e-9 && (agreed.low + agreed.high - 1.0).abs() < 1e-9);
        assert_eq!(Mean::of_seeds(&[], 0.03, 0.0), None);
        // More seeds on the same positions do not make these others.
        let many = Mean::of_seeds(&[0.5; 1000], 0.0, 0.01).unwrap();
        assert!((many.high - 0.5 - 0.1 * Z).abs() < 1e-9);
        // Many games of two seeds that differ prove little; the same games of one seed prove nothing.
        let pairs = |score: f64| distinct(vec![score; 1000]);
        let two = elo_of_seeds(&[pairs(0.6), pairs(0.5)]);
        assert!(two.elo.unwrap() > 30.0 && two.low.is_none_or(|low| low < 0.0), "{two:?}");
        let one = elo_of_seeds(&[pairs(0.6), SeedScores::default()]);
        assert_eq!((one.low, one.high, one.elo.is_some()), (None, None, true));
        assert_eq!(elo_of_seeds(&[]), EloEstimate { elo: None, low: None, high: None });
        // What is repeated counts in the mean.
        let repeated = elo_of_seeds(&[SeedScores { all: vec![1.0, 1.0, 0.5], distinct: vec![1.0, 0.5] }]);
        assert_eq!(repeated.elo, elo(2.5 / 3.0));
        let clear = elo_of_seeds(&[pairs(0.6), pairs(0.61), pairs(0.59)]);
        assert!(clear.low.unwrap() > 40.0 && clear.high.unwrap() < 110.0, "{clear:?}");
    }

    /// Differences between seeds are part of the interval: of experiments whose seeds spread by 60
    /// Elo and whose mean difference is 0, about 5 of 100 find one. Pooled games would find one in most.
    #[test]
    fn a_spread_between_seeds_is_no_difference() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let experiments = 1000;
        let mut found = 0;
        for _ in 0..experiments {
            let seeds: Vec<SeedScores> = (0..3)
                .map(|_| {
                    let normal = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                    let expected = score_of_elo(60.0 * normal);
                    let score = |rng: &mut ChaCha8Rng| f64::from(u8::from(rng.random::<f64>() < expected));
                    distinct((0..200).map(|_| (score(&mut rng) + score(&mut rng)) / 2.0).collect())
                })
                .collect();
            let EloEstimate { low, high, .. } = elo_of_seeds(&seeds);
            found += usize::from(low.is_some_and(|low| low > 0.0) || high.is_some_and(|high| high < 0.0));
        }
        assert!((20..=80).contains(&found), "{found} of {experiments}");
    }
}
