//! An evaluator without knowledge, as a baseline for networks.

use crate::board::State;

use super::{Evaluation, Evaluator};

/// An evaluator with equal logits and no margin. A search with it depends on proofs alone.
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&mut self, _: State, evaluation: &mut Evaluation) {
        evaluation.reset();
    }
}
