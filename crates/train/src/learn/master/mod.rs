//! The master weights, which steps change: their values in f32, the moments of the optimizer and the EMA.

mod device;
mod host;
mod muon;
mod state;
#[cfg(test)]
mod tests;

use burn::tensor::Tensor;

use super::model::Model;
use super::read::read;
use crate::Precision;
use device::DeviceWeights;
use doublecross_core::net::TensorSpec;
use doublecross_run::OptimizerKind;
use host::HostWeights;
pub use state::OptimizerError;
use state::{Moments, OptimizerState};

/// The shares of AdamW's moments that are kept at each step.
const BETAS: [f32; 2] = [0.9, 0.999];

/// The number that AdamW adds to the roots that it divides by.
const EPSILON: f32 = 1e-8;

/// The gradients of a part of a batch, as [`Model::gradients`] gives them.
pub(super) type Gradients = Vec<Tensor<1>>;

/// The numbers that a step depends on beside its gradients.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRule {
    pub learning_rate: f64,
    /// The decay of weights, not of biases, at a learning rate of 1.
    pub weight_decay: f32,
    /// The norm to which gradients are scaled down that have a larger one, all together.
    pub clip_norm: f32,
    /// The share of the EMA that is kept.
    pub ema_decay: f32,
}

/// Creates the master weights of a model: in the memory of the processor if a precision is given for its loops, and
/// else on the model's device.
pub(super) fn master_weights(
    model: Model,
    hidden: OptimizerKind,
    precision: Option<Precision>,
) -> Box<dyn MasterWeights> {
    match precision {
        Some(precision) => Box::new(HostWeights::new(model, hidden, precision)),
        None => Box::new(DeviceWeights::new(model, hidden)),
    }
}

/// The master weights of a model, which learns by AdamW, or by Muon in its hidden layers.
///
/// Parameters are listed in the model's order.
pub(super) trait MasterWeights: Send + Sync {
    /// The model, with the present values.
    fn model(&self) -> &Model;

    /// Takes a step down the sum of the gradients of these parts.
    fn step(&mut self, rule: &StepRule, parts: Vec<Gradients>);

    /// The number of steps that the optimizer has taken.
    fn time(&self) -> u64;

    /// Returns the sum of the norms of the gradients, before clipping, of all steps since it was last asked for.
    fn take_norms(&mut self) -> f64;

    /// The EMA of each parameter.
    fn ema(&self) -> Vec<Vec<f32>>;

    /// Replaces the EMA of the first parameters.
    fn set_ema(&mut self, ema: Vec<Vec<f32>>);

    /// The moments of each parameter.
    fn moments(&self) -> Vec<Moments>;

    /// Replaces all moments, and the values of the last parameters.
    fn restore(&mut self, state: OptimizerState);
}

impl dyn MasterWeights {
    /// Returns the whole state of the optimizer as bytes, with the edge head, which is not in weights files.
    pub fn optimizer_bytes(&self) -> Vec<u8> {
        let edge_head = self.model().edge_head().iter().cloned().map(read).collect();
        OptimizerState { moments: self.moments(), edge_head }.to_bytes()
    }

    /// Restores a state that [`optimizer_bytes`](Self::optimizer_bytes) returned for a model of the same shape.
    ///
    /// # Errors
    /// Returns an error if the bytes do not have this model's size, or are damaged.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), OptimizerError> {
        let specs = self.model().specs();
        let edge_head: &[TensorSpec] = &specs[specs.len() - self.model().edge_head().len()..];
        let state = OptimizerState::from_bytes(specs, edge_head, bytes)?;
        self.restore(state);
        Ok(())
    }
}
