//! The metrics of learning steps.

/// The mean metrics of a generation's learning steps.
///
/// While steps are taken the fields are sums; [`StepMetrics::means`] turns them into means.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepMetrics {
    /// The number of steps.
    pub steps: u64,
    /// The policy loss, in nats.
    pub policy_loss: f64,
    /// The margin loss, in nats.
    pub margin_loss: f64,
    /// The loss of the edge values, in squares of four boxes.
    pub edge_loss: f64,
    /// The policy's entropy, in nats.
    pub policy_entropy: f64,
    /// The norm of the gradient before clipping.
    pub gradient_norm: f64,
    /// The learning rate of the last step, which is never summed.
    pub learning_rate: f64,
}

impl StepMetrics {
    /// Adds the policy, margin and edge losses and the policy's entropy of a part of a batch.
    pub fn add_losses(&mut self, [policy, margin, edges, entropy]: [f64; 4]) {
        self.policy_loss += policy;
        self.margin_loss += margin;
        self.edge_loss += edges;
        self.policy_entropy += entropy;
    }

    /// Returns the means over all steps; of no steps at all they are 0.
    pub fn means(self) -> StepMetrics {
        let steps = self.steps.max(1) as f64;
        StepMetrics {
            policy_loss: self.policy_loss / steps,
            margin_loss: self.margin_loss / steps,
            edge_loss: self.edge_loss / steps,
            policy_entropy: self.policy_entropy / steps,
            gradient_norm: self.gradient_norm / steps,
            ..self
        }
    }

    /// Returns `true` if all metrics are finite numbers.
    pub fn is_finite(&self) -> bool {
        [self.policy_loss, self.margin_loss, self.edge_loss, self.policy_entropy, self.gradient_norm]
            .iter()
            .all(|metric| metric.is_finite())
    }
}
