//! The layers of the forward pass, with burn's convolutions or those of this crate.

use std::slice;
use std::sync::Arc;

use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use rayon::prelude::*;

use crate::kernels::block::{PackedBlock, residual_block};
use crate::kernels::convolution::{PackedConvolution, Precision, convolve};
use crate::kernels::pooling::pool;
use crate::learn::read::read;
use doublecross_core::net::{Architecture, BlockKind, Parameters, TensorSpec};

/// The implementation of convolutions and blocks that a model evaluates with.
#[derive(Clone, Debug)]
pub enum Convolutions {
    /// Those of burn, on any device. Channels come before height and width.
    Burn,
    /// Those of this crate, with its pooling, on `flex` alone. They are many times as fast.
    /// Channels come last.
    Own(Packed),
}

/// The layers that this crate computes itself, with the numbers that their parameters had when they were packed.
#[derive(Clone, Debug)]
pub struct Packed {
    stem: Arc<PackedConvolution>,
    blocks: Vec<Arc<PackedBlock>>,
}

impl Packed {
    /// Packs the layers of a network for grids of this height and width.
    pub fn new(
        precision: Precision,
        size: [usize; 2],
        architecture: Architecture,
        specs: &[TensorSpec],
        parameters: &[Tensor<1>],
    ) -> Packed {
        let mut layers = Parameters::new(specs, parameters.iter());
        let mut next = || {
            let layer = layers.next_layer();
            (read(layer.weights.clone()), layer.bias.cloned().map(read).unwrap_or_default())
        };
        let stem = next();
        let blocks: Vec<_> = (0..architecture.blocks).map(|_| [next(), next(), next()]).collect();
        let packed = |(weights, bias): &(Vec<f32>, Vec<f32>), is_first| {
            PackedConvolution::new(precision, size, weights, bias, is_first)
        };
        let block = |[conv1, (pool, _), conv2]: &[_; 3]| {
            let (conv1, conv2) = rayon::join(|| packed(conv1, false), || packed(conv2, false));
            Arc::new(PackedBlock::new(conv1, pool.clone(), conv2))
        };
        Packed { stem: Arc::new(packed(&stem, true)), blocks: blocks.par_iter().map(block).collect() }
    }
}

/// The layers of a forward pass, which take their parameters one after the other.
pub(super) struct Layers<'a> {
    parameters: Parameters<'a, slice::Iter<'a, Tensor<1>>>,
    convolutions: &'a Convolutions,
}

impl<'a> Layers<'a> {
    /// Creates layers that take these parameters, which are in the order of `specs`.
    pub fn new(specs: &'a [TensorSpec], parameters: &'a [Tensor<1>], convolutions: &'a Convolutions) -> Layers<'a> {
        Layers { parameters: Parameters::new(specs, parameters.iter()), convolutions }
    }

    /// Returns `true` if there are parameters left.
    pub fn has_more(&mut self) -> bool {
        !self.parameters.is_empty()
    }

    /// Applies the next layer, the convolution of the input planes, `[batch, rows + 1, cols + 1, PLANES]`.
    pub fn stem(&mut self, planes: Tensor<4>) -> Tensor<4> {
        match self.convolutions {
            Convolutions::Burn => self.convolution(planes.permute([0, 3, 1, 2])),
            Convolutions::Own(packed) => {
                let layer = self.parameters.next_layer();
                let shape: [usize; 4] = layer.spec.shape[..].try_into().expect("the shape of a convolution");
                let bias = layer.bias.expect("a convolution has a bias").clone();
                convolve(&packed.stem, planes, layer.weights.clone().reshape(shape), bias)
            }
        }
    }

    /// Applies the next three layers, those of a residual block: the first one if `index` is 0.
    pub fn block(&mut self, kind: BlockKind, index: usize, x: Tensor<4>) -> Tensor<4> {
        match (kind, self.convolutions) {
            (BlockKind::Pooled, Convolutions::Burn) => {
                let t = self.convolution(x.clone());
                let pooled = self.pool(relu(t.clone()));
                let t = relu(t + self.spread(pooled));
                relu(x + self.convolution(t))
            }
            (BlockKind::Pooled, Convolutions::Own(packed)) => {
                let [conv1, pool, conv2] = [(); 3].map(|()| self.parameters.next_layer());
                let [bias1, bias2] = [conv1.bias, conv2.bias].map(|bias| bias.expect("a convolution has a bias"));
                let parameters = [conv1.weights, bias1, pool.weights, conv2.weights, bias2].map(Tensor::clone);
                residual_block(&packed.blocks[index], x, parameters)
            }
        }
    }

    /// Applies the next layer, a convolution to a number for each edge, `[batch, 2 * cells]`.
    pub fn edges(&mut self, x: Tensor<4>) -> Tensor<2> {
        let y = self.convolution(x);
        let y = match self.convolutions {
            Convolutions::Burn => y,
            Convolutions::Own(_) => y.permute([0, 3, 1, 2]),
        };
        let [batch, two, height, width] = y.dims();
        y.reshape([batch, two * height * width])
    }

    /// Applies the next layer, a convolution; one of a cell alone where it is not burn's.
    pub fn convolution(&mut self, x: Tensor<4>) -> Tensor<4> {
        let layer = self.parameters.next_layer();
        let (weight, bias) = (layer.weights.clone(), layer.bias.expect("a convolution has a bias").clone());
        let shape: [usize; 4] = layer.spec.shape[..].try_into().expect("the shape of a convolution");
        let [outputs, inputs, side, _] = shape;
        match self.convolutions {
            Convolutions::Burn => {
                let options = ConvOptions::new([1, 1], [side / 2; 2], [1, 1], 1);
                conv2d(x, weight.reshape(shape), Some(bias), options)
            }
            Convolutions::Own(_) => {
                assert_eq!(side, 1, "a convolution of neighbors is part of the stem or of a block");
                let [batch, height, width, _] = x.dims();
                let y =
                    x.reshape([batch * height * width, inputs]).matmul(weight.reshape([outputs, inputs]).transpose());
                (y + bias.reshape([1, outputs])).reshape([batch, height, width, outputs])
            }
        }
    }

    /// Applies the next layer, a linear one.
    pub fn linear(&mut self, x: Tensor<2>) -> Tensor<2> {
        let layer = self.parameters.next_layer();
        let (inputs, outputs) = (layer.spec.inputs(), layer.spec.outputs());
        let y = x.matmul(layer.weights.clone().reshape([inputs, outputs]));
        match layer.bias {
            Some(bias) => y + bias.clone().reshape([1, outputs]),
            None => y,
        }
    }

    /// Applies the next layer, a linear one, and shapes its result to be added to every cell.
    pub fn spread(&mut self, pooled: Tensor<2>) -> Tensor<4> {
        let y = self.linear(pooled);
        let [batch, channels] = y.dims();
        match self.convolutions {
            Convolutions::Burn => y.reshape([batch, channels, 1, 1]),
            Convolutions::Own(_) => y.reshape([batch, 1, 1, channels]),
        }
    }

    /// Returns the mean and the maximum over the cells, `[batch, 2 * channels]`.
    pub fn pool(&self, x: Tensor<4>) -> Tensor<2> {
        let [batch, a, b, c] = x.dims();
        match self.convolutions {
            Convolutions::Burn => {
                let cells = x.reshape([batch, a, b * c]);
                let [mean, largest] = [cells.clone().mean_dim(2), cells.max_dim(2)];
                Tensor::cat([mean, largest].map(|tensor| tensor.reshape([batch, a])).into(), 1)
            }
            Convolutions::Own(_) => pool(x.reshape([batch, a * b, c])),
        }
    }
}
