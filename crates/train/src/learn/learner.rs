//! The learner: model, optimizer and EMA weights, a generation at a time.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use burn::tensor::{Device, Tensor};
use rand::RngExt;
use rayon::prelude::*;

use crate::learn::batch::Batch;
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

/// The number of samples that one thread learns from at a time.
///
/// It is fixed so that the number of threads does not change the result. burn's `flex` uses one
/// thread, and is faster on few samples than on many.
pub(crate) const PART_SAMPLES: usize = 32;

/// The contribution of a part of a batch to the whole.
struct BatchPart {
    losses: Tensor<1>,
    gradients: Gradients,
}

/// A model that learns, with the exponential moving average (EMA) of its weights.
pub struct Learner {
    device: Device,
    /// The number of samples that are learned from together. On a GPU it is the whole batch.
    part_samples: usize,
    /// The precision of this crate's own convolutions, or `None` where those of burn are used.
    precision: Option<Precision>,
    master: Box<dyn MasterWeights>,
    place: Place,
    steps: Steps,
    /// What the metrics since they were last asked for are made of.
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

/// What a learner keeps of its run through all phases.
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
        let (part_samples, precision) = match place.processor {
            Processor::Cpu => (PART_SAMPLES, Some(Precision::of(place.isa))),
            Processor::Gpu => (usize::MAX, None),
        };
        let model = Model::new(weights.board, weights.architecture, &weights.tensors, &device.clone().autodiff());
        let master = master_weights(model, config.optimizer, precision);
        Ok(Learner { device, part_samples, precision, master, place, steps: Steps::default(), sums: Sums::default() })
    }

    /// Takes over a config whose network is not smaller than this one's. The outputs of the networks
    /// stay the same.
    ///
    /// The optimizer starts afresh if the network, the rule or the losses change.
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
        let progress = Progress::new(observer, Task::Learning { generation }, drawn.len());
        for places in window.batches(drawn, config.batch) {
            if stop.load(Relaxed) {
                break;
            }
            let board = window.sample(places[0]).state.board();
            let symmetries: Vec<Symmetry> = board.symmetries().collect();
            let samples: Vec<_> = places
                .iter()
                .map(|&place| (window.sample(place), symmetries[rng.random_range(0..symmetries.len())]))
                .collect();
            self.step(config, &samples, share_done);
            progress.advance(places.len());
        }
        self.take_metrics()
    }

    /// Takes one step on these samples of one board, each under a symmetry, when `share_done` of the learning
    /// rate's course is done.
    ///
    /// A GPU may still be computing when this returns.
    pub fn step(&mut self, config: &LearnConfig, samples: &[(&Sample, Symmetry)], share_done: f64) {
        let board = samples.first().map_or(self.model().board(), |(sample, _)| sample.state.board());
        let convolutions = self.convolutions(board);
        let parts: Vec<BatchPart> = samples
            .par_chunks(self.part_samples)
            .map(|part| self.learn_part(config, &convolutions, part, part.len() as f32 / samples.len() as f32))
            .collect();
        let mut gradients = Vec::new();
        for part in parts {
            let before = self.sums.losses.take();
            self.sums.losses = Some(before.map_or(part.losses.clone(), |sum| sum + part.losses));
            gradients.push(part.gradients);
        }
        let learning_rate = learning_rate(config, self.steps.in_course(), share_done);
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

    /// Returns the losses and gradients of a part of a batch, which is this share of the whole.
    fn learn_part(
        &self,
        config: &LearnConfig,
        convolutions: &Convolutions,
        samples: &[(&Sample, Symmetry)],
        share: f32,
    ) -> BatchPart {
        let model = self.model().replica();
        let batch = Batch::new(model.board(), samples, &self.device.clone().autodiff());
        let losses = Losses::new(model.forward(batch.planes.clone(), convolutions), &batch);
        let numbers = losses.numbers().mul_scalar(share);
        let mut loss = losses.policy + losses.margin.mul_scalar(config.margin_loss as f32);
        if config.learns_edges() {
            loss = loss + losses.edges.mul_scalar(config.edge_loss as f32);
        }
        BatchPart { losses: numbers, gradients: model.gradients(&loss.mul_scalar(share)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::read::reads;
    use doublecross_core::board::State;
    use doublecross_run::initial_weights;
    use doublecross_selfplay::MarginTarget;

    /// The number of steps of a [`Trained`] learner.
    const STEPS: u64 = 20;

    /// The way of runs on the processor.
    const LOOPS: Way = Way::Loops(PART_SAMPLES);

    /// A learner after [`STEPS`] steps on the same samples at the full learning rate.
    struct Trained {
        initial: Weights,
        learner: Learner,
        metrics: StepMetrics,
        /// The EMA weights, computed here by their definition.
        ema: Vec<f64>,
    }

    /// The way that a [`Trained`] learner computes.
    #[derive(Clone, Copy, PartialEq)]
    enum Way {
        /// By the loops of this crate, with this many samples in a part.
        Loops(usize),
        /// By the operations of burn on the processor, as it computes on a GPU.
        Operations,
        Gpu,
    }

    fn trained(way: Way) -> Trained {
        let board = Board::new(2, 3).unwrap();
        let mut config = Config { board: "2x3".parse().unwrap(), ..Config::default() };
        (config.network.channels, config.network.blocks) = (16, 1);
        config.resources.learn_device = if way == Way::Gpu { Processor::Gpu } else { Processor::Cpu };
        (config.learn.edge_loss, config.learn.warmup_steps, config.learn.learning_rate) = (1.0, 0, 3e-3);
        // Reached within these steps.
        config.learn.ema_decay = 0.6;
        let initial = initial_weights(board, config.network.architecture(), 1);
        let mut learner = Learner::new(&config, &config.learn, &initial, Isa::fastest_float()).unwrap();
        match way {
            Way::Loops(samples) => learner.part_samples = samples,
            Way::Operations => learner.use_operations(config.learn.optimizer),
            Way::Gpu => {}
        }
        let sample = |(index, edge)| {
            let state = State::new(board).after(edge);
            let policy = Sample::quantize(state.undrawn().iter().take(1 + index % 3).map(|edge| (edge, 1.0)));
            let edge_margins = state.undrawn().iter().take(index % 4).map(|edge| (edge, 2 * (index as i8 % 3) - 2));
            let edge_margins = edge_margins.collect();
            Sample { state, margin: MarginTarget::Played(2 * (index as i8 % 5) - 4), policy, edge_margins }
        };
        let samples: Vec<Sample> = board.all().iter().enumerate().map(sample).collect();
        let symmetries: Vec<Symmetry> = board.symmetries().collect();
        let batch: Vec<_> = samples.iter().zip(symmetries.into_iter().cycle()).cycle().take(40).collect();
        let mut ema: Vec<f64> = initial.tensors.concat().into_iter().map(f64::from).collect();
        for step in 1..=STEPS {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let reads = pool.install(|| reads::of(|| learner.step(&config.learn, &batch, 0.0)));
            assert_eq!(reads > 0, matches!(way, Way::Loops(_)), "{reads} tensors were read back in a step");
            let decay = (step as f64 / (step as f64 + 10.0)).min(0.6);
            for (ema, weight) in ema.iter_mut().zip(learner.weights().tensors.concat()) {
                *ema = decay * *ema + (1.0 - decay) * weight as f64;
            }
        }
        let metrics = learner.take_metrics();
        Trained { initial, learner, metrics, ema }
    }

    impl Learner {
        /// Goes on as a GPU would, on the processor.
        fn use_operations(&mut self, optimizer: doublecross_run::OptimizerKind) {
            let model = self.model();
            let autodiff = self.device.clone().autodiff();
            let model = Model::new(model.board(), model.architecture(), &model.tensors(), &autodiff);
            self.master = master_weights(model, optimizer, None);
            (self.precision, self.part_samples) = (None, usize::MAX);
        }
    }

    /// The Euclidean distance between the weights of two networks of one shape.
    fn distance(a: &Weights, b: &Weights) -> f64 {
        let (a, b) = (a.tensors.concat(), b.tensors.concat());
        a.iter().zip(&b).map(|(a, b)| (*a as f64 - *b as f64).powi(2)).sum::<f64>().sqrt()
    }

    /// Checks that two learners took the same steps: their weights are much closer to each other
    /// than to the initial ones. AdamW moves weights whose gradient is little more than rounding as
    /// far as others.
    fn assert_same_steps(a: &Trained, b: &Trained) {
        for weights in [Learner::weights, Learner::ema_weights] {
            let traveled = distance(&weights(&a.learner), &a.initial);
            let apart = distance(&weights(&a.learner), &weights(&b.learner));
            assert!(traveled > 1.0 && apart < 0.02 * traveled, "{apart} apart after {traveled}");
        }
        let losses = |metrics: &StepMetrics| [metrics.policy_loss, metrics.margin_loss, metrics.edge_loss];
        for (a, b) in losses(&a.metrics).into_iter().zip(losses(&b.metrics)) {
            assert!(a > 0.0 && (a - b).abs() < 1e-3 * a, "{a} {b}");
        }
        // AdamW hardly depends on the length of the gradient, so that weights do not show it.
        let (x, y) = (a.metrics.gradient_norm, b.metrics.gradient_norm);
        assert!(x > 0.0 && (x - y).abs() < 0.02 * x, "{x} {y}");
    }

    #[test]
    fn steps_are_counted_and_move_the_weights() {
        let trained = trained(LOOPS);
        let metrics = trained.metrics;
        assert_eq!((metrics.steps, trained.learner.steps().taken), (STEPS, STEPS));
        let distance = distance(&trained.learner.weights(), &trained.initial);
        assert!(distance > 1.0, "{distance} {metrics:?}");
    }

    #[test]
    fn ema_weights_follow_their_definition() {
        let Trained { initial, learner, ema, .. } = trained(LOOPS);
        let found = learner.ema_weights();
        for (found, expected) in found.tensors.concat().into_iter().zip(ema) {
            assert!((found as f64 - expected).abs() < 1e-5, "{found} {expected}");
        }
        // They lie between the initial weights and the model's.
        assert!(distance(&found, &initial) > 1.0 && distance(&found, &learner.weights()) > 0.1);
    }

    #[test]
    fn weights_that_are_not_numbers_are_noticed() {
        let Trained { mut learner, metrics, .. } = trained(LOOPS);
        assert!(learner.is_finite() && metrics.is_finite());
        assert!(!StepMetrics { margin_loss: f64::NAN, ..metrics }.is_finite());
        let mut ema = learner.master.ema();
        ema[0][0] = f32::INFINITY;
        learner.master.set_ema(ema);
        assert!(!learner.is_finite());
    }

    #[test]
    fn weights_for_play_have_no_edge_head() {
        let Trained { learner, .. } = trained(LOOPS);
        assert_eq!(learner.model().edge_head().len(), 2);
        for weights in [learner.weights(), learner.ema_weights()] {
            assert_eq!(weights.tensors.len(), weights.architecture.tensors(weights.board).len());
        }
    }

    /// The network, its EMA weights and the edge head stay as they were learned.
    #[test]
    fn a_larger_network_takes_over_what_was_learned() {
        let mut learner = trained(LOOPS).learner;
        let mut before = GenerationConfig::default();
        (before.network.channels, before.network.blocks, before.learn.edge_loss) = (16, 1, 1.0);
        let mut after = before.clone();
        (after.network.channels, after.network.blocks, after.learn.optimizer) =
            (32, 2, doublecross_run::OptimizerKind::Muon);
        let board = learner.model().board();
        let samples = [(State::new(board), 1), (State::new(board).after(doublecross_core::board::Edge::new(3)), 2)]
            .map(|(state, count)| Sample {
                state,
                margin: MarginTarget::Exact(0),
                policy: Sample::quantize(state.undrawn().iter().take(count).map(|edge| (edge, 1.0))),
                edge_margins: Vec::new(),
            });
        let outputs = |learner: &Learner| {
            let symmetry = board.symmetries().next().unwrap();
            let samples: Vec<_> = samples.iter().map(|sample| (sample, symmetry)).collect();
            let batch = Batch::new(board, &samples, &learner.device.clone().autodiff());
            let logits = learner.model().forward(batch.planes.clone(), &learner.convolutions(board));
            [read(logits.policy), read(logits.margins), read(logits.edge_margins.unwrap())]
        };
        let (found, steps) = (outputs(&learner), learner.steps());
        assert!(found.iter().all(|values| values.iter().any(|&value| value.abs() > 1e-3)), "{found:?}");
        learner.reconfigure(&before, &after).unwrap();
        assert_eq!((learner.model().architecture(), learner.steps()), (after.architecture(), steps));
        for (before, after) in found.iter().zip(outputs(&learner)) {
            for (before, after) in before.iter().zip(after) {
                assert!((before - after).abs() < 1e-4 * before.abs().max(1.0), "{before} {after}");
            }
        }
        assert_eq!(learner.ema_weights().architecture, after.architecture());
    }

    #[test]
    fn parts_of_a_batch_add_up_to_the_whole() {
        assert_same_steps(&trained(LOOPS), &trained(Way::Loops(usize::MAX)));
    }

    /// So do the operations of burn, which read nothing back.
    #[test]
    fn operations_of_burn_take_the_same_steps() {
        assert_same_steps(&trained(LOOPS), &trained(Way::Operations));
    }

    #[test]
    fn a_gpu_takes_the_same_steps() {
        if device(Processor::Gpu).is_ok() {
            assert_same_steps(&trained(LOOPS), &trained(Way::Gpu));
        }
    }
}
