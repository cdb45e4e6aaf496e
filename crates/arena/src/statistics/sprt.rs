//! The sequential probability ratio test of two bots.

use super::elo::PairSums;
use super::score_of_elo;

/// A sequential probability ratio test over the scores of pairs of games, which ends as soon as
/// enough is known.
///
/// It decides between an Elo difference of 0 and one of `elo`, each of which it rejects wrongly
/// with a probability of about `error`. The test is that of Wald, *Sequential Tests of Statistical
/// Hypotheses*, 1945; its likelihoods are those of normal distributions with the variance of the
/// pairs seen so far.
///
/// ```
/// use doublecross_arena::statistics::{Sprt, Verdict};
/// let sprt = Sprt { elo: 20.0, error: 0.05 };
/// assert_eq!(sprt.verdict(&[0.5; 4]), None);
/// assert_eq!(sprt.verdict(&[1.0; 40]), Some(Verdict::Better));
/// assert_eq!(sprt.verdict(&[0.0; 40]), Some(Verdict::NotBetter));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sprt {
    /// The Elo difference that is worth finding, above 0.
    pub elo: f64,
    /// The probability of each of the two wrong verdicts, below 0.5.
    pub error: f64,
}

/// The end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A difference of `elo` is likelier than none.
    Better,
    /// No difference, or a negative one, is likelier.
    NotBetter,
}

impl Sprt {
    /// Returns the logarithm of the likelihood ratio of the two differences, above 0 where `elo` is
    /// the likelier one.
    ///
    /// `pairs` are the mean scores of pairs of games, from 0 to 1. One more pair is counted in the
    /// variance, half a win and half a loss, since a few pairs with the same score prove little.
    pub fn log_likelihood_ratio(self, pairs: &[f64]) -> f64 {
        if pairs.is_empty() {
            return 0.0;
        }
        let (even, better) = (0.5, score_of_elo(self.elo));
        let PairSums { count, sum, squares, .. } = PairSums::of(pairs);
        let variance = squares / (count + 1.0);
        (better - even) * (2.0 * sum - count * (even + better)) / (2.0 * variance)
    }

    /// Returns the verdict after these pairs, or `None` if more are needed.
    pub fn verdict(self, pairs: &[f64]) -> Option<Verdict> {
        let (ratio, bound) = (self.log_likelihood_ratio(pairs), ((1.0 - self.error) / self.error).ln());
        if ratio >= bound { Some(Verdict::Better) } else { (ratio <= -bound).then_some(Verdict::NotBetter) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;

    const SPRT: Sprt = Sprt { elo: 20.0, error: 0.05 };

    /// The verdicts of 200 tests of at most 20,000 pairs between bots with this difference, of whose
    /// games three in ten are ties, and the mean number of pairs.
    fn verdicts(elo: f64) -> ([usize; 3], usize) {
        let (mut counts, mut total) = ([0; 3], 0);
        for test in 0..200 {
            let mut rng = stream(elo as u64 + 1000, 0, test, Purpose::Opening);
            let mut pairs = Vec::new();
            let mut game = || {
                let won = score_of_elo(elo) - 0.15;
                let at = rng.random::<f64>();
                if at < won {
                    1.0
                } else if at < won + 0.3 {
                    0.5
                } else {
                    0.0
                }
            };
            let verdict = loop {
                pairs.push((game() + game()) / 2.0);
                match SPRT.verdict(&pairs) {
                    None if pairs.len() < 20_000 => {}
                    verdict => break verdict,
                }
            };
            total += pairs.len();
            counts[match verdict {
                Some(Verdict::Better) => 0,
                Some(Verdict::NotBetter) => 1,
                None => 2,
            }] += 1;
        }
        (counts, total / 200)
    }

    #[test]
    fn verdicts_are_wrong_as_seldom_as_promised() {
        let ([better, worse, open], of_equals) = verdicts(0.0);
        // 10 of 200 are expected at most; 20 are three standard deviations more.
        assert!(better <= 20 && worse >= 180 && open == 0, "{better} {worse} {open}");
        let ([better, worse, _], _) = verdicts(20.0);
        assert!(worse <= 20 && better >= 180, "{better} {worse}");
        // A clear difference takes far fewer games, whichever sign it has.
        for (elo, expected) in [(150.0, [200, 0, 0]), (-150.0, [0, 200, 0])] {
            let (counts, pairs) = verdicts(elo);
            assert_eq!(counts, expected);
            assert!(5 * pairs < of_equals, "{pairs} of {of_equals}");
        }
    }

    #[test]
    fn a_few_pairs_with_the_same_score_prove_little() {
        assert_eq!(SPRT.log_likelihood_ratio(&[]), 0.0);
        for pairs in 1..5 {
            assert_eq!(SPRT.verdict(&vec![1.0; pairs]), None, "{pairs}");
            assert_eq!(SPRT.verdict(&vec![0.0; pairs]), None, "{pairs}");
        }
        assert!(SPRT.log_likelihood_ratio(&[0.5; 1000]) < 0.0);
    }
}
