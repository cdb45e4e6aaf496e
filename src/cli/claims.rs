//! Claims of a proof, solved anew.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::{Failure, interrupts, not_interrupted};
use crate::proof::{Claim, PlainSolver};
use crate::random::{Purpose, stream};
use crate::stderr::print_notice;

/// The choice of claims that are solved anew, and the budget of each.
pub(super) struct Choice {
    /// The number of claims.
    pub sample: usize,
    /// The seed of the choice.
    pub seed: u64,
    /// The most positions that the second solver visits for a claim.
    pub budget: u64,
}

/// The result of solving a sample of claims.
#[derive(Default)]
pub(super) struct Sample {
    pub sampled: usize,
    pub solved: usize,
    pub wrong: Vec<Claim>,
}

impl Choice {
    /// Solves a sample of claims with the second solver.
    pub fn solve(&self, claims: &[Claim]) -> Result<Sample, Failure> {
        let interrupted = interrupts()?;
        let mut chosen: Vec<&Claim> = claims.iter().collect();
        chosen.shuffle(&mut stream(self.seed, 0, 0, Purpose::Claims));
        chosen.truncate(self.sample);
        let done = AtomicUsize::new(0);
        let solve = |claim: &&Claim| {
            if interrupted.load(Relaxed) {
                return None;
            }
            let answer = PlainSolver::new().is_true(**claim, self.budget);
            let done = done.fetch_add(1, Relaxed) + 1;
            if done.is_multiple_of(100) {
                print_notice(format_args!("{done} of {} claims solved anew", chosen.len()));
            }
            answer.map(|is_true| (**claim, is_true))
        };
        let answers: Vec<_> = chosen.par_iter().with_max_len(1).map(solve).collect();
        not_interrupted(&interrupted)?;
        let mut sample = Sample { sampled: chosen.len(), ..Sample::default() };
        for (claim, is_true) in answers.into_iter().flatten() {
            sample.solved += 1;
            if !is_true {
                sample.wrong.push(claim);
            }
        }
        Ok(sample)
    }
}

/// Parses the size of a sample.
pub(super) fn parse_sample(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(usize::MAX) } else { text.parse().map_err(|_| "expected a number of claims, or all".into()) }
}
