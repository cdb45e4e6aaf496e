//! Claims of a proof, drawn and solved anew.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use crate::cli::terminal::progress::Progress;
use doublecross_arena::random::{Purpose, stream};
use doublecross_proof::{Assumption, Outcome, PlainSolver, Sample, draw};

/// The choice of claims that are solved anew, and the budget of each.
pub(crate) struct Choice {
    /// The number of claims.
    pub sample: usize,
    /// The seed of the choice.
    pub seed: u64,
    /// The most positions that the second solver visits for a claim.
    pub budget: u64,
}

impl Choice {
    /// Draws claims of a frontier and solves them with the second solver, until the work is
    /// interrupted.
    pub fn solve<'a>(&self, frontier: &'a [Assumption], interrupted: &Arc<AtomicBool>) -> Sample<'a> {
        let drawn = draw(frontier, self.sample, &mut stream(self.seed, 0, 0, Purpose::Claims));
        let progress = Progress::new("claims solved anew", drawn.len());
        let done = AtomicUsize::new(0);
        let solve = |assumption: Assumption| {
            let outcome = match PlainSolver::stopped_by(interrupted.clone()).is_true(assumption.claim, self.budget) {
                Some(true) => Outcome::True,
                Some(false) => Outcome::False,
                None if interrupted.load(Relaxed) => Outcome::Unfinished,
                None => Outcome::Beyond,
            };
            progress.at(done.fetch_add(1, Relaxed) + 1);
            (assumption, outcome)
        };
        let drawn = drawn.into_par_iter().with_max_len(1).map(solve).collect();
        progress.finish();
        Sample::new(frontier, drawn, self.budget)
    }
}

/// Returns a seed that nobody can know beforehand. A JSON number holds it exactly.
pub(crate) fn random_seed() -> u64 {
    // The standard library seeds these with the operating system's random numbers.
    RandomState::new().hash_one(std::process::id()) >> 11
}

/// Parses the size of a sample.
pub(crate) fn parse_sample(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(usize::MAX) } else { text.parse().map_err(|_| "expected a number of claims, or all".into()) }
}
