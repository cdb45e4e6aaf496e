//! Learning for a number of seconds, and the scores that it leads to.

use std::time::Duration;

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use doublecross::board::Board;
use doublecross::net::PolicyCell;
use doublecross::random::{Purpose, stream};
use rand::RngExt;

use crate::auxiliary::Auxiliary;
use crate::clock::Clock;
use crate::data::{Image, Sample};
use crate::nets::Net;

const BATCH: usize = 64;
const RATE: f64 = 2e-3;
const IMPOSSIBLE: f32 = -1e9;

/// A network's score on test positions. Losses are in nats.
pub struct Score {
    pub policy_loss: f64,
    pub margin_loss: f64,
    /// The share whose likeliest edge is optimal, for 28, 30, 32, 34 and 36 undrawn edges and for all positions.
    pub optimal: [f64; 6],
    /// The share whose expected margin has the right sign.
    pub sign: f64,
}

/// Inputs, masks and targets of samples.
struct Batch {
    input: Tensor<2>,
    policy: Tensor<2>,
    policy_mask: Tensor<2>,
    margin: Tensor<2>,
    margin_mask: Tensor<2>,
    auxiliary: Option<Tensor<2>>,
}

impl Batch {
    fn new(net: &Net, board: Board, samples: &[Sample], device: &Device) -> Batch {
        let (places, margins) = (2 * PolicyCell::count(board), 2 * board.boxes() + 1);
        let count = samples.len();
        let mut input = vec![0.0; count * net.inputs()];
        let (mut policy, mut policy_mask) = (vec![0.0; count * places], vec![IMPOSSIBLE; count * places]);
        let (mut margin, mut margin_mask) = (vec![0.0; count * margins], vec![IMPOSSIBLE; count * margins]);
        for (index, &Sample { state, margin: value, best, .. }) in samples.iter().enumerate() {
            net.write(state, &mut input[index * net.inputs()..][..net.inputs()]);
            state
                .undrawn()
                .iter()
                .for_each(|edge| policy_mask[index * places + PolicyCell::of(board, edge).planar()] = 0.0);
            best.iter().for_each(|edge| {
                policy[index * places + PolicyCell::of(board, edge).planar()] = 1.0 / best.len() as f32
            });
            let (boxes, open) = (board.boxes(), state.open_boxes());
            (boxes - open..=boxes + open).step_by(2).for_each(|m| margin_mask[index * margins + m] = 0.0);
            margin[index * margins + (boxes as i32 + value) as usize] = 1.0;
        }
        let pairs = |data: Vec<f32>| {
            let columns = data.len() / count;
            Tensor::<2>::from_data(TensorData::new(data, [count, columns]), device)
        };
        Batch {
            input: pairs(input),
            policy: pairs(policy),
            policy_mask: pairs(policy_mask),
            margin: pairs(margin),
            margin_mask: pairs(margin_mask),
            auxiliary: net.auxiliary().map(|auxiliary| pairs(auxiliary.targets(board, samples))),
        }
    }

    /// Log-probabilities of edge places and of margins, the losses of both, and the loss of the auxiliary target.
    fn judge(&self, net: &Net, parameters: &[Tensor<1>]) -> (Tensor<2>, Tensor<2>, [Tensor<1>; 2], Option<Tensor<1>>) {
        let (policy, margins, logits) = net.forward(parameters, self.input.clone());
        let policy = log_softmax(policy + self.policy_mask.clone(), 1);
        let margins = log_softmax(margins + self.margin_mask.clone(), 1);
        let cross = |target: &Tensor<2>, log: &Tensor<2>| (target.clone() * log.clone()).sum_dim(1).mean().neg();
        let losses = [cross(&self.policy, &policy), cross(&self.margin, &margins)];
        let auxiliary = net.auxiliary().zip(self.auxiliary.as_ref()).zip(logits);
        let auxiliary = auxiliary.map(|((auxiliary, target), logits)| {
            cross(target, &auxiliary.log_probabilities(logits, &self.policy_mask))
        });
        (policy, margins, losses, auxiliary)
    }
}

/// Learns for this long, with Adam and a rate that falls to zero along a half cosine of the time. Returns the EMA of the
/// parameters and the training samples learnt a second.
pub fn learn(net: &Net, board: Board, samples: &[Sample], time: Duration, seed: u64) -> (Vec<Vec<f32>>, f64) {
    let device = Device::flex().autodiff();
    let mut rng = stream(seed, 1, 0, Purpose::Learning);
    let images = Image::all(board);
    let mut tensors = net.initial(seed);
    let mut average = tensors.clone();
    let zeros = || tensors.iter().map(|tensor| vec![0.0f32; tensor.len()]).collect::<Vec<_>>();
    let (mut first, mut second) = (zeros(), zeros());
    let start = Clock::start();
    let mut steps = 0;
    while start.elapsed() < time {
        let chosen: Vec<Sample> = (0..BATCH)
            .map(|_| {
                let sample = &samples[rng.random_range(0..samples.len())];
                images[if net.canonical { 0 } else { rng.random_range(0..images.len()) }].of(sample)
            })
            .collect();
        let batch = Batch::new(net, board, &chosen, &device);
        let parameters = leaves(&tensors, &device, true);
        let (_, _, [policy, margin], auxiliary) = batch.judge(net, &parameters);
        let loss = policy + margin;
        let weight = net.auxiliary().map_or(0.0, Auxiliary::weight);
        let mut gradients = auxiliary.map_or(loss.clone(), |auxiliary| loss + auxiliary.mul_scalar(weight)).backward();
        steps += 1;
        let done = start.elapsed().as_secs_f64() / time.as_secs_f64();
        let rate = RATE * (0.5 + 0.5 * (std::f64::consts::PI * done.min(1.0)).cos()) * (steps as f64 / 100.0).min(1.0);
        let corrections = [1.0 - 0.9f64.powi(steps), 1.0 - 0.999f64.powi(steps)];
        let keep = (steps as f32 / (steps as f32 + 10.0)).min(0.999);
        for (index, parameter) in parameters.iter().enumerate() {
            let Some(gradient) = parameter.grad_remove(&mut gradients) else { continue };
            let gradient: Vec<f32> = gradient.into_data().try_to_vec().expect("numbers");
            for (i, g) in gradient.into_iter().enumerate() {
                let (m, v) = (&mut first[index][i], &mut second[index][i]);
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                let step = rate * (*m as f64 / corrections[0]) / ((*v as f64 / corrections[1]).sqrt() + 1e-8);
                let x = &mut tensors[index][i];
                *x -= step as f32;
                average[index][i] = keep * average[index][i] + (1.0 - keep) * *x;
            }
        }
    }
    (average, steps as f64 * BATCH as f64 / start.elapsed().as_secs_f64())
}

/// The score of the parameters on these samples, and the number of evaluations a second by flex.
pub fn score(net: &Net, board: Board, tensors: &[Vec<f32>], samples: &[Sample]) -> (Score, f64) {
    let device = Device::flex();
    let parameters = leaves(tensors, &device, false);
    let mut score = Score { policy_loss: 0.0, margin_loss: 0.0, optimal: [0.0; 6], sign: 0.0 };
    let (mut counts, mut spent) = ([0.0; 6], Duration::ZERO);
    for samples in samples.chunks(32) {
        let batch = Batch::new(net, board, samples, &device);
        let start = Clock::start();
        let (policy, margins, [policy_loss, margin_loss], _) = batch.judge(net, &parameters);
        let share = samples.len() as f64;
        score.policy_loss += share * policy_loss.into_scalar::<f32>() as f64;
        score.margin_loss += share * margin_loss.into_scalar::<f32>() as f64;
        spent += start.elapsed();
        let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec::<f32>().expect("numbers");
        let (policy, margins) = (numbers(policy), numbers(margins));
        let (places, width) = (policy.len() / samples.len(), margins.len() / samples.len());
        for (index, sample) in samples.iter().enumerate() {
            let undrawn = sample.state.undrawn();
            let logit = |edge: &_| policy[index * places + PolicyCell::of(board, *edge).planar()];
            let likeliest = undrawn.iter().max_by(|a, b| logit(a).total_cmp(&logit(b))).expect("an edge");
            let expected: f32 =
                (0..width).map(|m| margins[index * width + m].exp() * (m as f32 - board.boxes() as f32)).sum();
            let is_optimal = sample.best.contains(likeliest) as u8 as f64;
            score.sign += (sample.margin == 0 || (expected > 0.0) == (sample.margin > 0)) as u8 as f64;
            let band = undrawn.len() - 28;
            for band in [Some(5), band.is_multiple_of(2).then_some(band / 2)].into_iter().flatten() {
                counts[band] += 1.0;
                score.optimal[band] += is_optimal;
            }
        }
    }
    let all = samples.len() as f64;
    score.policy_loss /= all;
    score.margin_loss /= all;
    score.sign /= all;
    score.optimal.iter_mut().zip(counts).for_each(|(sum, count)| *sum /= count);
    (score, all / spent.as_secs_f64())
}

/// The loss of the auxiliary target on these samples, if there is one.
pub fn score_auxiliary(net: &Net, board: Board, tensors: &[Vec<f32>], samples: &[Sample]) -> Option<f64> {
    let device = Device::flex();
    let parameters = leaves(tensors, &device, false);
    let of_chunk = |samples: &[Sample]| {
        let (.., auxiliary) = Batch::new(net, board, samples, &device).judge(net, &parameters);
        auxiliary.map(|loss| samples.len() as f64 * loss.into_scalar::<f32>() as f64)
    };
    let sum: Option<f64> = samples.chunks(32).map(of_chunk).sum();
    sum.map(|sum| sum / samples.len() as f64)
}

/// The parameters as tensors on a device.
pub fn leaves(tensors: &[Vec<f32>], device: &Device, is_learnt: bool) -> Vec<Tensor<1>> {
    let leaf = |tensor: &Vec<f32>| {
        let leaf = Tensor::<1>::from_data(TensorData::new(tensor.clone(), [tensor.len()]), device);
        if is_learnt { leaf.require_grad() } else { leaf }
    };
    tensors.iter().map(leaf).collect()
}
