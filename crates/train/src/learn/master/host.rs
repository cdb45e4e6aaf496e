//! Master weights in the memory of the processor, and the loops of AdamW and Muon over them.

use std::mem;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use super::muon::{MOMENTUM, Matrices};
use super::state::{Moments, OptimizerState};
use super::{BETAS, EPSILON, Gradients, MasterWeights, StepRule};
use crate::Precision;
use crate::kernels::convolution::GradientOrder;
use crate::kernels::orthogonal::make_orthogonal;
use crate::learn::model::Model;
use crate::learn::read::read;
use doublecross_core::net::{Isa, LANES, TensorSpec};
use doublecross_run::OptimizerKind;

/// Master weights in the memory of the processor.
pub(super) struct HostWeights {
    model: Model,
    isa: Isa,
    parameters: Vec<Parameter>,
    /// The sum of the gradients' norms that were not asked for yet.
    norms: f64,
}

/// A parameter of a model, with what a step changes beside it.
struct Parameter {
    value: Vec<f32>,
    ema: Vec<f32>,
    moments: Moments,
    /// That of the present step.
    gradient: Vec<f32>,
    /// The order of the gradients of parts.
    order: GradientOrder,
    /// The parameter as matrices, if Muon updates it.
    matrices: Option<Matrices>,
    is_bias: bool,
}

impl HostWeights {
    /// Creates the master weights of a model that has taken no step, whose gradients are those of loops of this
    /// precision.
    pub fn new(model: Model, hidden: OptimizerKind, precision: Precision) -> HostWeights {
        let parameter = |(spec, value): (&TensorSpec, Vec<f32>)| Parameter {
            ema: value.clone(),
            moments: Moments::zeros(spec.len()),
            gradient: Vec::new(),
            matrices: Matrices::of(spec).filter(|_| hidden == OptimizerKind::Muon),
            order: precision.gradient_order(spec),
            is_bias: spec.is_bias(),
            value,
        };
        let parameters = model.specs().iter().zip(model.tensors()).map(parameter).collect();
        HostWeights { model, isa: precision.isa(), parameters, norms: 0.0 }
    }
}

impl MasterWeights for HostWeights {
    fn model(&self) -> &Model {
        &self.model
    }

    fn step(&mut self, rule: &StepRule, parts: Vec<Gradients>) {
        let mut gradients = vec![Vec::new(); self.parameters.len()];
        for part in parts {
            gradients.iter_mut().zip(part).for_each(|(gradients, gradient)| gradients.push(gradient));
        }
        let add_up = |(parameter, parts): (&mut Parameter, Gradients)| parameter.add_up(parts);
        let squares: Vec<f32> = self.parameters.par_iter_mut().zip(gradients).map(add_up).collect();
        let norm = squares.iter().sum::<f32>().sqrt();
        let clip = if norm > rule.clip_norm { rule.clip_norm / norm } else { 1.0 };
        self.norms += norm as f64;
        let isa = self.isa;
        self.parameters.par_iter_mut().zip(&mut self.model.parameters).for_each(|(parameter, tensor)| {
            parameter.step(rule, clip, isa);
            *tensor = parameter.tensor(&tensor.device());
        });
    }

    fn time(&self) -> u64 {
        self.parameters.first().map_or(0, |parameter| parameter.moments.time)
    }

    fn take_norms(&mut self) -> f64 {
        mem::take(&mut self.norms)
    }

    fn ema(&self) -> Vec<Vec<f32>> {
        self.parameters.iter().map(|parameter| parameter.ema.clone()).collect()
    }

    fn set_ema(&mut self, ema: Vec<Vec<f32>>) {
        self.parameters.iter_mut().zip(ema).for_each(|(parameter, ema)| parameter.ema = ema);
    }

    fn moments(&self) -> Vec<Moments> {
        self.parameters.iter().map(|parameter| parameter.moments.clone()).collect()
    }

    fn restore(&mut self, state: OptimizerState) {
        let moments = self.parameters.iter_mut().map(|parameter| &mut parameter.moments);
        moments.zip(state.moments).for_each(|(moments, restored)| *moments = restored);
        let values = self.parameters.iter_mut().rev().zip(self.model.parameters.iter_mut().rev());
        for ((parameter, tensor), value) in values.zip(state.edge_head.into_iter().rev()) {
            parameter.value = value;
            *tensor = parameter.tensor(&tensor.device());
        }
    }
}

impl Parameter {
    /// Computes the gradient from those of the parts, and returns the sum of its squares.
    fn add_up(&mut self, parts: Gradients) -> f32 {
        let mut parts = parts.into_iter().map(read);
        let mut sum = parts.next().expect("a batch has a part");
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        self.gradient = self.order.to_weights(sum);
        sum_of_squares(&self.gradient)
    }

    /// Moves along the gradient, scaled by `clip`.
    fn step(&mut self, rule: &StepRule, clip: f32, isa: Isa) {
        self.moments.time += 1;
        let weight_decay = if self.is_bias { 0.0 } else { rule.weight_decay as f64 };
        let kept = (1.0 - rule.learning_rate * weight_decay) as f32;
        match self.matrices {
            Some(matrices) => self.muon(rule.learning_rate, kept, clip, matrices, isa),
            None => self.adamw(rule.learning_rate as f32, kept, clip),
        }
        let decay = rule.ema_decay;
        for (ema, value) in self.ema.iter_mut().zip(&self.value) {
            *ema = decay * *ema + (1.0 - decay) * value;
        }
    }

    /// A step of AdamW. Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019 (algorithm 2).
    fn adamw(&mut self, learning_rate: f32, kept: f32, clip: f32) {
        let Moments { time, first, second } = &mut self.moments;
        let [correction_1, correction_2] = BETAS.map(|beta| 1.0 - power(beta, *time));
        let moments = first.iter_mut().zip(second);
        for ((value, gradient), (first, second)) in self.value.iter_mut().zip(&self.gradient).zip(moments) {
            let gradient = clip * gradient;
            *first = BETAS[0] * *first + (1.0 - BETAS[0]) * gradient;
            *second = BETAS[1] * *second + (1.0 - BETAS[1]) * gradient * gradient;
            let change = *first / correction_1 / ((*second / correction_2).sqrt() + EPSILON);
            *value = kept * *value - learning_rate * change;
        }
    }

    /// A step of Muon; see [`super::muon`].
    fn muon(&mut self, learning_rate: f64, kept: f32, clip: f32, matrices: Matrices, isa: Isa) {
        for (velocity, gradient) in self.moments.first.iter_mut().zip(&mut self.gradient) {
            let clipped = clip * *gradient;
            *velocity = MOMENTUM * *velocity + clipped;
            *gradient = MOMENTUM * *velocity + clipped;
        }
        for (matrix, length) in self.gradient.chunks_exact_mut(matrices.len()).zip(matrices.lengths()) {
            make_orthogonal(isa, matrix, matrices.shape, (learning_rate * length) as f32);
        }
        for (value, change) in self.value.iter_mut().zip(&self.gradient) {
            *value = kept * *value - change;
        }
    }

    /// Returns the value as a leaf that is differentiated by.
    fn tensor(&self, device: &Device) -> Tensor<1> {
        let data = TensorData::new(self.value.clone(), [self.value.len()]);
        Tensor::from_data(data, device).require_grad()
    }
}

/// Returns a power. That of the standard library may differ between platforms.
fn power(mut base: f32, mut exponent: u64) -> f32 {
    let mut power = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            power *= base;
        }
        exponent /= 2;
        base *= base;
    }
    power
}

/// Returns the sum of the squares of numbers, in sixteen sums that a processor adds to at once.
fn sum_of_squares(numbers: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for numbers in chunks {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number * number);
    }
    sums.iter().sum::<f32>() + rest.iter().map(|number| number * number).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_standard_library() {
        for exponent in [0, 1, 2, 3, 10, 1000, 40_000] {
            let expected = 0.999f64.powi(exponent as i32) as f32;
            assert!((power(0.999, exponent) - expected).abs() < 1e-5, "{exponent}");
        }
    }

    #[test]
    fn squares_are_added_up_whatever_their_number() {
        for count in [0, 1, 15, 16, 33] {
            let numbers: Vec<f32> = (0..count).map(|i| i as f32).collect();
            assert_eq!(sum_of_squares(&numbers), (0..count).map(|i| i * i).sum::<usize>() as f32);
        }
    }
}
