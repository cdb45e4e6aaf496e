//! An evaluator that knows nothing: what a network is measured against.

use crate::board::State;

use super::{Evaluation, Evaluator};

/// Every edge as likely, no side ahead. What a search then finds it finds by proof alone.
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&mut self, _: State, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::BLANK;
    }
}
