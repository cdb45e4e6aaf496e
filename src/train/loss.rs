//! The losses: cross-entropy of the policy and of the margin, and the squared error of edge values.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::batch::Batch;
use super::model::Logits;

/// One box in the unit of the edge loss, which makes that loss about as large as the others.
const BOX: f32 = 0.25;

/// The losses of a batch: means over its samples, in nats unless said otherwise.
pub(super) struct Losses {
    /// The cross-entropy of the policy.
    pub policy: Tensor<1>,
    /// The cross-entropy of the margin.
    pub margin: Tensor<1>,
    /// The mean squared error over a sample's known edge values, in squares of four boxes; 0 without an edge head.
    pub edges: Tensor<1>,
    /// The entropy of the network's policy, which is not a loss.
    pub entropy: Tensor<1>,
}

impl Losses {
    /// Computes the losses of a batch from the model's logits.
    pub fn new(logits: Logits, batch: &Batch) -> Losses {
        let policy = log_softmax(logits.policy + batch.policy_mask.clone(), 1);
        let margins = log_softmax(logits.margins + batch.margins_mask.clone(), 1);
        let cross_entropy = |target: Tensor<2>, log: Tensor<2>| (target * log).sum_dim(1).mean().neg();
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
            entropy: cross_entropy(detached.clone().exp(), detached),
            policy: cross_entropy(batch.policy.clone(), policy),
            margin: cross_entropy(batch.margins.clone(), margins),
        }
    }
}
