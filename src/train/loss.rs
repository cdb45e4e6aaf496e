//! The losses: cross-entropy of the policy and of the margin.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::batch::Batch;
use super::model::Logits;

/// The losses of a batch, each the mean over its rows, in nats.
pub(super) struct Losses {
    pub policy: Tensor<1>,
    pub margin: Tensor<1>,
    /// Entropy of the network's policy; not a loss.
    pub entropy: Tensor<1>,
}

impl Losses {
    pub fn new(logits: Logits, batch: &Batch) -> Losses {
        let policy = log_softmax(logits.policy + batch.policy_mask.clone(), 1);
        let margins = log_softmax(logits.margins + batch.margins_mask.clone(), 1);
        let cross = |target: Tensor<2>, log: Tensor<2>| (target * log).sum_dim(1).mean().neg();
        let detached = policy.clone().detach();
        Losses {
            entropy: cross(detached.clone().exp(), detached),
            policy: cross(batch.policy.clone(), policy),
            margin: cross(batch.margins.clone(), margins),
        }
    }
}
