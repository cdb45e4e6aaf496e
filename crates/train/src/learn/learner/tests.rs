use super::*;
use crate::learn::read::reads;
use doublecross_core::board::State;
use doublecross_run::initial_weights;
use doublecross_selfplay::MarginTarget;

/// The number of steps of a [`Trained`] learner.
const STEPS: u64 = 50;

/// The way of runs on the processor, where a batch of 40 has three parts.
const LOOPS: Way = Way::Loops(16);

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

/// Returns a learner on 2x3 that has taken no step, with its config and its initial weights.
fn learner(way: Way) -> (Learner, Config, Weights) {
    let mut config = Config { board: "2x3".parse().unwrap(), ..Config::default() };
    (config.network.channels, config.network.blocks) = (16, 1);
    config.resources.learn_device = if way == Way::Gpu { Processor::Gpu } else { Processor::Cpu };
    (config.learn.edge_loss, config.learn.warmup_steps, config.learn.learning_rate) = (1.0, 0, 1e-3);
    // Reached within a few steps.
    config.learn.ema_decay = 0.6;
    let initial = initial_weights(config.board, config.network.architecture(), 1);
    let mut learner = Learner::new(&config, &config.learn, &initial, Isa::fastest_float()).unwrap();
    match way {
        Way::Loops(part) => config.learn.part = part,
        Way::Operations => learner.use_operations(config.learn.optimizer),
        Way::Gpu => {}
    }
    (learner, config, initial)
}

/// Returns a sample for each first edge of a game.
fn samples(board: Board) -> Vec<Sample> {
    let sample = |(index, edge)| {
        let state = State::new(board).after(edge);
        let policy = Sample::quantize(state.undrawn().iter().take(1 + index % 3).map(|edge| (edge, 1.0)));
        let edge_margins = state.undrawn().iter().take(index % 4).map(|edge| (edge, 2 * (index as i8 % 3) - 2));
        let edge_margins = edge_margins.collect();
        Sample { state, margin: MarginTarget::Played(2 * (index as i8 % 5) - 4), policy, edge_margins }
    };
    board.all().iter().enumerate().map(sample).collect()
}

/// Returns a batch of 40 of these samples, each under a symmetry.
fn batch(board: Board, samples: &[Sample]) -> Vec<(&Sample, Symmetry)> {
    let symmetries: Vec<Symmetry> = board.symmetries().collect();
    samples.iter().zip(symmetries.into_iter().cycle()).cycle().take(40).collect()
}

fn trained(way: Way) -> Trained {
    let (mut learner, config, initial) = learner(way);
    let samples = samples(config.board);
    let batch = batch(config.board, &samples);
    let mut ema: Vec<f64> = initial.tensors.concat().into_iter().map(f64::from).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for step in 1..=STEPS {
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
        self.precision = None;
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
    assert!(distance(&found, &initial) > 1.0 && distance(&found, &learner.weights()) > 0.02);
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
    let samples = [(State::new(board), 1), (State::new(board).after(doublecross_core::board::Edge::new(3)), 2)].map(
        |(state, count)| Sample {
            state,
            margin: MarginTarget::Exact(0),
            policy: Sample::quantize(state.undrawn().iter().take(count).map(|edge| (edge, 1.0))),
            edge_margins: Vec::new(),
        },
    );
    let outputs = |learner: &Learner| {
        let symmetry = board.symmetries().next().unwrap();
        let samples: Vec<_> = samples.iter().map(|sample| (sample, symmetry)).collect();
        let batch = EncodedBatch::new(board, &samples).on(&learner.device.clone().autodiff());
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
    // The optimizer is a new one, and warms up.
    let symmetry = board.symmetries().next().unwrap();
    let samples: Vec<_> = samples.iter().map(|sample| (sample, symmetry)).collect();
    learner.take_metrics();
    let first = after.learn.learning_rate / after.learn.warmup_steps as f64;
    for steps in 1..=3 {
        learner.step(&after.learn, &samples, 0.0);
        assert!((learner.take_metrics().learning_rate / first - steps as f64).abs() < 1e-6, "{steps}");
    }
}

#[test]
fn parts_of_a_batch_add_up_to_the_whole() {
    assert_same_steps(&trained(LOOPS), &trained(Way::Loops(64)));
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

/// A leak would show in a long run alone.
#[test]
fn a_gpu_needs_no_more_memory_after_many_steps() {
    if device(Processor::Gpu).is_err() {
        return;
    }
    let (mut learner, config, _) = learner(Way::Gpu);
    let samples = samples(config.board);
    let batch = batch(config.board, &samples);
    let mut reserved_after = |steps: u64| -> u64 {
        while learner.steps().taken < steps {
            learner.step(&config.learn, &batch, 0.0);
        }
        learner.take_metrics();
        learner.device.memory_pool_usage().expect("a GPU says what it holds").bytes_reserved
    };
    let [early, late] = [100, 1000].map(&mut reserved_after);
    // One number a step would be more.
    assert!(late <= early + early / 100, "{early} bytes, then {late}");
}
