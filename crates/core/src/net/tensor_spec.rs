//! The description of one tensor, and a cursor over the parameters of a network.

use std::iter::{Peekable, Zip};
use std::ops::Range;
use std::slice;

/// A tensor of a network: its name, its place in the network, its shape and its initial values.
///
/// The engine, learning, growth and exports read names, shapes and roles from this list alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// The tensor's name, as in `block0.conv1.weight`.
    pub name: String,
    /// The part that the tensor plays in its layer.
    pub role: Role,
    /// `[out, in, height, width]` of a convolution, `[in, out]` of a linear layer, `[out]` of a
    /// bias.
    pub shape: Vec<usize>,
    /// The initial values.
    pub init: Init,
}

/// The part that a tensor plays in its layer, with what its inputs and outputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The weights of a convolution, `[out, in, side, side]`.
    Convolution {
        /// The side of the kernel: 3, or 1 for a layer that works on each cell separately.
        side: usize,
        /// The inputs.
        input: Axis,
        /// The outputs.
        output: Axis,
    },
    /// The weights of a linear layer, `[in, out]`.
    Linear {
        /// The inputs.
        input: Axis,
        /// The outputs.
        output: Axis,
    },
    /// A bias, `[out]`, which follows the weights of its layer.
    Bias {
        /// The outputs.
        output: Axis,
    },
}

/// The inputs or the outputs of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The input planes.
    Planes,
    /// The channels of the tower.
    Channels,
    /// The mean of each channel over the cells, then the maximum of each.
    Pooled,
    /// The hidden units of the margin head.
    Hidden,
    /// The horizontal and the vertical edge of a cell.
    Edges,
    /// The margins of the board.
    Margins,
}

/// The initial values of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// Normal with mean 0 and variance 2 / [`TensorSpec::fan_in`].
    ///
    /// He, Zhang, Ren and Sun, *Delving Deep into Rectifiers*, 2015.
    He,
    /// Zeros.
    Zeros,
}

impl Axis {
    /// Returns the place that an index of this axis had when the axis was smaller, or `None` if it
    /// is new.
    ///
    /// An axis grows at its end; [`Axis::Pooled`] at the end of either half.
    pub fn earlier(self, index: usize, size: usize, smaller: usize) -> Option<usize> {
        let halves = if self == Axis::Pooled { 2 } else { 1 };
        let (size, smaller) = (size / halves, smaller / halves);
        (index % size < smaller).then(|| index / size * smaller + index % size)
    }
}

impl Role {
    /// The inputs of the tensor's weights, or `None` for a bias.
    pub fn input(self) -> Option<Axis> {
        match self {
            Role::Convolution { input, .. } | Role::Linear { input, .. } => Some(input),
            Role::Bias { .. } => None,
        }
    }

    /// The outputs of the tensor's layer.
    pub fn output(self) -> Axis {
        match self {
            Role::Convolution { output, .. } | Role::Linear { output, .. } | Role::Bias { output } => output,
        }
    }

    /// Returns `true` for weights between the first layer and the last ones, which Muon may update.
    pub fn is_hidden_weight(self) -> bool {
        let is_last = matches!(self.output(), Axis::Edges | Axis::Margins);
        self.input().is_some_and(|input| input != Axis::Planes) && !is_last
    }
}

impl TensorSpec {
    /// The number of elements of the tensor.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns `true` if the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` for a bias.
    pub fn is_bias(&self) -> bool {
        matches!(self.role, Role::Bias { .. })
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        match self.role {
            Role::Convolution { .. } | Role::Bias { .. } => self.shape[0],
            Role::Linear { .. } => self.shape[1],
        }
    }

    /// The number of inputs. A bias has one, which is always 1.
    pub fn inputs(&self) -> usize {
        match self.role {
            Role::Convolution { .. } => self.shape[1],
            Role::Linear { .. } => self.shape[0],
            Role::Bias { .. } => 1,
        }
    }

    /// The number of weights of one input and output: 9 for a 3x3 convolution.
    pub fn taps(&self) -> usize {
        match self.role {
            Role::Convolution { side, .. } => side * side,
            Role::Linear { .. } | Role::Bias { .. } => 1,
        }
    }

    /// The number of weights that each output sums over.
    pub fn fan_in(&self) -> usize {
        self.inputs() * self.taps()
    }

    /// The places of the weights of an input and an output.
    pub fn at(&self, input: usize, output: usize) -> Range<usize> {
        let index = match self.role {
            Role::Linear { .. } => input * self.outputs() + output,
            Role::Convolution { .. } | Role::Bias { .. } => output * self.inputs() + input,
        };
        index * self.taps()..(index + 1) * self.taps()
    }
}

/// The parameters of a network, taken layer by layer in the order of their list.
pub struct Parameters<'a, I: Iterator> {
    rest: Peekable<Zip<slice::Iter<'a, TensorSpec>, I>>,
}

/// The parameters of one layer.
pub struct LayerParameters<'a, T> {
    /// The description of the weights.
    pub spec: &'a TensorSpec,
    /// The weights.
    pub weights: T,
    /// The bias, if the layer has one.
    pub bias: Option<T>,
}

impl<'a, I: Iterator> Parameters<'a, I> {
    /// Returns a cursor over parameters in the order of `specs`.
    pub fn new(specs: &'a [TensorSpec], values: I) -> Parameters<'a, I> {
        Parameters { rest: specs.iter().zip(values).peekable() }
    }

    /// Takes the parameters of the next layer.
    ///
    /// # Panics
    /// Panics if none are left.
    pub fn next_layer(&mut self) -> LayerParameters<'a, I::Item> {
        let (spec, weights) = self.rest.next().expect("as many layers as the architecture has");
        let bias = self.rest.next_if(|(next, _)| next.is_bias()).map(|(_, bias)| bias);
        LayerParameters { spec, weights, bias }
    }

    /// Returns `true` if all parameters were taken.
    pub fn is_empty(&mut self) -> bool {
        self.rest.peek().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(role: Role, shape: &[usize]) -> TensorSpec {
        TensorSpec { name: "some".into(), role, shape: shape.into(), init: Init::He }
    }

    #[test]
    fn roles_say_what_a_shape_means() {
        let convolution = Role::Convolution { side: 3, input: Axis::Planes, output: Axis::Channels };
        let convolution = spec(convolution, &[32, 20, 3, 3]);
        assert_eq!((convolution.inputs(), convolution.outputs(), convolution.taps()), (20, 32, 9));
        assert_eq!((convolution.fan_in(), convolution.len()), (180, 5760));
        assert_eq!(convolution.at(2, 1), (20 + 2) * 9..(20 + 2) * 9 + 9);
        let linear = spec(Role::Linear { input: Axis::Pooled, output: Axis::Channels }, &[64, 32]);
        assert_eq!((linear.inputs(), linear.outputs(), linear.fan_in()), (64, 32, 64));
        assert_eq!(linear.at(2, 1), 65..66);
        let bias = spec(Role::Bias { output: Axis::Hidden }, &[7]);
        assert_eq!((bias.inputs(), bias.outputs(), bias.at(0, 3)), (1, 7, 3..4));
        assert!(bias.is_bias() && !linear.is_bias() && !bias.is_empty());
    }

    #[test]
    fn hidden_weights_lie_between_planes_and_logits() {
        let linear = |input, output| Role::Linear { input, output };
        assert!(linear(Axis::Pooled, Axis::Hidden).is_hidden_weight());
        assert!(!linear(Axis::Planes, Axis::Channels).is_hidden_weight());
        assert!(!linear(Axis::Channels, Axis::Edges).is_hidden_weight());
        assert!(!linear(Axis::Hidden, Axis::Margins).is_hidden_weight());
        assert!(!Role::Bias { output: Axis::Channels }.is_hidden_weight());
    }

    #[test]
    fn pooled_channels_grow_in_both_halves() {
        let earlier = |axis: Axis| (0..6).map(|index| axis.earlier(index, 6, 4)).collect::<Vec<_>>();
        assert_eq!(earlier(Axis::Channels), [Some(0), Some(1), Some(2), Some(3), None, None]);
        assert_eq!(earlier(Axis::Pooled), [Some(0), Some(1), None, Some(2), Some(3), None]);
    }

    #[test]
    fn a_bias_is_taken_with_its_weights() {
        let linear = spec(Role::Linear { input: Axis::Channels, output: Axis::Hidden }, &[2, 3]);
        let bias = spec(Role::Bias { output: Axis::Hidden }, &[3]);
        let specs = [linear.clone(), linear.clone(), bias];
        let mut parameters = Parameters::new(&specs, 0..3);
        let layer = parameters.next_layer();
        assert_eq!((layer.spec, layer.weights, layer.bias), (&linear, 0, None));
        let layer = parameters.next_layer();
        assert_eq!((layer.weights, layer.bias), (1, Some(2)));
        assert!(parameters.is_empty());
    }
}
