//! A sample of the claims that a derivation assumes, solved anew, and what it may miss.

use std::collections::HashSet;

use rand::Rng;
use rand::seq::SliceRandom;

use super::{Assumption, Claim};

/// The outcome of solving a claim anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The claim is true.
    True,
    /// The claim is false.
    False,
    /// The claim takes more than the budget. It stays assumed.
    Beyond,
    /// The claim was given up before the budget was spent. It stays assumed.
    Unfinished,
}

/// Draws claims of a frontier. Every set of `count` claims has the same chance.
pub fn draw(frontier: &[Assumption], count: usize, random: &mut impl Rng) -> Vec<Assumption> {
    let mut claims = frontier.to_vec();
    claims.shuffle(random);
    claims.truncate(count);
    claims
}

/// The claims of a frontier that were drawn and solved, and those that stay assumed.
///
/// A value that follows from a frontier is proved if every claim of it was found true, and not
/// before. One false claim is enough to derive a false value, and a sample mostly misses it.
///
/// # The chance of a miss
///
/// Somebody forges a log. He knows this program, the number of claims that are drawn and the budget
/// of each. He does not know the seed. He chooses the frontier of n claims, makes k of them false,
/// and chooses which ones, how hard each is and what the log states about it.
///
/// 1. At least one claim is false (k > 0). Everything else follows from the frontier by the rules of
///    the game, so a false value never follows from true claims.
/// 2. s of the n claims are drawn, and every set of s claims has the same chance. Nothing that the log
///    states can make a claim less likely to be drawn.
/// 3. A false claim that is drawn is either found false, or takes more than the budget. Then it is
///    named among those [beyond the budget](Outcome::Beyond).
/// 4. So all false claims escape, unfound and unnamed, only if none of them is drawn. The first is
///    left out with chance (n - s) / n. If it is, s claims are drawn from the n - 1 others, so the
///    second is left out with chance (n - 1 - s) / (n - 1), and so on. The chance of a miss is the
///    product of these k fractions.
/// 5. Each fraction is at most 1, so the forger does best with k = 1: the chance is then
///    **(n - s) / n**, whichever claim is false. [`Sample::miss_chance`] returns it.
///
/// To draw some claims more often than others would only help him: he would choose the claim that is
/// drawn least often, and the chances of all n claims to be drawn have the mean s / n in any case.
///
/// Claims beyond the budget have no part in this chance. A forger whose false claim takes more than
/// the budget is never found out: at best his claim is named. So nothing but solving it says
/// anything about such a claim.
#[derive(Debug)]
pub struct Sample<'a> {
    frontier: &'a [Assumption],
    drawn: Vec<(Assumption, Outcome)>,
    /// The most positions that were visited for each claim.
    budget: u64,
}

impl Sample<'_> {
    /// Creates a sample of [drawn](draw) claims with their outcomes, each of which was given a
    /// budget of so many positions.
    pub fn new(frontier: &[Assumption], drawn: Vec<(Assumption, Outcome)>, budget: u64) -> Sample<'_> {
        Sample { frontier, drawn, budget }
    }

    /// Returns the frontier.
    pub fn frontier(&self) -> &[Assumption] {
        self.frontier
    }

    /// Returns the number of claims that were drawn.
    pub fn drawn(&self) -> usize {
        self.drawn.len()
    }

    /// Returns the most positions that were visited for each claim.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Returns the drawn claims with this outcome, those about the emptiest positions first.
    pub fn with(&self, outcome: Outcome) -> Vec<Assumption> {
        let drawn = self.drawn.iter().filter(|(_, other)| *other == outcome);
        emptiest_first(drawn.map(|&(assumption, _)| assumption).collect())
    }

    /// Returns the claims beyond the budget whose stated work is far below it. They count as false
    /// until they are solved.
    pub fn understated(&self) -> Vec<Assumption> {
        let mut beyond = self.with(Outcome::Beyond);
        beyond.retain(|assumption| assumption.is_understated(self.budget));
        beyond
    }

    /// Returns the claims that were not drawn, those about the emptiest positions first. Claims
    /// about full positions take little.
    pub fn not_drawn(&self) -> Vec<Assumption> {
        let drawn: HashSet<Claim> = self.drawn.iter().map(|(assumption, _)| assumption.claim).collect();
        let left_out = self.frontier.iter().filter(|assumption| !drawn.contains(&assumption.claim));
        emptiest_first(left_out.copied().collect())
    }

    /// Returns the number of claims of the frontier that were not solved.
    pub fn assumed(&self) -> usize {
        let is_solved = |(_, outcome): &&(Assumption, Outcome)| matches!(outcome, Outcome::True | Outcome::False);
        self.frontier.len() - self.drawn.iter().filter(is_solved).count()
    }

    /// Returns `true` if all claims of the frontier were found true.
    pub fn is_proof(&self) -> bool {
        self.with(Outcome::True).len() == self.frontier.len()
    }

    /// Returns the greatest chance that a draw of so many claims neither finds nor names a false one,
    /// if there are false ones ([derivation](Sample#the-chance-of-a-miss)).
    ///
    /// Returns `None` if a false claim was found. Returns `None` as well if claims were given up,
    /// because which claims are finished early depends on how hard they are.
    pub fn miss_chance(&self) -> Option<f64> {
        let spoils = |outcome: &Outcome| matches!(outcome, Outcome::False | Outcome::Unfinished);
        if self.drawn.iter().any(|(_, outcome)| spoils(outcome)) {
            return None;
        }
        let (all, drawn) = (self.frontier.len(), self.drawn.len());
        Some(if all == 0 { 0.0 } else { (all - drawn) as f64 / all as f64 })
    }
}

fn emptiest_first(mut claims: Vec<Assumption>) -> Vec<Assumption> {
    claims.sort_by_key(|Assumption { claim, .. }| (claim.state.drawn().len(), claim.state.drawn()));
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frontier(count: usize) -> Vec<Assumption> {
        let board = "3x3".parse().unwrap();
        let state = |index| doublecross_core::board::State::new(board).after(doublecross_core::board::Edge::new(index));
        (0..count).map(|index| Assumption { claim: Claim::at_least(state(index), 1), stated: Some(1) }).collect()
    }

    fn sample(frontier: &[Assumption], outcomes: &[Outcome]) -> (Option<f64>, usize, bool) {
        let drawn = frontier.iter().copied().zip(outcomes.iter().copied()).collect();
        let sample = Sample::new(frontier, drawn, 10);
        (sample.miss_chance(), sample.assumed(), sample.is_proof())
    }

    #[test]
    fn claims_are_assumed_until_they_are_solved() {
        use Outcome::{Beyond, False, True, Unfinished};
        let all = frontier(4);
        assert_eq!(sample(&all, &[]), (Some(1.0), 4, false));
        assert_eq!(sample(&all, &[True]), (Some(0.75), 3, false));
        assert_eq!(sample(&all, &[True; 4]), (Some(0.0), 0, true));
        // What is beyond the budget changes no chance, and is never proved.
        assert_eq!(sample(&all, &[True, Beyond]), (Some(0.5), 3, false));
        assert_eq!(sample(&all, &[True, True, True, Beyond]), (Some(0.0), 1, false));
        assert_eq!(sample(&all, &[True, False]), (None, 2, false));
        assert_eq!(sample(&all, &[True, Unfinished]), (None, 3, false));
        assert_eq!(sample(&[], &[]), (Some(0.0), 0, true));
    }

    #[test]
    fn stated_work_is_compared_with_the_budget() {
        let all = frontier(3);
        let drawn = vec![(all[0], Outcome::True), (all[1], Outcome::Beyond)];
        assert_eq!(Sample::new(&all, drawn.clone(), 999).understated(), []);
        let sample = Sample::new(&all, drawn, 1000);
        assert_eq!((sample.understated(), sample.not_drawn()), (vec![all[1]], vec![all[2]]));
    }
}
