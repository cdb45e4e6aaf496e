//! Claims of a proof, solved anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use crate::cli::terminal::progress::Progress;
use doublecross_arena::random::{Purpose, stream};
use doublecross_proof::{Claim, PlainSolver};

/// The choice of claims that are solved anew, and the budget of each.
pub(crate) struct Choice {
    /// The number of claims.
    pub sample: usize,
    /// The seed of the choice.
    pub seed: u64,
    /// The most positions that the second solver visits for a claim.
    pub budget: u64,
}

/// The result of solving a sample of claims.
pub(crate) struct Sample {
    /// The number of claims that were answered or took more than the budget.
    pub sampled: usize,
    /// The number of those that were answered.
    pub solved: usize,
    /// The false ones.
    pub wrong: Vec<Claim>,
    /// The claims of an interrupted sample that were given up or not begun.
    pub left: usize,
    /// `true` if the work was interrupted.
    pub is_cut: bool,
}

impl Choice {
    /// Solves a sample of claims with the second solver, until the work is interrupted.
    pub fn solve(&self, claims: &[Claim], interrupted: &Arc<AtomicBool>) -> Sample {
        let mut chosen: Vec<&Claim> = claims.iter().collect();
        chosen.shuffle(&mut stream(self.seed, 0, 0, Purpose::Claims));
        chosen.truncate(self.sample);
        let progress = Progress::new("claims solved anew", chosen.len());
        let done = AtomicUsize::new(0);
        let solve = |claim: &&Claim| {
            let answer = PlainSolver::stopped_by(interrupted.clone()).is_true(**claim, self.budget);
            if answer.is_none() && interrupted.load(Relaxed) {
                return None;
            }
            progress.at(done.fetch_add(1, Relaxed) + 1);
            Some((**claim, answer))
        };
        let answers: Vec<_> = chosen.par_iter().with_max_len(1).filter_map(solve).collect();
        progress.finish();
        let wrong = answers.iter().filter(|(_, answer)| *answer == Some(false)).map(|&(claim, _)| claim).collect();
        Sample {
            sampled: answers.len(),
            solved: answers.iter().filter(|(_, answer)| answer.is_some()).count(),
            wrong,
            left: chosen.len() - answers.len(),
            is_cut: interrupted.load(Relaxed),
        }
    }
}

/// Parses the size of a sample.
pub(crate) fn parse_sample(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(usize::MAX) } else { text.parse().map_err(|_| "expected a number of claims, or all".into()) }
}
