//! The losses: cross-entropy of the policy and of the margin, and the squared error of what edges are worth.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::batch::Batch;
use super::model::Logits;

/// A box in the units of the edges' loss, so that it is about as large as the others.
const BOX: f32 = 0.25;

/// The losses of a batch, each the mean over its rows, in nats if not said otherwise.
pub(super) struct Losses {
    pub policy: Tensor<1>,
    pub margin: Tensor<1>,
    /// Mean square over the edges of a row whose worth is known, in units of four boxes; 0 without an edge head.
    pub edges: Tensor<1>,
    /// Entropy of the network's policy; not a loss.
    pub entropy: Tensor<1>,
}

impl Losses {
    pub fn new(logits: Logits, batch: &Batch) -> Losses {
        let policy = log_softmax(logits.policy + batch.policy_mask.clone(), 1);
        let margins = log_softmax(logits.margins + batch.margins_mask.clone(), 1);
        let cross = |target: Tensor<2>, log: Tensor<2>| (target * log).sum_dim(1).mean().neg();
        let detached = policy.clone().detach();
        let edges = match logits.edge_margins {
            Some(edge_margins) => {
                let known = batch.edges_known.clone();
                let off = (edge_margins - batch.edge_margins.clone().mul_scalar(BOX)) * known.clone();
                (off.square().sum_dim(1) / known.sum_dim(1).clamp_min(1.0)).mean()
            }
            None => Tensor::zeros([1], &batch.policy.device()),
        };
        Losses {
            edges,
            entropy: cross(detached.clone().exp(), detached),
            policy: cross(batch.policy.clone(), policy),
            margin: cross(batch.margins.clone(), margins),
        }
    }
}
