//! The interfaces of a search to an evaluator and to a solver.

use crate::board::{Board, State};
use crate::solver::{Bounds, Solver};

/// An estimate of a capture-free position, for the player to move. It does not depend on the score.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The logits of the policy by edge. Those of drawn edges are ignored.
    pub logits: Box<[f32]>,
    /// The probabilities of the margins still to come: entry `margin + boxes` for each margin in
    /// `-boxes..=boxes`.
    pub margins: Box<[f32]>,
}

impl Evaluation {
    /// Creates an evaluation for a board, with equal logits and all probabilities zero.
    pub fn new(board: Board) -> Evaluation {
        Evaluation {
            logits: vec![0.0; board.edges()].into_boxed_slice(),
            margins: vec![0.0; 2 * board.boxes() + 1].into_boxed_slice(),
        }
    }

    /// Makes all logits equal and all probabilities zero.
    pub fn reset(&mut self) {
        self.logits.fill(0.0);
        self.margins.fill(0.0);
    }

    /// Returns the expected margin on a board of `boxes` boxes.
    pub fn expected_margin(&self, boxes: usize) -> f32 {
        let margins = self.margins[..2 * boxes + 1].iter().enumerate();
        margins.map(|(index, &probability)| probability * (index as f32 - boxes as f32)).sum()
    }
}

/// An evaluator of capture-free positions that are not over. The result must depend on the position
/// alone.
///
/// ```
/// use doublecross_core::board::{Position, State};
/// use doublecross_core::search::{Budget, Evaluation, Evaluator};
///
/// /// Expects an equal share of the boxes, and prefers edges with a low index.
/// struct LowFirst;
///
/// impl Evaluator for LowFirst {
///     fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
///         evaluation.reset();
///         for edge in state.undrawn() {
///             evaluation.logits[edge.index()] = -(edge.index() as f32);
///         }
///         let boxes = state.board().boxes();
///         evaluation.margins[boxes + state.open_boxes() % 2] = 1.0;
///     }
/// }
///
/// let position: Position = "2x2 H0,0".parse()?;
/// let play = Budget::new(20, 0).player(position.board(), LowFirst).decide(&position);
/// assert!(position.undrawn().contains(play.edge));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub trait Evaluator {
    /// Writes the evaluation of a position to `evaluation`, which is one for the position's board.
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

/// A source of proved bounds of margins, for the player to move, within a budget of nodes.
pub trait Prover {
    /// Returns bounds of the margin still to come, as close as the budget brings them, those next
    /// to `guess` first.
    fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds;

    /// Returns `Some(true)` if the margin still to come is at least `margin`, `Some(false)` if it
    /// is not, and `None` if the budget ends first.
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
