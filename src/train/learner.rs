//! The learner: model, optimiser and averaged weights, a generation at a time.

use burn::tensor::{Device, Tensor};
use rand::RngExt;
use rayon::prelude::*;

use super::batch::Batch;
use super::config::{Config, LearnConfig};
use super::loss::Losses;
use super::model::initial_edge_head;
use super::processor::{Processor, ProcessorError, device};
use super::progress::Progress;
use super::replay::Replay;
use super::schedule::learning_rate;
use super::{Convolutions, Model, Optimizer, OptimizerError, Precision, Sample};
use crate::board::Symmetry;
use crate::net::{Isa, Weights};
use crate::random::{Purpose, stream};

/// What a generation's steps came to: means over its steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepMetrics {
    pub steps: u64,
    pub policy_loss: f64,
    pub margin_loss: f64,
    pub edge_loss: f64,
    pub policy_entropy: f64,
    pub gradient_norm: f64,
    pub learning_rate: f64,
}

impl StepMetrics {
    /// Whether all means are numbers.
    pub fn is_finite(&self) -> bool {
        [self.policy_loss, self.margin_loss, self.edge_loss, self.policy_entropy, self.gradient_norm]
            .iter()
            .all(|mean| mean.is_finite())
    }
}

/// Rows of a batch that one thread learns from at a time. Of a fixed size, so that what is learnt does not depend on the
/// number of threads; burn's `flex` uses one thread, and is faster on few rows than on many.
const PART: usize = 32;

/// What a part of a batch adds to the whole.
struct Part {
    /// Of policy, margin and edges, and the policy's entropy.
    losses: [f64; 4],
    gradients: Vec<Option<Tensor<1>>>,
}

pub(super) struct Learner {
    device: Device,
    /// Rows that are learnt together: on a GPU the whole batch.
    part: usize,
    convolutions: Convolutions,
    model: Model,
    optimizer: Optimizer,
    average: Vec<Vec<f32>>,
    steps: u64,
}

impl Learner {
    /// A learner that starts from these weights, with nothing learnt.
    ///
    /// # Errors
    /// When the config asks for a GPU and there is none.
    pub fn new(config: &Config, weights: &Weights, isa: Isa) -> Result<Learner, ProcessorError> {
        let device = device(config.learn.device)?;
        let autodiff = device.clone().autodiff();
        let (part, convolutions) = match config.learn.device {
            Processor::Cpu => (PART, Convolutions::Own(Precision::of(isa))),
            Processor::Gpu => (usize::MAX, Convolutions::Burn),
        };
        let mut tensors = weights.tensors.clone();
        if config.learn.learns_edges() {
            tensors.extend(initial_edge_head(weights.architecture));
        }
        Ok(Learner {
            part,
            convolutions,
            model: Model::new(weights.board, weights.architecture, &tensors, &autodiff),
            device,
            optimizer: Optimizer::new(config.learn.optimizer, config.learn.weight_decay, config.learn.clip_norm),
            average: weights.tensors.clone(),
            steps: 0,
        })
    }

    /// Takes over what a checkpoint kept beside the weights.
    pub fn restore(&mut self, average: Vec<Vec<f32>>, steps: u64, optimizer: &[u8]) -> Result<(), OptimizerError> {
        self.average = average;
        self.steps = steps;
        self.optimizer.restore(&mut self.model, optimizer, &self.device)
    }

    /// Whether all weights, learnt and averaged, are numbers.
    pub fn is_finite(&self) -> bool {
        let is_finite = |tensors: &[Vec<f32>]| tensors.iter().flatten().all(|weight| weight.is_finite());
        is_finite(&self.average) && is_finite(&self.model.tensors())
    }

    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The weights as they are learnt.
    pub fn weights(&self) -> Weights {
        self.with_tensors(self.model.tensors())
    }

    /// The averaged weights, those to play with.
    pub fn average(&self) -> Weights {
        self.with_tensors(self.average.clone())
    }

    /// Weights for play, which have no edge head.
    fn with_tensors(&self, mut tensors: Vec<Vec<f32>>) -> Weights {
        let (board, architecture) = (self.model.board(), self.model.architecture());
        tensors.truncate(self.average.len());
        Weights { board, architecture, tensors, canaries: Vec::new() }
    }

    pub fn optimizer_bytes(&self) -> Vec<u8> {
        self.optimizer.to_bytes(&self.model)
    }

    /// Learns what a new generation of games calls for.
    pub fn learn(&mut self, config: &Config, replay: &Replay, generation: u64) -> StepMetrics {
        let board = self.model.board();
        let symmetries: Vec<Symmetry> = board.symmetries().collect();
        let mut rng = stream(config.seed, generation, 0, Purpose::Learning);
        let drawn = replay.draw(config.learn.passes, &mut rng);
        let mut learnt = StepMetrics::default();
        let done = (generation - 1) as f64 / (config.generations.max(2) - 1) as f64;
        let progress = Progress::new(format!("generation {generation}: rows learnt"), drawn.len());
        for (index, chosen) in drawn.chunks(config.learn.batch).enumerate() {
            let rows: Vec<_> = chosen
                .iter()
                .map(|&place| (replay.row(place), symmetries[rng.random_range(0..symmetries.len())]))
                .collect();
            self.step(&config.learn, &rows, done, &mut learnt);
            progress.at(index * config.learn.batch + chosen.len());
        }
        progress.finish();
        let steps = learnt.steps.max(1) as f64;
        learnt.policy_loss /= steps;
        learnt.margin_loss /= steps;
        learnt.edge_loss /= steps;
        learnt.policy_entropy /= steps;
        learnt.gradient_norm /= steps;
        learnt
    }

    /// One step on these rows, each seen under a symmetry, when this share of the run is done.
    pub fn step(&mut self, config: &LearnConfig, rows: &[(&Sample, Symmetry)], done: f64, learnt: &mut StepMetrics) {
        let parts: Vec<Part> = rows
            .par_chunks(self.part)
            .map(|part| self.learn_part(config, part, part.len() as f64 / rows.len() as f64))
            .collect();
        let mut gradients = vec![None; self.model.specs().len()];
        for part in parts {
            let [policy, margin, edges, entropy] = part.losses;
            learnt.policy_loss += policy;
            learnt.margin_loss += margin;
            learnt.edge_loss += edges;
            learnt.policy_entropy += entropy;
            for (sum, gradient) in gradients.iter_mut().zip(part.gradients) {
                *sum = match (sum.take(), gradient) {
                    (Some(sum), Some(gradient)) => Some(sum + gradient),
                    (sum, gradient) => sum.or(gradient),
                };
            }
        }
        learnt.learning_rate = learning_rate(config, self.steps, done);
        learnt.gradient_norm += self.optimizer.step(learnt.learning_rate, &mut self.model, gradients) as f64;
        learnt.steps += 1;
        self.steps += 1;
        self.follow(config.ema_decay);
    }

    /// The losses and gradients of a part of a batch, which is this share of it.
    fn learn_part(&self, config: &LearnConfig, rows: &[(&Sample, Symmetry)], share: f64) -> Part {
        let model = self.model.replica();
        let batch = Batch::new(model.board(), rows, &self.device.clone().autodiff());
        let losses = Losses::new(model.forward(batch.planes.clone(), self.convolutions), &batch);
        let mean = |tensor: &Tensor<1>| tensor.clone().into_scalar::<f32>() as f64 * share;
        let means = [&losses.policy, &losses.margin, &losses.edges, &losses.entropy].map(mean);
        let mut loss = losses.policy + losses.margin.mul_scalar(config.margin_loss);
        if config.learns_edges() {
            loss = loss + losses.edges.mul_scalar(config.edge_loss);
        }
        Part { losses: means, gradients: model.gradients(&loss.mul_scalar(share as f32)) }
    }

    /// Moves the averaged weights towards the learnt ones, faster in the first steps.
    fn follow(&mut self, decay: f32) {
        let keep = decay.min(self.steps as f32 / (self.steps as f32 + 10.0));
        for (average, current) in self.average.iter_mut().zip(self.model.tensors()) {
            for (a, c) in average.iter_mut().zip(current) {
                *a = keep * *a + (1.0 - keep) * c;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, State};
    use crate::train::initial_weights;

    /// A learner after three steps on the same rows, and the losses on the way.
    fn learnt(processor: Processor, part: Option<usize>) -> (Learner, StepMetrics) {
        let board = Board::new(2, 3).unwrap();
        let mut config = Config { board: "2x3".into(), ..Config::default() };
        (config.network.channels, config.network.blocks, config.learn.device) = (16, 1, processor);
        config.learn.edge_loss = 1.0;
        let mut learner =
            Learner::new(&config, &initial_weights(board, config.architecture(), 1), Isa::fastest()).unwrap();
        learner.part = part.unwrap_or(learner.part);
        let row = |(index, edge)| {
            let state = State::new(board).after(edge);
            let policy = Sample::quantise(state.undrawn().iter().take(1 + index % 3).map(|edge| (edge, 1.0)));
            let worth = state.undrawn().iter().take(index % 4).map(|edge| (edge, 2 * (index as i8 % 3) - 2));
            Sample { state, margin: 2 * (index as i8 % 5) - 4, is_exact: false, policy, edge_margins: worth.collect() }
        };
        let rows: Vec<Sample> = board.all().iter().enumerate().map(row).collect();
        let symmetries: Vec<Symmetry> = board.symmetries().collect();
        let batch: Vec<_> = rows.iter().zip(symmetries.into_iter().cycle()).cycle().take(40).collect();
        let mut learnt = StepMetrics::default();
        (0..3).for_each(|_| learner.step(&config.learn, &batch, 0.1, &mut learnt));
        (learner, learnt)
    }

    fn alike(a: (Learner, StepMetrics), b: (Learner, StepMetrics)) {
        let losses = |learnt: StepMetrics| [learnt.policy_loss, learnt.margin_loss, learnt.edge_loss];
        for (a, b) in losses(a.1).into_iter().zip(losses(b.1)) {
            assert!(a > 0.0 && (a - b).abs() < 1e-4, "{a} {b}");
        }
        // AdamW hardly cares how large a gradient is; its norm does.
        let (x, y) = (a.1.gradient_norm, b.1.gradient_norm);
        assert!(x > 0.0 && (x - y).abs() < 0.02 * x, "{x} {y}");
        let numbers = |learner: &Learner| learner.average.concat();
        for (a, b) in numbers(&a.0).into_iter().zip(numbers(&b.0)) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }

    #[test]
    fn what_is_no_number_any_more_is_seen() {
        let (mut learner, learnt) = learnt(Processor::Cpu, None);
        assert!(learner.is_finite() && learnt.is_finite());
        assert!(!StepMetrics { margin_loss: f64::NAN, ..learnt }.is_finite());
        learner.average[0][0] = f32::INFINITY;
        assert!(!learner.is_finite());
    }

    #[test]
    fn weights_for_play_have_no_edge_head() {
        let (learner, _) = learnt(Processor::Cpu, None);
        assert_eq!(learner.model.edge_head().len(), 2);
        for weights in [learner.weights(), learner.average()] {
            assert_eq!(weights.tensors.len(), weights.architecture.tensors(weights.board).len());
        }
    }

    #[test]
    fn a_batch_may_be_learnt_in_parts() {
        alike(learnt(Processor::Cpu, None), learnt(Processor::Cpu, Some(usize::MAX)));
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn a_gpu_learns_what_the_cpu_learns() {
        alike(learnt(Processor::Cpu, None), learnt(Processor::Gpu, None));
    }
}
