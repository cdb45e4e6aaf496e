//! The distance of a network's expected margins from proved ones.

use std::sync::Arc;

use doublecross_core::board::State;
use doublecross_core::net::{Isa, Network, Weights};
use doublecross_core::search::{Cached, Evaluation, Evaluator, NetworkEvaluator};
use doublecross_selfplay::Sample;

/// The most samples that are evaluated.
const MAX_SAMPLES: usize = 200;

/// Returns the mean distance of the expected margin from the proved one, in boxes, or `None` if no
/// sample is proved. The samples are of one board.
///
/// At most [`MAX_SAMPLES`] proved samples are evaluated, spread evenly: games differ in length and
/// end in the same positions.
pub(super) fn margin_error(weights: &Weights, isa: Isa, samples: &[Sample]) -> Option<f64> {
    let board = samples.first()?.state.board();
    // As searches evaluate.
    let mut evaluator = Cached::new(NetworkEvaluator::new(Arc::new(Network::new(&weights.on(board), isa))), 1);
    let mut evaluation = Evaluation::new(board);
    let open = samples.iter().filter(|sample| !sample.state.is_over());
    let proved: Vec<(State, i8)> = open.filter_map(|sample| Some((sample.state, sample.margin.exact()?))).collect();
    let evaluated = proved.iter().step_by(proved.len().div_ceil(MAX_SAMPLES).max(1));
    let errors: Vec<f64> = evaluated
        .map(|&(state, margin)| {
            evaluator.evaluate(state, &mut evaluation);
            (evaluation.expected_margin(board.boxes()) - margin as f32).abs() as f64
        })
        .collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}
