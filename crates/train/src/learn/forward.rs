//! The forward pass in burn on the CPU, to measure the engine beside.

use burn::tensor::{Device, Tensor};

use doublecross_core::board::State;
use doublecross_core::net::Weights;

use crate::learn::batch::planes;
use crate::learn::model::{Convolutions, Model};
use crate::learn::read::read;

/// A network in burn, and a batch of states that it evaluates.
pub struct BurnForward {
    model: Model,
    planes: Tensor<4>,
}

impl BurnForward {
    /// Prepares the evaluation of these states, which are on the board of the weights.
    pub fn new(weights: &Weights, states: &[State]) -> BurnForward {
        let Weights { board, architecture, tensors, .. } = weights;
        let device = Device::flex();
        let model = Model::fixed(*board, *architecture, tensors, &device);
        BurnForward { model, planes: Tensor::from_data(planes(*board, states), &device) }
    }

    /// Evaluates the states. Returns the number of logits.
    pub fn run(&self) -> usize {
        let logits = self.model.forward(self.planes.clone(), &Convolutions::Burn);
        let (policy, margins) = (read(logits.policy), read(logits.margins));
        std::hint::black_box(policy.len() + margins.len())
    }
}
