//! An evaluator without a network, by one quick game.

use crate::board::State;

use super::{Evaluation, Evaluator};

/// An evaluator that plays one quick game and expects its margin, with all edges equally likely.
///
/// The game draws random safe edges until none is left. Then both players always open the chain or
/// loop that offers the fewest boxes, and keep control where that pays. The random choices depend
/// on the state alone.
pub struct RolloutEvaluator;

fn margin(mut state: State) -> i32 {
    let mut sign = 1;
    loop {
        let safe = state.safe_edges();
        if safe.is_empty() {
            return sign * state.smallest_first_margin();
        }
        let index = (state.drawn().hash() % safe.len() as u64) as usize;
        let Some(edge) = safe.iter().nth(index) else { return 0 };
        state = state.after(edge);
        sign = -sign;
    }
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        evaluation.reset();
        let index = margin(state) + state.board().boxes() as i32;
        evaluation.margins[index as usize] = 1.0;
    }
}
