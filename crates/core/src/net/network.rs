//! A network's weights, laid out for inference.

use crate::board::Board;

use super::kernel::Layer;
use super::layout::{FloatLayer, Grid, LANES, lanes, lanes_mut};
use super::{Isa, PLANES, Weights};

/// Weights laid out for inference, shared by all engines that use them.
///
/// [`Network::checked`] also compares the network's output with the one stored in training.
pub struct Network {
    isa: Isa,
    board: Board,
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

/// A residual block: two convolutions, and the layer of the global pooling between them.
pub(super) struct Block {
    pub first: Layer,
    pub pool: Linear,
    pub second: Layer,
}

/// A linear layer, packed like a convolution with one tap.
pub(super) struct Linear(FloatLayer);

impl Linear {
    /// Packs weights `[input][output]`.
    fn new(weights: &[f32], bias: &[f32]) -> Linear {
        let (inputs, outputs) = (weights.len() / bias.len(), bias.len());
        let by_output = |output: usize| (0..inputs).map(move |input| weights[input * outputs + output]);
        let weights: Vec<f32> = (0..outputs).flat_map(by_output).collect();
        Linear(FloatLayer::new(&weights, bias, inputs, 1))
    }

    fn without_bias(weights: &[f32], outputs: usize) -> Linear {
        Linear::new(weights, &vec![0.0; outputs])
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
        let c = weights.architecture.channels;
        let mut tensors = weights.tensors.iter().map(Vec::as_slice);
        let mut next = || tensors.next().expect("all tensors of the architecture");
        let stem = Layer::new(next(), next(), PLANES, 9);
        let blocks = (0..weights.architecture.blocks)
            .map(|_| Block {
                first: Layer::new(next(), next(), c, 9),
                pool: Linear::without_bias(next(), c),
                second: Layer::new(next(), next(), c, 9),
            })
            .collect();
        Network {
            isa: isa.or_portable(),
            board: weights.board,
            channels: c,
            grid: Grid::new(weights.board.rows() + 1, weights.board.cols() + 1),
            stem,
            blocks,
            // The last layers are small, and no later layer makes up for their rounding errors:
            // they stay in f32 on every instruction set.
            policy: FloatLayer::new(next(), next(), c, 1),
            policy_pool: Linear::without_bias(next(), c),
            policy_out: FloatLayer::new(next(), next(), c, 1),
            value_hidden: Linear::new(next(), next()),
            value_out: Linear::new(next(), next()),
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
