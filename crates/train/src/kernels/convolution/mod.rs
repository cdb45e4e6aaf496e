//! The 3x3 convolution, by itself and as an operation of burn on its `flex` backend: that of a network's input planes.
//!
//! With `flex`'s own convolutions, which are far slower than a processor allows, they would take
//! most of a learning step (docs/experiments/learning.md#n18).

pub(crate) mod loops;
#[cfg(target_arch = "x86_64")]
mod tiles;
mod winograd;

use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Tensor, TensorData};

use doublecross_core::net::{Axis, Isa, Role, TensorSpec, pad_inputs};
pub(crate) use loops::GradientOrder;
use loops::{Channels, Loops, PackedWeights, rotated};

/// The number of taps of a 3x3 kernel.
const TAPS: usize = 9;

/// A 3x3 convolution that keeps the grid's size, the channels last.
///
/// `x` is `[batch, height, width, inputs]`, and the result `[batch, height, width, outputs]`. The tensors of the
/// weights, `[outputs, inputs, 3, 3]`, and of the bias, `[outputs]`, hold the numbers that were packed, and take the
/// gradients.
///
/// # Panics
/// Panics if the shapes do not match, and on devices other than the processor.
pub(crate) fn convolve(packed: &Arc<PackedConvolution>, x: Tensor<4>, weight: Tensor<4>, bias: Tensor<1>) -> Tensor<4> {
    // The loops take inputs by fours.
    let [x, weight] = [(x, 3), (weight, 1)].map(|(tensor, dimension)| {
        let missing = packed.channels.inputs - tensor.dims()[dimension];
        let padded = if missing == 0 { tensor } else { with_zeros(tensor, dimension, missing) };
        padded.into_dispatch()
    });
    Tensor::from_dispatch(Dispatch::convolve(packed.clone(), x, weight, bias.into_dispatch()))
}

/// Appends zeros along a dimension.
fn with_zeros(tensor: Tensor<4>, dimension: usize, count: usize) -> Tensor<4> {
    let mut shape = tensor.dims();
    shape[dimension] = count;
    let zeros = Tensor::zeros(shape, &tensor.device());
    Tensor::cat(vec![tensor, zeros], dimension)
}

/// A convolution that is ready to be computed: its weights as the loops of an instruction set read them.
#[derive(Debug)]
pub(crate) struct PackedConvolution {
    isa: Isa,
    /// Height and width of the grid.
    size: [usize; 2],
    pub channels: Channels,
    pub weights: PackedWeights,
    /// Those that take gradients back to the input. A network's first convolution needs none.
    back: Option<PackedWeights>,
    pub bias: Vec<f32>,
}

impl PackedConvolution {
    /// Packs weights `[outputs][inputs][tap]` for grids of this height and width.
    pub fn new(
        precision: Precision,
        size: [usize; 2],
        weights: &[f32],
        bias: &[f32],
        is_first: bool,
    ) -> PackedConvolution {
        let isa = precision.isa();
        let loops = Loops::new(isa, size);
        let (weights, inputs) = pad_inputs(weights, weights.len() / bias.len() / TAPS, TAPS);
        let channels = Channels { inputs, outputs: bias.len() };
        PackedConvolution {
            isa,
            size,
            channels,
            weights: loops.pack(channels, &weights),
            back: (!is_first).then(|| loops.pack(channels.back(), &rotated(channels, &weights))),
            bias: bias.to_vec(),
        }
    }

    /// Returns the instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the height and the width of the grid.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the weights that take gradients back to the input.
    ///
    /// # Panics
    /// Panics for a network's first convolution.
    pub fn back(&self) -> &PackedWeights {
        self.back.as_ref().expect("the first convolution's input has no gradient")
    }

    /// Returns the loops that the weights are packed for.
    pub fn loops(&self) -> Loops {
        Loops::new(self.isa, self.size)
    }
}

/// The arithmetic of convolutions: bf16 with sums in f32 on AMX, and f32 alone on all other
/// instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision(Isa);

impl Precision {
    /// Returns the precision that learning uses if the engine plays on `isa`.
    pub fn of(isa: Isa) -> Precision {
        Precision(if isa == Isa::Amx { isa } else { isa.in_floats() })
    }

    /// Returns the order of the numbers of a parameter's gradient.
    pub(crate) fn gradient_order(self, spec: &TensorSpec) -> GradientOrder {
        match (spec.role, &spec.shape[..]) {
            (Role::Convolution { side: 3, input: Axis::Channels, .. }, &[outputs, inputs, ..]) => {
                GradientOrder::of(self.isa(), Channels { inputs, outputs })
            }
            _ => GradientOrder::Weights,
        }
    }

    /// Returns the name of the instruction set that computes with this precision.
    pub fn name(self) -> &'static str {
        self.isa().name()
    }

    /// Returns the instruction set that computes with this precision.
    pub(crate) fn isa(self) -> Isa {
        self.0.or_portable()
    }
}

/// Backends that have the convolution.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait Convolution: Backend {
    /// Returns the convolution; see [`convolve`].
    fn convolve(
        packed: Arc<PackedConvolution>,
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// Returns the gradient by the weights, where `gradient` is that by the convolution of `x`.
    fn weight_gradient(
        packed: Arc<PackedConvolution>,
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

impl Convolution for Flex {
    fn convolve(packed: Arc<PackedConvolution>, x: FlexTensor, _: FlexTensor, _: FlexTensor) -> FlexTensor {
        let ([batch, height, width, inputs], outputs) = (x.shape().dims(), packed.channels.outputs);
        assert_eq!(([height, width], inputs), (packed.size, packed.channels.inputs), "the shape of a convolution");
        let x = x.to_contiguous();
        let mut y = vec![0.0; batch * height * width * outputs];
        packed.loops().convolve(&packed.weights, &packed.bias, numbers(&x), &mut y);
        tensor(y, [batch, height, width, outputs])
    }

    fn weight_gradient(packed: Arc<PackedConvolution>, x: FlexTensor, gradient: FlexTensor) -> FlexTensor {
        let [x, gradient] = [x, gradient].map(|tensor| tensor.to_contiguous());
        let mut loops = packed.loops();
        let mut sum = loops.gradient(packed.channels);
        loops.add_gradient(&mut sum, numbers(&x), numbers(&gradient));
        tensor(loops.sum(sum), [packed.channels.outputs, packed.channels.inputs, 3, 3])
    }
}

/// Returns a tensor of numbers.
pub(crate) fn tensor<const D: usize>(numbers: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}

/// Returns the numbers of a contiguous tensor.
pub(crate) fn numbers(tensor: &FlexTensor) -> &[f32] {
    let start = tensor.layout().start_offset();
    &tensor.storage::<f32>()[start..start + tensor.layout().num_elements()]
}

impl<B: Convolution, C: CheckpointStrategy> Convolution for Autodiff<B, C> {
    fn convolve(
        packed: Arc<PackedConvolution>,
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [weight.node(), bias.node()];
        assert!(!x.is_tracked(), "the input of the first convolution has no gradient");
        let x = x.into_primitive();
        let y = B::convolve(packed.clone(), x.clone(), weight.into_primitive(), bias.into_primitive());
        match Convolve.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((packed, x), y),
            OpsKind::UnTracked(prep) => prep.finish(y),
        }
    }

    fn weight_gradient(_: Arc<PackedConvolution>, _: FloatTensor<Self>, _: FloatTensor<Self>) -> FloatTensor<Self> {
        unreachable!("gradients are not differentiated")
    }
}

/// The convolution as an operation that is differentiated by its weights and bias.
#[derive(Debug)]
struct Convolve;

impl<B: Convolution> Backward<B, 2> for Convolve {
    /// The convolution and its input.
    type State = (Arc<PackedConvolution>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (packed, x) = ops.state;
        let [of_weight, of_bias] = ops.parents;
        if let Some(node) = of_bias {
            let [batch, height, width, outputs] = gradient.shape().dims();
            let rows = B::float_reshape(gradient.clone(), [batch * height * width, outputs].into());
            gradients.register::<B>(node.id, B::float_reshape(B::float_sum_dim(rows, 0), [outputs].into()));
        }
        if let Some(node) = of_weight {
            gradients.register::<B>(node.id, B::weight_gradient(packed, x, gradient));
        }
    }
}
