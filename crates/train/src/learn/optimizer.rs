//! AdamW and Muon over a model's parameters, and their state as bytes.

use burn::optim::{AdamW, AdamWConfig, AdamWState, AdaptiveMomentumState, Optimizer as BurnOptimizer};
use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;
use thiserror::Error;

use crate::learn::model::Model;
use crate::learn::model::to_vec;
use crate::learn::muon::muon;
use doublecross_core::net::{TensorSpec, checksum};
use doublecross_run::OptimizerKind;

/// AdamW or Muon with weight decay on weights but not on biases, and gradients clipped by their
/// global norm.
pub struct Optimizer {
    hidden: OptimizerKind,
    weight_decay: f32,
    weights: AdamW,
    biases: AdamW,
    clip_norm: f32,
    /// The moments of each parameter. Muon keeps its velocity as the first moment and has no
    /// second.
    moments: Vec<Option<AdamWState<1>>>,
}

/// An error of an optimizer's state that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OptimizerError {
    /// The state does not have this model's size.
    #[error("optimizer state of {found} bytes; this model's is {expected}")]
    Length {
        /// The number of bytes.
        found: usize,
        /// The expected number of bytes.
        expected: usize,
    },
    /// The checksum does not match.
    #[error("damaged optimizer state: the checksum does not match")]
    Checksum,
}

impl Optimizer {
    /// Creates a fresh optimizer. Gradients with a norm over `clip_norm` are scaled down to it.
    pub fn new(hidden: OptimizerKind, weight_decay: f32, clip_norm: f32) -> Optimizer {
        let config = AdamWConfig::new().with_epsilon(1e-8);
        Optimizer {
            hidden,
            weight_decay,
            weights: config.clone().with_weight_decay(weight_decay).build(),
            biases: config.with_weight_decay(0.0).build(),
            clip_norm,
            moments: Vec::new(),
        }
    }

    /// Changes the weight decay and the norm over which gradients are scaled down.
    pub fn set_regularisation(&mut self, weight_decay: f32, clip_norm: f32) {
        let moments = std::mem::take(&mut self.moments);
        *self = Optimizer { moments, ..Optimizer::new(self.hidden, weight_decay, clip_norm) };
    }

    /// Takes a step down these gradients, as [`Model::gradients`] gives them, and returns their
    /// norm before clipping.
    pub fn step(&mut self, learning_rate: f64, model: &mut Model, gradients: Vec<Option<Tensor<1>>>) -> f32 {
        let squares = gradients.iter().flatten().map(|g| g.clone().square().sum().into_scalar::<f32>());
        let norm = squares.sum::<f32>().sqrt();
        let scale = if norm > self.clip_norm { self.clip_norm / norm } else { 1.0 };
        self.moments.resize_with(model.parameters.len(), || None);
        let (parameters, specs) = (model.parameters.par_iter_mut(), model.specs.par_iter());
        let all = parameters.zip(gradients).zip(&mut self.moments).zip(specs);
        all.for_each(|(((parameter, gradient), moments), spec)| {
            let Some(gradient) = gradient.map(|gradient| gradient.mul_scalar(scale)) else { return };
            let value = parameter.clone().inner();
            let (value, after) = match hidden_shape(spec) {
                Some(shape) if self.hidden == OptimizerKind::Muon => {
                    muon_step(learning_rate, self.weight_decay, value, gradient, moments.take(), shape)
                }
                _ => {
                    let rule = if spec.is_bias() { &self.biases } else { &self.weights };
                    rule.step(learning_rate, value, gradient, moments.take())
                }
            };
            *moments = after;
            *parameter = Tensor::from_inner(value).require_grad();
        });
        norm
    }

    /// Returns the whole state as bytes.
    ///
    /// They are the step count and both moments of each parameter, the edge head, which is not in
    /// weights files, and a checksum.
    pub fn to_bytes(&self, model: &Model) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (index, spec) in model.specs().iter().enumerate() {
            let state = self.moments.get(index).and_then(Option::as_ref).map(|state| &state.momentum);
            bytes.extend((state.map_or(0, |state| state.time) as u64).to_le_bytes());
            let moments = match state {
                Some(state) => [to_vec(&state.moment_1), to_vec(&state.moment_2)],
                None => [vec![0.0; spec.len()], vec![0.0; spec.len()]],
            };
            moments.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        model.edge_head().iter().flat_map(to_vec).for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Restores a state that [`Optimizer::to_bytes`] returned for a model of the same shape.
    ///
    /// # Errors
    /// Returns an error if the bytes do not have this model's size, or are damaged.
    pub fn restore(&mut self, model: &mut Model, bytes: &[u8], device: &Device) -> Result<(), OptimizerError> {
        let moments = model.specs().iter().map(|spec| 8 + 8 * spec.len());
        let length: usize = moments.chain(model.edge_head().iter().map(|tensor| 4 * tensor.dims()[0])).sum();
        if bytes.len() != length + 8 {
            return Err(OptimizerError::Length { found: bytes.len(), expected: length + 8 });
        }
        let (mut rest, sum) = bytes.split_at(length);
        if checksum(rest).to_le_bytes() != *sum {
            return Err(OptimizerError::Checksum);
        }
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at(count);
            rest = tail;
            head
        };
        self.moments.clear();
        for spec in model.specs() {
            let mut word = [0; 8];
            word.copy_from_slice(take(8));
            let time = u64::from_le_bytes(word) as usize;
            let mut moment = || floats(take(4 * spec.len()), device);
            let (moment_1, moment_2) = (moment(), moment());
            let momentum = AdaptiveMomentumState { time, moment_1, moment_2, max_moment_2: None };
            self.moments.push((time > 0).then_some(AdamWState { momentum }));
        }
        for tensor in model.edge_head_mut() {
            *tensor = Tensor::from_inner(floats(take(4 * tensor.dims()[0]), device)).require_grad();
        }
        Ok(())
    }
}

/// Returns the numbers that bytes hold.
fn floats(bytes: &[u8], device: &Device) -> Tensor<1> {
    let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let numbers: Vec<f32> = numbers.collect();
    let count = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [count]), device)
}

/// Returns the shape of a hidden layer's weights as a matrix, with a convolution's inputs and taps
/// as columns.
///
/// Returns `None` for other parameters.
fn hidden_shape(spec: &TensorSpec) -> Option<[usize; 2]> {
    spec.role.is_hidden_weight().then(|| [spec.shape[0], spec.len() / spec.shape[0]])
}

/// Takes a step of Muon with weight decay, as [`BurnOptimizer::step`] takes one of AdamW.
fn muon_step(
    learning_rate: f64,
    weight_decay: f32,
    value: Tensor<1>,
    gradient: Tensor<1>,
    state: Option<AdamWState<1>>,
    shape: [usize; 2],
) -> (Tensor<1>, Option<AdamWState<1>>) {
    let (time, velocity, unused) = match state.map(|state| state.momentum) {
        Some(state) => (state.time, Some(state.moment_1), state.moment_2),
        None => (0, None, gradient.zeros_like()),
    };
    let (velocity, change) = muon(gradient, velocity, shape);
    let value = value.mul_scalar(1.0 - learning_rate * weight_decay as f64) - change.mul_scalar(learning_rate);
    let momentum = AdaptiveMomentumState { time: time + 1, moment_1: velocity, moment_2: unused, max_moment_2: None };
    (value, Some(AdamWState { momentum }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;
    use doublecross_core::board::Board;
    use doublecross_core::net::{Architecture, Isa, PLANES};
    use doublecross_run::{initial_edge_head, initial_weights};

    fn model() -> Model {
        let board = Board::new(2, 2).unwrap();
        let architecture = Architecture::new(16, 1, 8);
        let tensors =
            [initial_weights(board, architecture, 1).tensors, initial_edge_head(board, architecture)].concat();
        Model::new(board, architecture, &tensors, &Device::flex().autodiff())
    }

    /// Returns the mean squared distance of all outputs from 1, on one fixed batch.
    fn loss(model: &Model) -> Tensor<1> {
        let numbers: Vec<f32> = (0..4 * PLANES * 9).map(|i| (i as f32 * 0.37).sin()).collect();
        let data = TensorData::new(numbers, [4, 3, 3, PLANES]);
        let logits = model.forward(
            Tensor::from_data(data, &Device::flex().autodiff()),
            &model.packed(Precision::of(Isa::fastest()), model.board()),
        );
        let off = |logits: Tensor<2>| (logits - 1.0).square().mean();
        off(logits.policy) + off(logits.margins) + off(logits.edge_margins.unwrap())
    }

    fn run(model: &mut Model, optimizer: &mut Optimizer, steps: usize) -> f32 {
        let mut last = 0.0;
        for _ in 0..steps {
            let loss = loss(model);
            last = loss.clone().into_scalar::<f32>();
            let gradients = model.gradients(&loss);
            optimizer.step(0.01, model, gradients);
        }
        last
    }

    #[test]
    fn steps_lower_the_loss() {
        for rule in [OptimizerKind::Muon, OptimizerKind::AdamW] {
            let (mut model, mut optimizer) = (model(), Optimizer::new(rule, 1e-4, 1.0));
            let first = run(&mut model, &mut optimizer, 1);
            let last = run(&mut model, &mut optimizer, 40);
            assert!(last < 0.2 * first, "{rule:?}: {first} to {last}");
        }
    }

    #[test]
    fn hidden_layers_are_those_between_the_first_and_the_last() {
        let specs = model().specs;
        let hidden: Vec<&str> = specs.iter().filter(|s| hidden_shape(s).is_some()).map(|s| s.name.as_str()).collect();
        let of_block = ["block0.conv1.weight", "block0.pool.weight", "block0.conv2.weight"];
        let of_heads = ["policy.conv.weight", "policy.pool.weight", "value.hidden.weight"];
        assert_eq!(hidden, [of_block, of_heads].concat());
        assert_eq!(hidden_shape(&specs[2]), Some([16, 16 * 9]));
    }

    #[test]
    fn a_restored_optimizer_continues_bit_for_bit() {
        [OptimizerKind::Muon, OptimizerKind::AdamW].into_iter().for_each(assert_continuation);
    }

    fn assert_continuation(rule: OptimizerKind) {
        let (mut straight, mut optimizer) = (model(), Optimizer::new(rule, 1e-2, 0.5));
        run(&mut straight, &mut optimizer, 5);
        let (tensors, bytes) = (straight.tensors(), optimizer.to_bytes(&straight));
        run(&mut straight, &mut optimizer, 5);
        let device = Device::flex();
        let fresh = model();
        // The edge head is fresh, as with weights from a file.
        let head = initial_edge_head(fresh.board(), fresh.architecture());
        let tensors = [&tensors[..tensors.len() - head.len()], &head[..]].concat();
        let mut resumed = Model::new(fresh.board(), fresh.architecture(), &tensors, &device.clone().autodiff());
        let mut optimizer = Optimizer::new(rule, 1e-2, 0.5);
        optimizer.restore(&mut resumed, &bytes, &device).unwrap();
        run(&mut resumed, &mut optimizer, 5);
        assert_eq!(resumed.tensors(), straight.tensors());
        let mut error = |bytes: &[u8]| optimizer.restore(&mut resumed, bytes, &device).unwrap_err();
        assert!(matches!(error(&bytes[1..]), OptimizerError::Length { .. }));
        let mut damaged = bytes.clone();
        damaged[100] ^= 1;
        assert_eq!(error(&damaged), OptimizerError::Checksum);
        assert!(matches!(error(&bytes[..bytes.len() - 8]), OptimizerError::Length { .. }));
    }
}
