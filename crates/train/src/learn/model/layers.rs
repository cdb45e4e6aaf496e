//! The layers of the forward pass, with burn's convolutions or those of this crate.

use burn::tensor::Tensor;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

use crate::kernels::convolution::{Precision, convolve};
use crate::kernels::pooling::pool;

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
pub(super) struct Layers<I: Iterator> {
    parameters: std::iter::Peekable<I>,
    convolutions: Convolutions,
}

impl<I: Iterator<Item = Tensor<1>>> Layers<I> {
    /// Creates layers that take these parameters.
    pub fn new(parameters: I, convolutions: Convolutions) -> Layers<I> {
        Layers { parameters: parameters.peekable(), convolutions }
    }

    /// Takes the next parameter.
    fn next(&mut self) -> Tensor<1> {
        self.parameters.next().expect("as many parameters as the architecture has tensors")
    }

    /// Returns `true` if there are parameters left.
    pub fn has_more(&mut self) -> bool {
        self.parameters.peek().is_some()
    }

    /// Applies a 1x1 convolution of `c` channels to a number for each edge, `[batch, 2 * cells]`.
    pub fn edges(&mut self, x: Tensor<4>, c: usize) -> Tensor<2> {
        let y = self.convolution(x, [2, c, 1, 1]);
        let y = match self.convolutions {
            Convolutions::Burn => y,
            Convolutions::Own(_) => y.permute([0, 3, 1, 2]),
        };
        let [batch, two, height, width] = y.dims();
        y.reshape([batch, two * height * width])
    }

    /// Applies a convolution with weights `[outputs, inputs, height, width]` and a bias.
    pub fn convolution(&mut self, x: Tensor<4>, shape: [usize; 4]) -> Tensor<4> {
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

    /// Applies a linear layer with weights `[inputs, outputs]` and a bias.
    pub fn linear(&mut self, x: Tensor<2>, shape: [usize; 2]) -> Tensor<2> {
        let (weight, bias) = (self.next().reshape(shape), self.next());
        x.matmul(weight) + bias.reshape([1, shape[1]])
    }

    /// Applies a linear layer without bias, `[batch, 2 * channels]` to `[batch, channels]`, shaped
    /// to be added to every cell.
    pub fn spread(&mut self, pooled: Tensor<2>, channels: usize) -> Tensor<4> {
        let batch = pooled.dims()[0];
        let y = pooled.matmul(self.next().reshape([2 * channels, channels]));
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
