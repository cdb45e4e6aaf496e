//! An evaluator that needs no network: every edge equally likely, the margin of one quick game.

use crate::board::State;

use super::{Evaluation, Evaluator};

/// Plays safe edges at random until there are none, then has both players open the smallest offer each time, the
/// other keeping control where that pays. The draw depends on the state alone.
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
        *evaluation = Evaluation::BLANK;
        let index = margin(state) + state.board().boxes() as i32;
        evaluation.margins[index as usize] = 1.0;
    }
}
