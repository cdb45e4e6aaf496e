//! The network as an evaluator.

use std::sync::Arc;

use crate::board::State;
use crate::float::{exp, larger};
use crate::net::{Engine, Network, PolicyCell};

use super::{Evaluation, Evaluator};

/// An evaluator that uses a network. The weights are shared, the scratch memory is not.
pub struct NetworkEvaluator {
    engine: Engine,
}

impl NetworkEvaluator {
    /// Creates an evaluator with these weights.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator { engine: Engine::new(network) }
    }
}

impl Evaluator for NetworkEvaluator {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        let output = self.engine.forward(state);
        write_evaluation(state, output.policy, output.margins, evaluation);
    }
}

/// Writes the evaluation given by a network's logits, in the layout of
/// [`Output`](crate::net::Output).
pub fn write_evaluation(state: State, policy: &[f32], margins: &[f32], evaluation: &mut Evaluation) {
    for edge in state.undrawn() {
        evaluation.logits[edge.index()] = policy[PolicyCell::of(state.board(), edge).interleaved()];
    }
    masked_softmax(margins, state.board().boxes(), state.open_boxes(), &mut evaluation.margins);
}

/// Computes the probabilities of the possible margins: those of the parity of the number of open
/// boxes, and no larger than it.
fn masked_softmax(logits: &[f32], boxes: usize, open: usize, probabilities: &mut [f32]) {
    let possible = || (boxes - open..=boxes + open).step_by(2);
    let largest = possible().map(|index| logits[index]).fold(f32::NEG_INFINITY, larger);
    probabilities.fill(0.0);
    let mut sum = 0.0;
    for index in possible() {
        probabilities[index] = exp(logits[index] - largest);
        sum += probabilities[index];
    }
    possible().for_each(|index| probabilities[index] /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_margins_have_no_probability() {
        let mut probabilities = [1.0; 9];
        masked_softmax(&[9.0, 0.0, 1.0, 9.0, 1.0, 9.0, 1.0, 9.0, 9.0], 4, 2, &mut probabilities);
        let third = 1.0 / 3.0;
        let expected = [0.0, 0.0, third, 0.0, third, 0.0, third, 0.0, 0.0];
        assert!(probabilities.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6));
    }
}
