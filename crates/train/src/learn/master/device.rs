//! Master weights on any device, changed by operations of burn.

use burn::optim::{AdamW, AdamWConfig, AdamWState, AdaptiveMomentumState, Optimizer};
use burn::tensor::{Device, Tensor, TensorData};

use super::muon::{matrix_shape, muon};
use super::state::{Moments, OptimizerState};
use super::{Gradients, MasterWeights, StepRule};
use crate::learn::model::{Model, to_vec};
use doublecross_run::OptimizerKind;

/// Master weights as tensors of the model's device.
pub(super) struct DeviceWeights {
    model: Model,
    hidden: OptimizerKind,
    ema: Vec<Tensor<1>>,
    /// The moments of each parameter that has taken a step. Muon's have no second ones.
    moments: Vec<Option<AdamWState<1>>>,
}

impl DeviceWeights {
    /// Creates the master weights of a model that has taken no step.
    pub fn new(model: Model, hidden: OptimizerKind) -> DeviceWeights {
        let ema = model.parameters.iter().map(|parameter| parameter.clone().inner()).collect();
        DeviceWeights { hidden, ema, moments: vec![None; model.parameters.len()], model }
    }

    /// The device of all tensors, without differentiation.
    fn device(&self) -> Device {
        self.ema[0].device()
    }
}

impl MasterWeights for DeviceWeights {
    fn model(&self) -> &Model {
        &self.model
    }

    fn step(&mut self, rule: &StepRule, parts: Vec<Gradients>) -> f32 {
        let mut gradients = vec![None; self.model.parameters.len()];
        for (sum, gradient) in parts.into_iter().flat_map(|part| part.into_iter().enumerate()) {
            let sum: &mut Option<Tensor<1>> = &mut gradients[sum];
            *sum = match (sum.take(), gradient) {
                (Some(sum), Some(gradient)) => Some(sum + gradient),
                (sum, gradient) => sum.or(gradient),
            };
        }
        let squares = gradients.iter().flatten().map(|gradient| gradient.clone().square().sum());
        let norm = squares.reduce(|a, b| a + b).map_or(0.0, |sum| sum.into_scalar::<f32>()).sqrt();
        let clip = if norm > rule.clip_norm { rule.clip_norm / norm } else { 1.0 };
        let decays = [0.0, rule.weight_decay];
        let [biases, weights] = decays.map(|decay| adamw().with_weight_decay(decay).build());
        for (index, gradient) in gradients.into_iter().enumerate() {
            let Some(gradient) = gradient.map(|gradient| gradient.mul_scalar(clip)) else { continue };
            let (spec, moments) = (&self.model.specs[index], self.moments[index].take());
            let value = self.model.parameters[index].clone().inner();
            let (value, moments) = match matrix_shape(spec) {
                Some(shape) if self.hidden == OptimizerKind::Muon => muon_step(rule, value, gradient, moments, shape),
                _ => {
                    let adamw: &AdamW = if spec.is_bias() { &biases } else { &weights };
                    adamw.step(rule.learning_rate, value, gradient, moments)
                }
            };
            let ema = &mut self.ema[index];
            *ema = ema.clone().mul_scalar(rule.ema_decay) + value.clone().mul_scalar(1.0 - rule.ema_decay);
            self.moments[index] = moments;
            self.model.parameters[index] = Tensor::from_inner(value).require_grad();
        }
        norm
    }

    fn ema(&self) -> Vec<Vec<f32>> {
        self.ema.iter().map(to_vec).collect()
    }

    fn set_ema(&mut self, ema: Vec<Vec<f32>>) {
        let device = self.device();
        self.ema.iter_mut().zip(ema).for_each(|(tensor, ema)| *tensor = numbers(ema, &device));
    }

    fn moments(&self) -> Vec<Moments> {
        let of_parameter = |(moments, ema): (&Option<AdamWState<1>>, &Tensor<1>)| match moments {
            Some(AdamWState { momentum }) => Moments {
                time: momentum.time as u64,
                first: to_vec(&momentum.moment_1),
                second: to_vec(&momentum.moment_2),
            },
            None => Moments::zeros(ema.dims()[0]),
        };
        self.moments.iter().zip(&self.ema).map(of_parameter).collect()
    }

    fn restore(&mut self, state: OptimizerState) {
        let device = self.device();
        let restored = |Moments { time, first, second }: Moments| {
            let [moment_1, moment_2] = [first, second].map(|moments| numbers(moments, &device));
            let momentum = AdaptiveMomentumState { time: time as usize, moment_1, moment_2, max_moment_2: None };
            (time > 0).then_some(AdamWState { momentum })
        };
        self.moments = state.moments.into_iter().map(restored).collect();
        for (tensor, value) in self.model.edge_head_mut().iter_mut().zip(state.edge_head) {
            *tensor = Tensor::from_inner(numbers(value, &device)).require_grad();
        }
    }
}

/// The config of AdamW, whose constants [`HostWeights`](super::host::HostWeights) shares.
fn adamw() -> AdamWConfig {
    let [beta_1, beta_2] = super::BETAS;
    AdamWConfig::new().with_beta_1(beta_1).with_beta_2(beta_2).with_epsilon(super::EPSILON)
}

/// Takes a step of Muon with weight decay, as [`Optimizer::step`] takes one of AdamW.
fn muon_step(
    rule: &StepRule,
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
    let kept = 1.0 - rule.learning_rate * rule.weight_decay as f64;
    let value = value.mul_scalar(kept) - change.mul_scalar(rule.learning_rate);
    let momentum = AdaptiveMomentumState { time: time + 1, moment_1: velocity, moment_2: unused, max_moment_2: None };
    (value, Some(AdamWState { momentum }))
}

/// Returns numbers as a tensor.
fn numbers(numbers: Vec<f32>, device: &Device) -> Tensor<1> {
    let count = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [count]), device)
}
