//! The 3x3 convolution as an operation of burn on its `flex` backend.
//!
//! With `flex`'s own convolutions, which are far slower than a processor allows, they would take
//! most of a learning step (docs/experiments/learning.md#n18).

mod loops;
#[cfg(target_arch = "x86_64")]
mod tiles;
mod winograd;

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Tensor, TensorData};

use doublecross_core::net::Isa;

/// The number of taps of a 3x3 kernel.
const TAPS: usize = 9;

/// A 3x3 convolution that keeps the grid's size, the channels last.
///
/// `x` is `[batch, height, width, inputs]`, `weight` is `[outputs, inputs, 3, 3]`, `bias` is
/// `[outputs]`, and the result is `[batch, height, width, outputs]`. The outputs are a multiple of
/// 16.
///
/// # Panics
/// Panics if the shapes do not match, and on devices other than the processor.
pub fn convolve(precision: Precision, x: Tensor<4>, weight: Tensor<4>, bias: Tensor<1>) -> Tensor<4> {
    // The loops take inputs by fours.
    let missing = x.dims()[3].next_multiple_of(4) - x.dims()[3];
    let [x, weight] = [(x, 3), (weight, 1)].map(|(tensor, inputs)| {
        let padded = if missing == 0 { tensor } else { with_zeros(tensor, inputs, missing) };
        padded.into_dispatch()
    });
    Tensor::from_dispatch(Dispatch::convolve(precision, x, weight, bias.into_dispatch()))
}

/// Appends zeros along a dimension.
fn with_zeros(tensor: Tensor<4>, dimension: usize, count: usize) -> Tensor<4> {
    let mut shape = tensor.dims();
    shape[dimension] = count;
    let zeros = Tensor::zeros(shape, &tensor.device());
    Tensor::cat(vec![tensor, zeros], dimension)
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

    /// Returns the instruction set that computes with this precision.
    pub(crate) fn isa(self) -> Isa {
        self.0.or_portable()
    }
}

/// Backends that have the convolution.
#[backend_extension(Flex, Autodiff)]
pub trait Convolution: Backend {
    /// Returns the convolution; see [`convolve`].
    fn convolve(
        precision: Precision,
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// Returns the gradient by the input, where `gradient` is that by the convolution.
    fn input_gradient(
        precision: Precision,
        gradient: FloatTensor<Self>,
        weight: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// Returns the gradient by the weights, where `gradient` is that by the convolution of `x`.
    fn weight_gradient(precision: Precision, x: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl Convolution for Flex {
    fn convolve(precision: Precision, x: FlexTensor, weight: FlexTensor, bias: FlexTensor) -> FlexTensor {
        let ([batch, height, width, inputs], [outputs]) = (x.shape().dims(), bias.shape().dims());
        let [x, weight, bias] = [x, weight, bias].map(|tensor| tensor.to_contiguous());
        let y =
            loops::convolve(precision.isa(), [height, width], inputs, numbers(&x), numbers(&weight), numbers(&bias));
        FlexTensor::from_data(TensorData::new(y, [batch, height, width, outputs]))
    }

    fn input_gradient(precision: Precision, gradient: FlexTensor, weight: FlexTensor) -> FlexTensor {
        let ([batch, height, width, outputs], [_, inputs, ..]) = (gradient.shape().dims(), weight.shape().dims::<4>());
        let [gradient, weight] = [gradient, weight].map(|tensor| tensor.to_contiguous());
        // The gradient by the input is a convolution with rotated kernels.
        let (rotated, bias) = (loops::rotated(inputs, outputs, numbers(&weight)), vec![0.0; inputs]);
        let x = loops::convolve(precision.isa(), [height, width], outputs, numbers(&gradient), &rotated, &bias);
        FlexTensor::from_data(TensorData::new(x, [batch, height, width, inputs]))
    }

    fn weight_gradient(precision: Precision, x: FlexTensor, gradient: FlexTensor) -> FlexTensor {
        let ([_, height, width, inputs], [.., outputs]) = (x.shape().dims::<4>(), gradient.shape().dims::<4>());
        let [x, gradient] = [x, gradient].map(|tensor| tensor.to_contiguous());
        let size = [height, width];
        let sums = loops::weight_gradient(precision.isa(), size, [inputs, outputs], numbers(&x), numbers(&gradient));
        FlexTensor::from_data(TensorData::new(sums, [outputs, inputs, 3, 3]))
    }
}

/// Returns the numbers of a contiguous tensor.
pub(crate) fn numbers(tensor: &FlexTensor) -> &[f32] {
    let start = tensor.layout().start_offset();
    &tensor.storage::<f32>()[start..start + tensor.layout().num_elements()]
}

impl<B: Convolution, C: CheckpointStrategy> Convolution for Autodiff<B, C> {
    fn convolve(
        precision: Precision,
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        match Convolve(precision).prepare::<C>([x.node(), weight.node(), bias.node()]).compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let state = (prep.checkpoint(&x), prep.checkpoint(&weight));
                prep.finish(
                    state,
                    B::convolve(precision, x.into_primitive(), weight.into_primitive(), bias.into_primitive()),
                )
            }
            OpsKind::UnTracked(prep) => {
                prep.finish(B::convolve(precision, x.into_primitive(), weight.into_primitive(), bias.into_primitive()))
            }
        }
    }

    fn input_gradient(_: Precision, _: FloatTensor<Self>, _: FloatTensor<Self>) -> FloatTensor<Self> {
        unreachable!("gradients are not differentiated")
    }

    fn weight_gradient(_: Precision, _: FloatTensor<Self>, _: FloatTensor<Self>) -> FloatTensor<Self> {
        unreachable!("gradients are not differentiated")
    }
}

/// The convolution as an operation that is differentiated.
#[derive(Debug)]
struct Convolve(Precision);

impl<B: Convolution> Backward<B, 3> for Convolve {
    /// The input and the weights.
    type State = (NodeId, NodeId);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, checkpointer: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, weight) = ops.state;
        let x = checkpointer.retrieve_node_output::<FloatTensor<B>>(x);
        let weight = checkpointer.retrieve_node_output::<FloatTensor<B>>(weight);
        let [of_x, of_weight, of_bias] = ops.parents;
        if let Some(node) = of_bias {
            let [batch, height, width, outputs] = gradient.shape().dims();
            let rows = B::float_reshape(gradient.clone(), [batch * height * width, outputs].into());
            gradients.register::<B>(node.id, B::float_reshape(B::float_sum_dim(rows, 0), [outputs].into()));
        }
        if let Some(node) = of_weight {
            gradients.register::<B>(node.id, B::weight_gradient(self.0, x, gradient.clone()));
        }
        if let Some(node) = of_x {
            gradients.register::<B>(node.id, B::input_gradient(self.0, gradient, weight));
        }
    }
}
