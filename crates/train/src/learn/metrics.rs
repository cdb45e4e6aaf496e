//! The metrics of learning steps.

/// The mean metrics of learning steps. Those of no steps at all are 0.
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
    /// The learning rate of the last step.
    pub learning_rate: f64,
}

impl StepMetrics {
    /// Returns `true` if all metrics are finite numbers.
    pub fn is_finite(&self) -> bool {
        [self.policy_loss, self.margin_loss, self.edge_loss, self.policy_entropy, self.gradient_norm]
            .iter()
            .all(|metric| metric.is_finite())
    }
}
