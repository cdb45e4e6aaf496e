//! The network as an evaluator.

use std::sync::Arc;

use crate::board::{Board, Edges, Orientation};
use crate::net::{Engine, Network, Path};

use super::{Evaluation, Evaluator, RolloutEvaluator};

/// Evaluates positions with a loaded network. The weights are shared, the scratch memory is its own.
pub struct NetworkEvaluator {
    board: Board,
    engine: Engine,
}

impl NetworkEvaluator {
    /// An evaluator with these weights.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator { board: network.board(), engine: Engine::new(network) }
    }

    /// One that runs on a path from [`Path::available`].
    pub fn with_path(network: Arc<Network>, path: Path) -> NetworkEvaluator {
        NetworkEvaluator { board: network.board(), engine: Engine::with_path(network, path) }
    }
}

impl Evaluator for NetworkEvaluator {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        let output = self.engine.forward(drawn);
        write_evaluation(self.board, drawn, output.policy, output.margins, evaluation);
    }
}

/// What a bot with this network asks on any board: the network on its own, rollouts elsewhere.
pub fn evaluator_for(board: Board, network: &Arc<Network>, path: Path) -> Box<dyn Evaluator> {
    if board == network.board() {
        Box::new(NetworkEvaluator::with_path(network.clone(), path))
    } else {
        Box::new(RolloutEvaluator::new(board))
    }
}

/// Makes an evaluation of a network's logits, laid out as in [`Output`](crate::net::Output).
pub fn write_evaluation(board: Board, drawn: Edges, policy: &[f32], margins: &[f32], evaluation: &mut Evaluation) {
    for edge in board.undrawn(drawn) {
        let (orientation, row, col) = board.coordinates(edge);
        let channel = (orientation == Orientation::Vertical) as usize;
        evaluation.logits[edge.index()] = policy[2 * (row * (board.cols() + 1) + col) + channel];
    }
    masked_softmax(margins, board.boxes(), board.open_boxes(drawn), &mut evaluation.margins);
}

/// Probabilities of the margins that can be: no larger than the boxes that are open, and of their parity.
fn masked_softmax(logits: &[f32], boxes: usize, open: usize, probabilities: &mut [f32]) {
    let possible = || (boxes - open..=boxes + open).step_by(2);
    let largest = possible().map(|index| logits[index]).fold(f32::NEG_INFINITY, f32::max);
    probabilities.fill(0.0);
    let mut sum = 0.0;
    for index in possible() {
        probabilities[index] = (logits[index] - largest).exp();
        sum += probabilities[index];
    }
    possible().for_each(|index| probabilities[index] /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_margins_have_no_mass() {
        let mut probabilities = [1.0; 9];
        masked_softmax(&[9.0, 0.0, 1.0, 9.0, 1.0, 9.0, 1.0, 9.0, 9.0], 4, 2, &mut probabilities);
        let third = 1.0 / 3.0;
        let expected = [0.0, 0.0, third, 0.0, third, 0.0, third, 0.0, 0.0];
        assert!(probabilities.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6));
    }
}
