//! What the search asks of a network, or of whatever stands in for one.

use crate::board::{Edges, MAX_BOXES, MAX_EDGES};

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
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation);
}

impl<E: Evaluator + ?Sized> Evaluator for &mut E {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        (**self).evaluate(drawn, evaluation);
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        (**self).evaluate(drawn, evaluation);
    }
}
