//! The layers of the forward pass, with burn's convolutions or those of this crate.

use std::slice;

use burn::tensor::Tensor;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

use crate::kernels::convolution::{Precision, convolve};
use crate::kernels::pooling::pool;
use doublecross_core::net::{Parameters, TensorSpec};

/// The implementation of convolutions that a model evaluates with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convolutions {
    /// Those of burn, on any device. Channels come before height and width.
    Burn,
    /// Those of this crate, with its pooling, on `flex` alone. They are several times as fast.
    /// Channels come last.
    Own(Precision),
}

/// The layers of a forward pass, which take their parameters one after the other.
pub(super) struct Layers<'a> {
    parameters: Parameters<'a, slice::Iter<'a, Tensor<1>>>,
    convolutions: Convolutions,
}

impl<'a> Layers<'a> {
    /// Creates layers that take these parameters, which are in the order of `specs`.
    pub fn new(specs: &'a [TensorSpec], parameters: &'a [Tensor<1>], convolutions: Convolutions) -> Layers<'a> {
        Layers { parameters: Parameters::new(specs, parameters.iter()), convolutions }
    }

    /// Returns `true` if there are parameters left.
    pub fn has_more(&mut self) -> bool {
        !self.parameters.is_empty()
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

    /// Applies the next layer, a convolution.
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
            Convolutions::Own(precision) if side > 1 => convolve(precision, x, weight.reshape(shape), bias),
            Convolutions::Own(_) => {
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
