//! The learner: model, optimizer and EMA weights, a generation at a time.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use burn::tensor::{Device, Tensor};
use rand::RngExt;
use rayon::prelude::*;

use crate::learn::batch::{EncodedBatch, Encoder, StepBatch};
use crate::learn::device::{ProcessorError, device};
use crate::learn::growth::grow_edge_head;
use crate::learn::loss::Losses;
use crate::learn::master::{Gradients, MasterWeights, OptimizerError, StepRule, master_weights};
use crate::learn::metrics::StepMetrics;
use crate::learn::model::{Convolutions, Model};
use crate::learn::read::read;
use crate::{Precision, grow};
use doublecross_arena::random::{Purpose, stream};
use doublecross_core::board::{Board, Symmetry};
use doublecross_core::net::{Isa, Weights};
use doublecross_run::Processor;
use doublecross_run::config::learning_rate;
use doublecross_run::config::{Config, GenerationConfig, LearnConfig};
use doublecross_run::initial_edge_head;
use doublecross_run::observer::{Observer, Progress, Task};
use doublecross_selfplay::{Sample, Window};

/// A model that learns, with the exponential moving average (EMA) of its weights.
pub struct Learner {
    device: Device,
    /// The precision of this crate's own convolutions, or `None` where those of burn are used.
    precision: Option<Precision>,
    master: Box<dyn MasterWeights>,
    place: Place,
    steps: Steps,
    /// The sums behind the metrics since they were last asked for.
    sums: Sums,
}

/// Sums over steps, which stay on the device until they are asked for.
#[derive(Clone, Debug, Default)]
struct Sums {
    steps: u64,
    /// The losses, as [`Losses::numbers`] gives them.
    losses: Option<Tensor<1>>,
    /// The learning rate of the last step, which is not summed.
    learning_rate: f64,
}

/// The facts of a run that its learner keeps through all phases.
#[derive(Clone)]
struct Place {
    seed: u64,
    /// The boards that are learned beside the model's own.
    other_boards: Vec<Board>,
    processor: Processor,
    isa: Isa,
}

/// The numbers of steps that a checkpoint keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The number of steps taken.
    pub taken: u64,
    /// The number of those before the present course of the learning rate.
    pub before_course: u64,
}

impl Steps {
    /// Returns the number of steps of the present course.
    pub fn in_course(self) -> u64 {
        self.taken - self.before_course
    }
}

impl Learner {
    /// Creates a learner of a run that starts from these weights with the config of a generation, with
    /// a fresh optimizer.
    ///
    /// # Errors
    /// Returns an error if the run asks for a GPU and there is none.
    pub fn new(run: &Config, config: &LearnConfig, weights: &Weights, isa: Isa) -> Result<Learner, ProcessorError> {
        let mut weights = weights.clone();
        if config.learns_edges() {
            weights.tensors.extend(initial_edge_head(weights.board, weights.architecture));
        }
        let other_boards = run.boards().into_iter().filter(|&board| board != weights.board).collect();
        let place = Place { seed: run.seed, other_boards, processor: run.resources.learn_device, isa };
        Learner::with_edge_head(place, config, &weights)
    }

    /// Creates a learner from weights that end with an edge head if the config learns edge values.
    fn with_edge_head(place: Place, config: &LearnConfig, weights: &Weights) -> Result<Learner, ProcessorError> {
        let device = device(place.processor)?;
        let precision = (place.processor == Processor::Cpu).then(|| Precision::of(place.isa));
        let model = Model::new(weights.board, weights.architecture, &weights.tensors, &device.clone().autodiff());
        let master = master_weights(model, config.optimizer, precision);
        Ok(Learner { device, precision, master, place, steps: Steps::default(), sums: Sums::default() })
    }

    /// Takes over a config whose network is not smaller than this one's. The outputs of the networks
    /// stay the same.
    ///
    /// The optimizer starts afresh, with a warm-up, if the network, the rule or the losses change.
    ///
    /// # Errors
    /// Returns an error if the config asks for a GPU and there is none.
    ///
    /// # Panics
    /// Panics if the config's network is smaller.
    pub fn reconfigure(&mut self, before: &GenerationConfig, config: &GenerationConfig) -> Result<(), ProcessorError> {
        let shape =
            |config: &GenerationConfig| (config.architecture(), config.learn.optimizer, config.learn.learns_edges());
        if shape(before) == shape(config) {
            return Ok(());
        }
        let (board, old) = (self.model().board(), self.model().architecture());
        let new = old.resized(config.architecture());
        let grown =
            |weights: &Weights| grow(weights, new, self.place.seed).expect("a phase's network should not be smaller");
        let (steps, ema) = (self.steps, grown(&self.ema_weights()).tensors);
        let edge_head: Vec<Vec<f32>> = self.model().edge_head().iter().cloned().map(read).collect();
        let mut weights = grown(&self.weights());
        if config.learn.learns_edges() {
            weights.tensors.extend(match edge_head.is_empty() {
                true => initial_edge_head(board, new),
                false => grow_edge_head(board, old, &edge_head, new),
            });
        }
        *self = Learner { steps, ..Learner::with_edge_head(self.place.clone(), &config.learn, &weights)? };
        self.master.set_ema(ema);
        Ok(())
    }

    /// Begins a course of the learning rate, with its warm-up.
    pub fn begin_course(&mut self) {
        self.steps.before_course = self.steps.taken;
    }

    /// Restores the state that a checkpoint keeps beside the weights.
    ///
    /// # Errors
    /// Returns an error if `optimizer` is damaged or belongs to another model.
    pub fn restore(&mut self, ema: Vec<Vec<f32>>, steps: Steps, optimizer: &[u8]) -> Result<(), OptimizerError> {
        self.master.restore_bytes(optimizer)?;
        self.master.set_ema(ema);
        self.steps = steps;
        Ok(())
    }

    /// Returns `true` if all weights are finite numbers, those of the model and the EMA weights.
    pub fn is_finite(&self) -> bool {
        let is_finite = |tensors: &[Vec<f32>]| tensors.iter().flatten().all(|weight| weight.is_finite());
        is_finite(&self.master.ema()) && is_finite(&self.model().tensors())
    }

    /// The model, with the present weights.
    fn model(&self) -> &Model {
        self.master.model()
    }

    /// Returns the numbers of steps.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// Returns the weights of the model itself.
    pub fn weights(&self) -> Weights {
        self.with_tensors(self.model().tensors())
    }

    /// Returns the EMA weights, which are those to play with.
    pub fn ema_weights(&self) -> Weights {
        self.with_tensors(self.master.ema())
    }

    /// Returns these tensors, without an edge head, as weights of the model's shape.
    fn with_tensors(&self, mut tensors: Vec<Vec<f32>>) -> Weights {
        let (board, architecture) = (self.model().board(), self.model().architecture());
        tensors.truncate(architecture.tensors(board).len());
        Weights { board, other_boards: self.place.other_boards.clone(), architecture, tensors, canaries: Vec::new() }
    }

    /// Returns the optimizer's state as bytes.
    pub fn optimizer_bytes(&self) -> Vec<u8> {
        self.master.optimizer_bytes()
    }

    /// Takes the steps that a new generation of samples calls for, when `share_done` of the learning
    /// rate's course is done, or those until `stop` is set.
    pub fn learn(
        &mut self,
        config: &LearnConfig,
        window: &Window,
        generation: u64,
        share_done: f64,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> StepMetrics {
        let mut rng = stream(self.place.seed, generation, 0, Purpose::Learning);
        let drawn = window.draw(config.passes, &mut rng);
        let batches = window.batches(drawn, config.batch);
        let progress = Progress::new(observer, Task::Learning { generation }, batches.iter().map(Vec::len).sum());
        let (encoder, mut batches) = (self.encoder(config), batches.into_iter());
        let mut encode_next = || {
            let places = batches.next()?;
            let symmetries: Vec<Symmetry> = window.sample(places[0]).state.board().symmetries().collect();
            let mut symmetry = || symmetries[rng.random_range(0..symmetries.len())];
            let samples: Vec<_> = places.iter().map(|&place| (window.sample(place), symmetry())).collect();
            Some(encoder.encode(&samples))
        };
        let mut next = encode_next();
        while let Some(batch) = next.take().filter(|_| !stop.load(Relaxed)) {
            let samples = batch.samples;
            next = rayon::join(|| self.step_encoded(config, batch, share_done), &mut encode_next).1;
            progress.advance(samples);
        }
        self.take_metrics()
    }

    /// Returns what encodes batches for steps of this learner. Threads have no say in their parts, and so do not change
    /// the result; a GPU takes a whole batch.
    fn encoder(&self, config: &LearnConfig) -> Encoder {
        let part = if self.precision.is_some() { config.part } else { usize::MAX };
        Encoder { of_model: self.model().board(), part }
    }

    /// Takes one step on these samples of one board, each under a symmetry, when `share_done` of the learning
    /// rate's course is done.
    ///
    /// A GPU may still be computing when this returns.
    pub fn step(&mut self, config: &LearnConfig, samples: &[(&Sample, Symmetry)], share_done: f64) {
        self.step_encoded(config, self.encoder(config).encode(samples), share_done);
    }

    /// Does what [`Learner::step`] does.
    fn step_encoded(&mut self, config: &LearnConfig, batch: StepBatch, share_done: f64) {
        let StepBatch { board, samples, parts } = batch;
        let convolutions = self.convolutions(board);
        let learn_part = |part: EncodedBatch| {
            let share = part.samples() as f32 / samples as f32;
            self.learn_part(config, &convolutions, part, share)
        };
        let (losses, gradients): (Vec<_>, Vec<_>) = parts.into_par_iter().map(learn_part).unzip();
        self.sums.losses = self.sums.losses.take().into_iter().chain(losses).reduce(|sum, losses| sum + losses);
        // An optimizer that starts afresh knows no gradient yet, so that it warms up, too.
        let steps = self.steps.in_course().min(self.master.time());
        let learning_rate = learning_rate(config, steps, share_done);
        self.steps.taken += 1;
        (self.sums.steps, self.sums.learning_rate) = (self.sums.steps + 1, learning_rate);
        // The decay is smaller in the first steps, so that the EMA moves faster.
        let most_kept = self.steps.taken as f32 / (self.steps.taken as f32 + 10.0);
        let rule = StepRule {
            learning_rate,
            weight_decay: config.weight_decay as f32,
            clip_norm: config.clip_norm as f32,
            ema_decay: most_kept.min(config.ema_decay as f32),
        };
        self.master.step(&rule, gradients);
    }

    /// Returns the mean metrics of all steps since they were last asked for, when these steps are computed.
    pub fn take_metrics(&mut self) -> StepMetrics {
        let Sums { steps, losses, learning_rate } = std::mem::take(&mut self.sums);
        let means = |sum: f64| sum / steps.max(1) as f64;
        let losses = losses.map_or(vec![0.0; 4], read);
        let losses: Vec<f64> = losses.into_iter().map(|sum| means(sum as f64)).collect();
        StepMetrics {
            steps,
            policy_loss: losses[0],
            margin_loss: losses[1],
            edge_loss: losses[2],
            policy_entropy: losses[3],
            gradient_norm: means(self.master.take_norms()),
            learning_rate,
        }
    }

    /// Returns the convolutions for a step on samples of a board.
    fn convolutions(&self, board: Board) -> Convolutions {
        self.precision.map_or(Convolutions::Burn, |precision| self.model().packed(precision, board))
    }

    /// Returns the losses, as [`Losses::numbers`] gives them, and the gradients of a part of a batch, which is this share
    /// of the whole.
    fn learn_part(
        &self,
        config: &LearnConfig,
        convolutions: &Convolutions,
        batch: EncodedBatch,
        share: f32,
    ) -> (Tensor<1>, Gradients) {
        let model = self.model().replica();
        let batch = batch.on(&self.device.clone().autodiff());
        let losses = Losses::new(model.forward(batch.planes.clone(), convolutions), &batch);
        let numbers = losses.numbers().mul_scalar(share);
        let mut loss = losses.policy + losses.margin.mul_scalar(config.margin_loss as f32);
        if config.learns_edges() {
            loss = loss + losses.edges.mul_scalar(config.edge_loss as f32);
        }
        (numbers, model.gradients(&loss.mul_scalar(share)))
    }
}
