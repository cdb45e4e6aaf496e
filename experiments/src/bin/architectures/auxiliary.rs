//! Auxiliary targets beside policy and margin, all from one optimal playout, with their losses.

use burn::tensor::Tensor;
use burn::tensor::activation::{log_sigmoid, log_softmax};
use doublecross::board::Board;
use doublecross::net::PolicyCell;

use crate::data::Sample;
use crate::playout::MOST_CHAINS;

#[derive(Clone, Copy, PartialEq)]
pub enum Auxiliary {
    /// The number of long chains and loops where no edge is safe.
    Chains,
    /// The player who takes each box that is still open.
    Owners,
    /// The opponent's optimal edges after the mover's optimal edge.
    Reply,
}

impl Auxiliary {
    /// The targets of samples, one after the other.
    pub fn targets(self, board: Board, samples: &[Sample]) -> Vec<f32> {
        let width = self.width(board);
        let mut targets = vec![0.0; samples.len() * width];
        let each = samples.iter().zip(targets.chunks_exact_mut(width));
        each.for_each(|(sample, target)| self.write(sample, target));
        targets
    }

    /// The weight of the loss beside those of policy and margin. A box goes one of two ways, and a reply depends on which
    /// of the optimal edges was drawn before it, so neither should weigh as much as the targets that play needs.
    pub fn weight(self) -> f64 {
        match self {
            Auxiliary::Chains => 1.0,
            Auxiliary::Owners => 0.5,
            Auxiliary::Reply => 0.25,
        }
    }

    /// Log-probabilities of logits, in the order of the target; the mask is the policy's.
    pub fn log_probabilities(self, logits: Tensor<2>, mask: &Tensor<2>) -> Tensor<2> {
        match self {
            Auxiliary::Chains => log_softmax(logits, 1),
            Auxiliary::Owners => Tensor::cat(vec![log_sigmoid(logits.clone()), log_sigmoid(logits.neg())], 1),
            Auxiliary::Reply => log_softmax(logits + mask.clone(), 1),
        }
    }

    /// The size of a sample's target.
    fn width(self, board: Board) -> usize {
        match self {
            Auxiliary::Chains => MOST_CHAINS + 1,
            Auxiliary::Owners | Auxiliary::Reply => 2 * PolicyCell::count(board),
        }
    }

    /// Writes a sample's target. That of owners says of each cell whether the mover takes its box, then of each cell whether
    /// the opponent does, scaled to the mean over the open boxes. A sample without a reply has no target and so no loss.
    fn write(self, sample: &Sample, target: &mut [f32]) {
        let (state, board) = (sample.state, sample.state.board());
        match self {
            Auxiliary::Chains => target[sample.chains] = 1.0,
            Auxiliary::Owners => {
                let share = 1.0 / state.open_boxes() as f32;
                for b in (0..board.boxes()).filter(|&b| !state.is_closed(b)) {
                    let cell = b / board.cols() * (board.cols() + 1) + b % board.cols();
                    let is_lost = sample.taken >> b & 1 == 0;
                    target[is_lost as usize * PolicyCell::count(board) + cell] = share;
                }
            }
            Auxiliary::Reply => {
                sample
                    .reply
                    .iter()
                    .for_each(|edge| target[PolicyCell::of(board, edge).planar()] = 1.0 / sample.reply.len() as f32);
            }
        }
    }
}
