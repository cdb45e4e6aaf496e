//! The interfaces of a search to an evaluator and to a solver.

use crate::board::{MAX_BOXES, MAX_EDGES, State};
use crate::solver::{Bounds, Solver};

/// A guess at a capture-free position, for the player to move. It does not know the score.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Policy logits by edge; those of drawn edges are ignored.
    pub logits: [f32; MAX_EDGES],
    /// The probability of each margin still to come: entry `margin + boxes`, for -boxes..=boxes.
    pub margins: [f32; 2 * MAX_BOXES + 1],
}

impl Evaluation {
    /// Equal logits and no margin at all.
    pub const BLANK: Evaluation = Evaluation { logits: [0.0; MAX_EDGES], margins: [0.0; 2 * MAX_BOXES + 1] };

    /// The expected margin on a board of `boxes` boxes.
    pub fn expected_margin(&self, boxes: usize) -> f32 {
        let margins = self.margins[..2 * boxes + 1].iter().enumerate();
        margins.map(|(index, &probability)| probability * (index as f32 - boxes as f32)).sum()
    }
}

/// Evaluates capture-free positions that are not over. The answer must depend on the position alone.
pub trait Evaluator {
    /// Writes the evaluation of a position.
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation);
}

impl<E: Evaluator + ?Sized> Evaluator for &mut E {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        (**self).evaluate(state, evaluation);
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        (**self).evaluate(state, evaluation);
    }
}

/// Proves bounds of margins, for the player to move, within a budget of nodes.
pub trait Prover {
    /// Bounds of the margin still to come, as close as the budget brings them, those next to `guess` first.
    fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds;

    /// Whether the margin still to come is at least this, if the budget lasts.
    fn is_at_least(&mut self, state: State, margin: i32, nodes: u64) -> Option<bool>;
}

impl Prover for Solver {
    fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds {
        Solver::bounds(self, state, guess, nodes)
    }

    fn is_at_least(&mut self, state: State, margin: i32, nodes: u64) -> Option<bool> {
        Solver::is_at_least(self, state, margin, nodes)
    }
}
