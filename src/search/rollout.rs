//! An evaluator that needs no network: every edge equally likely, the margin of one quick game.

use crate::board::{Board, Edges};
use crate::solver::{safe_edges, smallest_first};

use super::{Evaluation, Evaluator};

/// Plays safe edges at random until there are none, then has both players open the smallest offer each time, the
/// other keeping control where that pays. The draw depends on the position alone.
pub struct RolloutEvaluator {
    board: Board,
}

impl RolloutEvaluator {
    /// Rollouts on this board.
    pub fn new(board: Board) -> RolloutEvaluator {
        RolloutEvaluator { board }
    }

    fn margin(&self, drawn: Edges) -> i32 {
        let mut position = drawn;
        let mut sign = 1;
        loop {
            let safe = safe_edges(self.board, position);
            if safe.is_empty() {
                return sign * smallest_first(self.board.layout(), self.board.strings(position));
            }
            let index = (position.hash() % safe.len() as u64) as usize;
            let Some(edge) = safe.iter().nth(index) else { return 0 };
            position.insert(edge);
            sign = -sign;
        }
    }
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::BLANK;
        let index = self.margin(drawn) + self.board.boxes() as i32;
        evaluation.margins[index as usize] = 1.0;
    }
}
