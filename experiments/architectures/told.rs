//! What a network may be told beside policy and margin: targets and losses, all of one line of optimal play.

use burn::tensor::Tensor;
use burn::tensor::activation::{log_sigmoid, log_softmax};
use doublecross::board::Board;

use crate::data::Sample;
use crate::line::MOST_CHAINS;
use crate::nets::place;

#[derive(Clone, Copy, PartialEq)]
pub enum Told {
    /// How many long chains and loops there are when no edge is safe.
    Chains,
    /// Who takes each box that is still open.
    Owners,
    /// The opponent's optimal edges after the mover's optimal edge.
    Reply,
}

impl Told {
    /// The targets of rows, one after the other.
    pub fn targets(self, board: Board, rows: &[Sample]) -> Vec<f32> {
        let width = self.width(board);
        let mut targets = vec![0.0; rows.len() * width];
        rows.iter().zip(targets.chunks_exact_mut(width)).for_each(|(row, target)| self.write(board, row, target));
        targets
    }

    /// What the loss counts for beside those of policy and margin. A box goes one of two ways, and a reply depends on
    /// which of the optimal edges was drawn before it, so neither is to count for as much as what play asks for.
    pub fn weight(self) -> f64 {
        match self {
            Told::Chains => 1.0,
            Told::Owners => 0.5,
            Told::Reply => 0.25,
        }
    }

    /// Log-probabilities in the order of the target, of logits; the mask is the policy's.
    pub fn log_probabilities(self, logits: Tensor<2>, mask: &Tensor<2>) -> Tensor<2> {
        match self {
            Told::Chains => log_softmax(logits, 1),
            Told::Owners => Tensor::cat(vec![log_sigmoid(logits.clone()), log_sigmoid(logits.neg())], 1),
            Told::Reply => log_softmax(logits + mask.clone(), 1),
        }
    }

    /// Numbers of a row's target.
    fn width(self, board: Board) -> usize {
        match self {
            Told::Chains => MOST_CHAINS + 1,
            Told::Owners | Told::Reply => 2 * cells(board),
        }
    }

    /// A row's target. For owners, of all cells whether the mover takes their box, then whether the opponent does, so
    /// that a row counts the mean of its open boxes. A row without a reply has no target and so no loss.
    fn write(self, board: Board, row: &Sample, target: &mut [f32]) {
        match self {
            Told::Chains => target[row.chains] = 1.0,
            Told::Owners => {
                let share = 1.0 / board.open_boxes(row.drawn) as f32;
                for b in (0..board.boxes()).filter(|&b| !board.is_closed(row.drawn, b)) {
                    let cell = b / board.cols() * (board.cols() + 1) + b % board.cols();
                    let is_lost = row.taken >> b & 1 == 0;
                    target[is_lost as usize * cells(board) + cell] = share;
                }
            }
            Told::Reply => {
                row.reply.iter().for_each(|edge| target[place(board, edge)] = 1.0 / row.reply.len() as f32);
            }
        }
    }
}

fn cells(board: Board) -> usize {
    (board.rows() + 1) * (board.cols() + 1)
}
