//! Master weights on any device, changed by operations of burn.
//!
//! A step on a GPU costs as much as its operations are many, and stops where it waits for a number. Parameters that
//! change by one rule are therefore one tensor, and nothing is read back.

use std::ops::Range;

use burn::optim::{AdamW, AdamWConfig, AdamWState, AdaptiveMomentumState, Optimizer};
use burn::tensor::{Device, Tensor, TensorData};

use super::muon::{Matrices, muon};
use super::state::{Moments, OptimizerState};
use super::{BETAS, EPSILON, Gradients, MasterWeights, StepRule};
use crate::learn::model::Model;
use crate::learn::read::read;
use doublecross_core::net::TensorSpec;
use doublecross_run::OptimizerKind;

/// Master weights as tensors of the model's device.
pub(super) struct DeviceWeights {
    model: Model,
    groups: Vec<Group>,
    /// The sum of the gradients' norms that were not asked for yet.
    norms: Tensor<1>,
}

/// Parameters that change by one rule, one after the other in one tensor.
struct Group {
    rule: Rule,
    members: Vec<Member>,
    value: Tensor<1>,
    ema: Tensor<1>,
    /// The moments, once a step was taken. Muon's have no second ones.
    moments: Option<AdamWState<1>>,
}

/// A parameter of a group.
struct Member {
    /// The place of the parameter in the model.
    index: usize,
    /// The places of its numbers in the group's tensors.
    numbers: Range<usize>,
}

/// The rule that parameters change by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    AdamW {
        decays: bool,
    },
    /// Muon, with the parameters as such matrices.
    Muon(Matrices),
}

impl Rule {
    fn of(spec: &TensorSpec, hidden: OptimizerKind) -> Rule {
        match Matrices::of(spec) {
            Some(matrices) if hidden == OptimizerKind::Muon => Rule::Muon(matrices),
            _ => Rule::AdamW { decays: !spec.is_bias() },
        }
    }
}

impl DeviceWeights {
    /// Creates the master weights of a model that has taken no step.
    pub fn new(model: Model, hidden: OptimizerKind) -> DeviceWeights {
        let mut groups: Vec<(Rule, Vec<Member>)> = Vec::new();
        for (index, spec) in model.specs().iter().enumerate() {
            let rule = Rule::of(spec, hidden);
            let group = groups.iter().position(|(of_group, _)| *of_group == rule).unwrap_or_else(|| {
                groups.push((rule, Vec::new()));
                groups.len() - 1
            });
            let members = &mut groups[group].1;
            let start = members.last().map_or(0, |member| member.numbers.end);
            members.push(Member { index, numbers: start..start + spec.len() });
        }
        let parameter = |member: &Member| model.parameters[member.index].clone().inner();
        let group = |(rule, members): (Rule, Vec<Member>)| {
            let value = Tensor::cat(members.iter().map(parameter).collect(), 0);
            Group { rule, members, ema: value.clone(), value, moments: None }
        };
        let groups: Vec<Group> = groups.into_iter().map(group).collect();
        let norms = Tensor::zeros([1], &groups[0].value.device());
        DeviceWeights { model, groups, norms }
    }

    /// Returns the numbers of each parameter from those of each group.
    fn of_parameters(&self, of_group: impl Fn(&Group) -> Vec<f32>) -> Vec<Vec<f32>> {
        let mut numbers = vec![Vec::new(); self.model.specs().len()];
        for group in &self.groups {
            let all = of_group(group);
            group.members.iter().for_each(|member| numbers[member.index] = all[member.numbers.clone()].to_vec());
        }
        numbers
    }
}

impl Group {
    /// The number of steps that its moments are of.
    fn time(&self) -> u64 {
        self.moments.as_ref().map_or(0, |state| state.momentum.time as u64)
    }

    /// Moves down the gradient of the group.
    fn step(&mut self, rule: &StepRule, gradient: Tensor<1>) {
        let (value, moments) = (self.value.clone(), self.moments.take());
        let (value, moments) = match self.rule {
            Rule::AdamW { decays } => {
                let weight_decay = if decays { rule.weight_decay } else { 0.0 };
                adamw(weight_decay).step(rule.learning_rate, value, gradient, moments)
            }
            Rule::Muon(matrices) => muon_step(rule, value, gradient, moments, matrices),
        };
        self.ema = self.ema.clone().mul_scalar(rule.ema_decay) + value.clone().mul_scalar(1.0 - rule.ema_decay);
        (self.value, self.moments) = (value, moments);
    }

    /// Returns a tensor of the group from the numbers of each parameter.
    fn tensor(&self, of_parameters: &[Vec<f32>]) -> Tensor<1> {
        let numbers: Vec<&[f32]> = self.members.iter().map(|member| &of_parameters[member.index][..]).collect();
        numbers_on(numbers.concat(), &self.value.device())
    }

    /// Gives the present values to the parameters of a model.
    fn write(&self, model: &mut Model) {
        for Member { index, numbers } in &self.members {
            let value = self.value.clone().narrow(0, numbers.start, numbers.len());
            model.parameters[*index] = Tensor::from_inner(value).require_grad();
        }
    }
}

impl MasterWeights for DeviceWeights {
    fn model(&self) -> &Model {
        &self.model
    }

    fn step(&mut self, rule: &StepRule, parts: Vec<Gradients>) {
        let of_group = |group: &Group, part: &Gradients| {
            Tensor::cat(group.members.iter().map(|member| part[member.index].clone()).collect(), 0)
        };
        let of_groups = |part: Gradients| self.groups.iter().map(|group| of_group(group, &part)).collect();
        let add = |a: Vec<Tensor<1>>, b: Vec<Tensor<1>>| a.into_iter().zip(b).map(|(a, b)| a + b).collect();
        let Some(gradients) = parts.into_iter().map(of_groups).reduce(add) else { return };
        let squares = gradients.iter().map(|gradient| gradient.clone().square().sum());
        let Some(norm) = squares.reduce(|a, b| a + b).map(Tensor::sqrt) else { return };
        let clip = norm.clone().recip().mul_scalar(rule.clip_norm).clamp_max(1.0);
        self.norms = self.norms.clone() + norm;
        for (group, gradient) in self.groups.iter_mut().zip(gradients) {
            group.step(rule, gradient * clip.clone());
            group.write(&mut self.model);
        }
    }

    fn time(&self) -> u64 {
        self.groups.first().map_or(0, Group::time)
    }

    fn take_norms(&mut self) -> f64 {
        let none = self.norms.zeros_like();
        read(std::mem::replace(&mut self.norms, none))[0] as f64
    }

    fn ema(&self) -> Vec<Vec<f32>> {
        self.of_parameters(|group| read(group.ema.clone()))
    }

    fn set_ema(&mut self, ema: Vec<Vec<f32>>) {
        let mut all = self.ema();
        all.iter_mut().zip(ema).for_each(|(all, ema)| *all = ema);
        self.groups.iter_mut().for_each(|group| group.ema = group.tensor(&all));
    }

    fn moments(&self) -> Vec<Moments> {
        let moment = |take: fn(&AdaptiveMomentumState<1>) -> &Tensor<1>| {
            self.of_parameters(|group| match &group.moments {
                Some(state) => read(take(&state.momentum).clone()),
                None => vec![0.0; group.value.dims()[0]],
            })
        };
        let mut times = vec![0; self.model.specs().len()];
        self.groups.iter().for_each(|group| group.members.iter().for_each(|member| times[member.index] = group.time()));
        let moments = moment(|state| &state.moment_1).into_iter().zip(moment(|state| &state.moment_2));
        times.into_iter().zip(moments).map(|(time, (first, second))| Moments { time, first, second }).collect()
    }

    fn restore(&mut self, OptimizerState { moments, edge_head }: OptimizerState) {
        let mut values = self.model.tensors();
        values.iter_mut().rev().zip(edge_head.into_iter().rev()).for_each(|(value, restored)| *value = restored);
        let [first, second] = [|moments: &Moments| moments.first.clone(), |moments: &Moments| moments.second.clone()]
            .map(|moment| moments.iter().map(moment).collect::<Vec<_>>());
        for group in &mut self.groups {
            let time = moments[group.members[0].index].time as usize;
            let (moment_1, moment_2) = (group.tensor(&first), group.tensor(&second));
            let momentum = AdaptiveMomentumState { time, moment_1, moment_2, max_moment_2: None };
            group.moments = (time > 0).then_some(AdamWState { momentum });
            group.value = group.tensor(&values);
            group.write(&mut self.model);
        }
    }
}

/// Returns burn's AdamW, with the constants of the loops.
fn adamw(weight_decay: f32) -> AdamW {
    let [beta_1, beta_2] = BETAS;
    let config = AdamWConfig::new().with_beta_1(beta_1).with_beta_2(beta_2).with_epsilon(EPSILON);
    config.with_weight_decay(weight_decay).build()
}

/// Takes a step of Muon with weight decay, as [`Optimizer::step`] takes one of AdamW.
fn muon_step(
    rule: &StepRule,
    value: Tensor<1>,
    gradient: Tensor<1>,
    state: Option<AdamWState<1>>,
    matrices: Matrices,
) -> (Tensor<1>, Option<AdamWState<1>>) {
    let (time, velocity, unused) = match state.map(|state| state.momentum) {
        Some(state) => (state.time, Some(state.moment_1), state.moment_2),
        None => (0, None, gradient.zeros_like()),
    };
    let (velocity, change) = muon(gradient, velocity, matrices);
    let kept = 1.0 - rule.learning_rate * rule.weight_decay as f64;
    let value = value.mul_scalar(kept) - change.mul_scalar(rule.learning_rate);
    let momentum = AdaptiveMomentumState { time: time + 1, moment_1: velocity, moment_2: unused, max_moment_2: None };
    (value, Some(AdamWState { momentum }))
}

/// Returns numbers as a tensor of a device.
fn numbers_on(numbers: Vec<f32>, device: &Device) -> Tensor<1> {
    let count = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [count]), device)
}
