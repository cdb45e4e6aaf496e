//! The network in burn, for learning. [`Architecture`] describes the layers.
//!
//! Parameters are flat leaf tensors in the weights file's order, given their shapes on the way through the forward
//! pass: so weights, gradients and the optimiser's moments are all lists in one order.

use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;

use super::convolution::{Precision, convolve};
use crate::board::Board;
use crate::net::{Architecture, PLANES, TensorSpec, Weights};
use crate::random::{Purpose, stream};

/// A network that can be differentiated.
pub struct Model {
    board: Board,
    architecture: Architecture,
    pub(super) specs: Vec<TensorSpec>,
    pub(super) parameters: Vec<Tensor<1>>,
}

/// What the network says of a batch.
pub struct Logits {
    /// `[batch, 2 * cells]`: the horizontal edges of all cells, then the vertical ones.
    pub policy: Tensor<2>,
    /// `[batch, 2 * boxes + 1]`, for the margins -boxes..=boxes.
    pub margins: Tensor<2>,
    /// What each edge is worth, in units of four boxes, as `policy` lies; of models with an edge head alone.
    pub edge_margins: Option<Tensor<2>>,
}

impl Model {
    /// A model with these tensors, in [`Architecture::tensors`] order, on a device that differentiates. Two more are those of
    /// an edge head ([`initial_edge_head`]).
    ///
    /// # Panics
    /// When the tensors are not of the architecture's sizes.
    pub fn new(board: Board, architecture: Architecture, tensors: &[Vec<f32>], device: &Device) -> Model {
        let model = Model::fixed(board, architecture, tensors, device);
        Model { parameters: model.parameters.into_iter().map(Tensor::require_grad).collect(), ..model }
    }

    /// The same on any device, not to be differentiated.
    ///
    /// # Panics
    /// As [`Model::new`].
    pub fn fixed(board: Board, architecture: Architecture, tensors: &[Vec<f32>], device: &Device) -> Model {
        let mut specs = architecture.tensors(board);
        if tensors.len() > specs.len() {
            specs.extend(edge_head(architecture));
        }
        assert!(specs.iter().map(TensorSpec::len).eq(tensors.iter().map(Vec::len)), "tensors of other sizes");
        let leaf = |tensor: &Vec<f32>| Tensor::<1>::from_data(TensorData::new(tensor.clone(), [tensor.len()]), device);
        Model { board, architecture, parameters: tensors.iter().map(leaf).collect(), specs }
    }

    /// A model with the same parameters and gradients of its own, for another thread.
    pub(super) fn replica(&self) -> Model {
        let leaf = |parameter: &Tensor<1>| Tensor::from_inner(parameter.clone().inner()).require_grad();
        let (board, architecture, specs) = (self.board, self.architecture, self.specs.clone());
        Model { board, architecture, specs, parameters: self.parameters.iter().map(leaf).collect() }
    }

    /// The gradient of a loss by each parameter it depends on.
    pub fn gradients(&self, loss: &Tensor<1>) -> Vec<Option<Tensor<1>>> {
        let mut gradients = loss.backward();
        self.parameters.iter().map(|parameter| parameter.grad_remove(&mut gradients)).collect()
    }

    /// All parameters, in [`Architecture::tensors`] order.
    pub fn tensors(&self) -> Vec<Vec<f32>> {
        self.parameters.iter().map(to_vec).collect()
    }

    /// The board it plays.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Its shape.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Names and shapes of the parameters.
    pub fn specs(&self) -> &[TensorSpec] {
        &self.specs
    }

    /// The parameters of the edge head, which no weights file has, if there is one.
    pub(super) fn edge_head(&self) -> &[Tensor<1>] {
        &self.parameters[self.architecture.tensors(self.board).len()..]
    }

    pub(super) fn edge_head_mut(&mut self) -> &mut [Tensor<1>] {
        let count = self.architecture.tensors(self.board).len();
        &mut self.parameters[count..]
    }

    /// Evaluates a batch of planes `[batch, rows + 1, cols + 1, PLANES]`.
    pub fn forward(&self, planes: Tensor<4>, convolutions: Convolutions) -> Logits {
        let c = self.architecture.channels;
        let mut layers = Layers { parameters: self.parameters.iter().cloned().peekable(), convolutions };
        let planes = match convolutions {
            Convolutions::Burn => planes.permute([0, 3, 1, 2]),
            Convolutions::Own(_) => planes,
        };
        let mut x = relu(layers.convolution(planes, [c, PLANES, 3, 3]));
        for _ in 0..self.architecture.blocks {
            let t = layers.convolution(x.clone(), [c, c, 3, 3]);
            let pooled = layers.pool(relu(t.clone()));
            let t = relu(t + layers.spread(pooled, c));
            x = relu(x + layers.convolution(t, [c, c, 3, 3]));
        }
        let pooled = layers.pool(x.clone());
        let q = layers.convolution(x, [c, c, 1, 1]);
        let q = relu(q + layers.spread(pooled.clone(), c));
        let policy = layers.edges(q.clone(), c);
        let hidden = relu(layers.linear(pooled, [2 * c, self.architecture.value_hidden]));
        let margins = 2 * self.board.boxes() + 1;
        Logits {
            policy,
            margins: layers.linear(hidden, [self.architecture.value_hidden, margins]),
            edge_margins: layers.has_more().then(|| layers.edges(q, c)),
        }
    }
}

/// Whose convolutions a model evaluates with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convolutions {
    /// burn's own, on any device; channels come before height and width.
    Burn,
    /// Loops of our own, several times as fast, on `flex` alone; channels come last.
    Own(Precision),
}

/// Hands out the parameters layer by layer.
struct Layers<I: Iterator> {
    parameters: std::iter::Peekable<I>,
    convolutions: Convolutions,
}

impl<I: Iterator<Item = Tensor<1>>> Layers<I> {
    fn next(&mut self) -> Tensor<1> {
        self.parameters.next().expect("as many parameters as the architecture has tensors")
    }

    fn has_more(&mut self) -> bool {
        self.parameters.peek().is_some()
    }

    /// A number for each edge, `[batch, 2 * cells]`, from `c` channels.
    fn edges(&mut self, x: Tensor<4>, c: usize) -> Tensor<2> {
        let y = self.convolution(x, [2, c, 1, 1]);
        let y = match self.convolutions {
            Convolutions::Burn => y,
            Convolutions::Own(_) => y.permute([0, 3, 1, 2]),
        };
        let [batch, two, height, width] = y.dims();
        y.reshape([batch, two * height * width])
    }

    fn convolution(&mut self, x: Tensor<4>, shape: [usize; 4]) -> Tensor<4> {
        let (weight, bias) = (self.next(), self.next());
        let [outputs, inputs, taps, _] = shape;
        match self.convolutions {
            Convolutions::Burn => {
                let options = ConvOptions::new([1, 1], [taps / 2; 2], [1, 1], 1);
                conv2d(x, weight.reshape(shape), Some(bias), options)
            }
            Convolutions::Own(precision) if taps > 1 => convolve(precision, x, weight.reshape(shape), bias),
            Convolutions::Own(_) => {
                let [batch, height, width, _] = x.dims();
                let y =
                    x.reshape([batch * height * width, inputs]).matmul(weight.reshape([outputs, inputs]).transpose());
                (y + bias.reshape([1, outputs])).reshape([batch, height, width, outputs])
            }
        }
    }

    fn linear(&mut self, x: Tensor<2>, shape: [usize; 2]) -> Tensor<2> {
        let (weight, bias) = (self.next().reshape(shape), self.next());
        x.matmul(weight) + bias.reshape([1, shape[1]])
    }

    /// A linear layer without bias, `[batch, 2 * channels]` to `[batch, channels]`, to be added to every cell.
    fn spread(&mut self, pooled: Tensor<2>, channels: usize) -> Tensor<4> {
        let batch = pooled.dims()[0];
        let y = pooled.matmul(self.next().reshape([2 * channels, channels]));
        match self.convolutions {
            Convolutions::Burn => y.reshape([batch, channels, 1, 1]),
            Convolutions::Own(_) => y.reshape([batch, 1, 1, channels]),
        }
    }

    /// Mean and maximum over the cells, `[batch, 2 * channels]`.
    fn pool(&self, x: Tensor<4>) -> Tensor<2> {
        let [batch, a, b, c] = x.dims();
        let (cells, over, channels) = match self.convolutions {
            Convolutions::Burn => (x.reshape([batch, a, b * c]), 2, a),
            Convolutions::Own(_) => (x.reshape([batch, a * b, c]), 1, c),
        };
        let mean = cells.clone().mean_dim(over).reshape([batch, channels]);
        let largest = cells.max_dim(over).reshape([batch, channels]);
        Tensor::cat(vec![mean, largest], 1)
    }
}

/// The tensors of an edge head: as the policy's last layer, a number for each edge from what that layer sees. It serves
/// learning alone: no weights file has it.
pub(super) fn edge_head(architecture: Architecture) -> [TensorSpec; 2] {
    let tensor = |name: &str, shape: &[usize]| TensorSpec { name: name.into(), shape: shape.into() };
    [tensor("edges.out.weight", &[2, architecture.channels, 1, 1]), tensor("edges.out.bias", &[2])]
}

/// An edge head that has learnt nothing.
pub(super) fn initial_edge_head(architecture: Architecture) -> Vec<Vec<f32>> {
    edge_head(architecture).iter().map(|spec| vec![0.0; spec.len()]).collect()
}

pub(super) fn to_vec(tensor: &Tensor<1>) -> Vec<f32> {
    tensor.clone().into_data().try_to_vec().expect("parameters are f32")
}

/// A network that has learnt nothing: the weights before the first step of training.
pub fn initial_weights(board: Board, architecture: Architecture, seed: u64) -> Weights {
    Weights { board, architecture, tensors: initial_tensors(board, architecture, seed), canaries: Vec::new() }
}

/// First tensors: He-normal for what feeds a ReLU; zero for biases, for pooled terms, for the second convolution of
/// each block (so that a block starts as the identity) and for the heads' last layers (so that the first policy is
/// uniform).
pub(super) fn initial_tensors(board: Board, architecture: Architecture, seed: u64) -> Vec<Vec<f32>> {
    let mut rng = stream(seed, 0, 0, Purpose::Weights);
    let mut normal = move || {
        // Box-Muller.
        let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
        (radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()) as f32
    };
    let init = |spec: TensorSpec| {
        let inputs: usize = match spec.shape[..] {
            [_, inputs, height, width] => inputs * height * width,
            [inputs, _] => inputs,
            _ => 0,
        };
        let zero = ["bias", "pool.weight", "conv2.weight", "out.weight"].iter().any(|end| spec.name.ends_with(end));
        let scale = (2.0 / inputs.max(1) as f32).sqrt();
        (0..spec.len()).map(|_| if zero { 0.0 } else { scale * normal() }).collect()
    };
    architecture.tensors(board).into_iter().map(init).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::State;
    use crate::net::{Canary, Engine, Isa, Network, deviation};
    use crate::train::canaries::canaries;
    use crate::train::load_weights;
    use std::sync::Arc;

    /// Tensors of an architecture with nothing in them zero.
    fn random_tensors(board: Board, architecture: Architecture, seed: u64) -> Vec<Vec<f32>> {
        let mut rng = stream(seed, 0, 0, Purpose::Weights);
        let mut random = |spec: &TensorSpec| (0..spec.len()).map(|_| rng.random_range(-0.2..0.2)).collect();
        architecture.tensors(board).iter().map(&mut random).collect()
    }

    /// The inference engine and burn are two implementations of one architecture: every path, on random and on trained
    /// weights.
    #[test]
    fn the_engine_agrees_with_burn() {
        let board = Board::new(3, 4).unwrap();
        let architecture = Architecture { channels: 16, blocks: 2, value_hidden: 12 };
        let tensors = random_tensors(board, architecture, 5);
        agree(&Weights { board, architecture, tensors, canaries: Vec::new() });
        for checkpoint in ["3x3", "5x5"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("checkpoints").join(checkpoint);
            agree(&load_weights(&path).unwrap());
        }
    }

    fn agree(weights: &Weights) {
        let Weights { board, architecture, tensors, .. } = weights;
        let model = Model::new(*board, *architecture, tensors, &Device::flex().autodiff());
        assert_eq!(&model.tensors(), tensors);
        let network = Arc::new(Network::new(weights, Isa::Portable));
        let mut engines: Vec<_> =
            Isa::available().into_iter().map(|isa| Engine::with_isa(network.clone(), isa)).collect();
        let mut rng = stream(6, 0, 0, Purpose::Weights);
        let state = |_| {
            let mut state = State::new(*board);
            for _ in 0..rng.random_range(0..board.edges()) {
                let edge = board.all().iter().nth(rng.random_range(0..board.edges())).unwrap();
                if state.after(edge).is_capture_free() {
                    state = state.after(edge);
                }
            }
            state
        };
        let states: Vec<State> = (0..100).map(state).collect();
        for Canary { state, policy, margins } in canaries(&model, &states) {
            let largest = policy.iter().chain(&margins).fold(0f32, |a, b| a.max(b.abs()));
            for (engine, isa) in engines.iter_mut().zip(Isa::available()) {
                let output = engine.forward(state);
                for (found, expected) in [(output.policy, &policy), (output.margins, &margins)] {
                    let off = deviation(found, expected);
                    assert!(off <= isa.tolerance(), "{isa:?} {board}: {off}");
                    let most = found.iter().zip(expected).fold(0f32, |most, (a, b)| most.max((a - b).abs()));
                    assert!(!isa.is_float() || most <= 1e-4 * largest, "{isa:?} {board}: {most}");
                }
            }
        }
    }

    /// Values and gradients with our own convolutions are those with burn's.
    #[test]
    fn our_convolutions_agree_with_burns() {
        let board = Board::new(3, 4).unwrap();
        let architecture = Architecture { channels: 32, blocks: 2, value_hidden: 12 };
        let mut tensors = random_tensors(board, architecture, 7);
        tensors.extend(edge_head(architecture).map(|spec| (0..spec.len()).map(|i| 0.2 * (i as f32).cos()).collect()));
        let device = Device::flex().autodiff();
        let mut rng = stream(8, 0, 0, Purpose::Weights);
        let planes: Vec<f32> = (0..3 * 4 * 5 * PLANES).map(|_| rng.random_range(0.0..1.0)).collect();
        let precisions = [Isa::fastest_float(), Isa::fastest()].map(Precision::of);
        let [burns, floats, fastest] =
            [Convolutions::Burn, Convolutions::Own(precisions[0]), Convolutions::Own(precisions[1])].map(
                |convolutions| {
                    let model = Model::new(board, architecture, &tensors, &device);
                    let planes = Tensor::from_data(TensorData::new(planes.clone(), [3, 4, 5, PLANES]), &device);
                    let logits = model.forward(planes, convolutions);
                    // Every logit weighs differently, so that no mistaken order of them goes unseen.
                    let weigh = |logits: Tensor<2>| {
                        let weights: Vec<f32> = (0..logits.dims()[1]).map(|i| (i as f32).sin()).collect();
                        let size = [1, weights.len()];
                        (logits.square() * Tensor::from_data(TensorData::new(weights, size), &device)).sum()
                    };
                    let loss = weigh(logits.policy) + weigh(logits.margins) + weigh(logits.edge_margins.unwrap());
                    let mut numbers = vec![to_vec(&loss.clone().inner().reshape([1]))];
                    numbers.extend(model.gradients(&loss).iter().map(|gradient| to_vec(gradient.as_ref().unwrap())));
                    numbers
                },
            );
        for (ours, isa) in [floats, fastest].iter().zip(precisions.map(Precision::isa)) {
            // Rounded to halves, some units fall on the other side of their ReLU's kink.
            let most = if isa.is_float() { 1e-4 } else { 0.2 };
            for (index, (ours, burns)) in ours.iter().zip(&burns).enumerate() {
                let largest = burns.iter().fold(0f32, |most, x| most.max(x.abs()));
                assert!(largest > 0.0 && ours.len() == burns.len());
                let off = deviation(ours, burns);
                assert!(off <= most, "{isa:?}, tensor {index}: {off}");
                for (a, b) in ours.iter().zip(burns).filter(|_| isa.is_float()) {
                    assert!((a - b).abs() <= 1e-4 * largest, "{isa:?}, tensor {index}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn first_weights_depend_on_the_seed_alone() {
        let board = Board::new(2, 2).unwrap();
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        assert_eq!(initial_tensors(board, architecture, 3), initial_tensors(board, architecture, 3));
        assert_ne!(initial_tensors(board, architecture, 3), initial_tensors(board, architecture, 4));
    }
}
