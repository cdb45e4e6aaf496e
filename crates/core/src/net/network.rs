//! A network's weights, laid out for inference.

use crate::board::Board;

use super::block::Block;
use super::kernel::Layer;
use super::layout::{FloatLayer, Grid, LANES, lanes, lanes_mut};
use super::{Isa, Parameters, Weights};

/// The tensors of weights, taken layer by layer.
pub(super) type Tensors<'a> = Parameters<'a, std::slice::Iter<'a, Vec<f32>>>;

/// Weights laid out for inference, shared by all engines that use them.
///
/// [`Network::checked`] also compares the network's output with the one stored in training.
pub struct Network {
    isa: Isa,
    board: Board,
    pub(super) planes: usize,
    pub(super) channels: usize,
    pub(super) grid: Grid,
    pub(super) stem: Layer,
    pub(super) blocks: Vec<Block>,
    pub(super) policy: FloatLayer,
    pub(super) policy_pool: Linear,
    pub(super) policy_out: FloatLayer,
    pub(super) value_hidden: Linear,
    pub(super) value_out: Linear,
}

/// A linear layer, packed like a convolution with one tap.
pub(super) struct Linear(FloatLayer);

impl Linear {
    /// Packs the next layer.
    pub fn take(tensors: &mut Tensors) -> Linear {
        let layer = tensors.next_layer();
        let (inputs, outputs) = (layer.spec.inputs(), layer.spec.outputs());
        let number = |output: usize, input: usize| layer.weights[layer.spec.at(input, output)][0];
        let by_output = |output: usize| (0..inputs).map(move |input| number(output, input));
        let weights: Vec<f32> = (0..outputs).flat_map(by_output).collect();
        let bias = layer.bias.map_or_else(|| vec![0.0; outputs], Vec::clone);
        Linear(FloatLayer::new(&weights, &bias, inputs, 1))
    }

    /// The number of outputs, padding included.
    pub fn outputs(&self) -> usize {
        self.0.bias.len()
    }

    /// Writes `bias + sum over inputs` of each output.
    #[inline(always)]
    pub fn apply(&self, input: &[f32], output: &mut [f32]) {
        let FloatLayer { packed, bias, inputs, .. } = &self.0;
        let blocks = packed.chunks_exact(inputs * LANES);
        for ((output, bias), weights) in lanes_mut(output).zip(lanes(bias)).zip(blocks) {
            let mut sums = *bias;
            for (x, weights) in input[..*inputs].iter().zip(lanes(weights)) {
                sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum += x * w);
            }
            *output = sums;
        }
    }
}

impl Network {
    /// Lays out weights for inference on an instruction set, or on the portable one if the
    /// processor lacks it.
    ///
    /// # Panics
    /// Panics if the tensors are not those of the architecture. [`Weights::from_bytes`] never
    /// returns such weights.
    pub fn new(weights: &Weights, isa: Isa) -> Network {
        let architecture = weights.architecture;
        let specs = architecture.tensors(weights.board);
        let mut tensors = Tensors::new(&specs, weights.tensors.iter());
        Network {
            isa: isa.or_portable(),
            board: weights.board,
            planes: architecture.planes,
            channels: architecture.channels,
            grid: Grid::new(weights.board.rows() + 1, weights.board.cols() + 1),
            // In the order of the list of tensors.
            stem: Layer::take(&mut tensors),
            blocks: (0..architecture.blocks).map(|_| Block::take(architecture.block, &mut tensors)).collect(),
            // The last layers are small, and no later layer makes up for their rounding errors:
            // they stay in f32 on every instruction set.
            policy: FloatLayer::take(&mut tensors),
            policy_pool: Linear::take(&mut tensors),
            policy_out: FloatLayer::take(&mut tensors),
            value_hidden: Linear::take(&mut tensors),
            value_out: Linear::take(&mut tensors),
        }
    }

    /// The instruction set that the network runs on.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The board that the network was trained for.
    pub fn board(&self) -> Board {
        self.board
    }
}
