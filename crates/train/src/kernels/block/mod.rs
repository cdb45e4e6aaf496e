//! A residual block as one operation of burn on its `flex` backend.
//!
//! Operation by operation, a block writes each of its intermediate tensors to memory and reads it back, and that takes
//! longer than its convolutions. Here a few positions pass through the whole block while they are in the cache.

mod backward;
mod cells;
mod forward;

use std::sync::{Arc, OnceLock};

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients as NodeGradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, ExtensionType, Flex, TensorMetadata, backend_extension};
use burn::tensor::Tensor;

use super::convolution::{PackedConvolution, numbers, tensor};
use backward::Gradients;
use forward::Kept;

/// The tensors that a block depends on, or the gradients by them.
#[derive(ExtensionType)]
pub(crate) struct BlockTensors<B: Backend> {
    /// The input, `[batch, height, width, channels]`.
    pub x: FloatTensor<B>,
    /// `[outputs, inputs, 3, 3]`, flat; a gradient is in its [`GradientOrder`](super::convolution::GradientOrder).
    pub weight1: FloatTensor<B>,
    pub bias1: FloatTensor<B>,
    /// From means and maxima to channels, `[2 * channels, channels]`, flat.
    pub pool: FloatTensor<B>,
    pub weight2: FloatTensor<B>,
    pub bias2: FloatTensor<B>,
}

/// A residual block that is ready to be computed, with the numbers of its parameters.
#[derive(Debug)]
pub(crate) struct PackedBlock {
    pub conv1: PackedConvolution,
    /// From means and maxima to channels, `[2 * channels][channels]`.
    pub pool: Vec<f32>,
    /// From channels to means and maxima, `[channels][2 * channels]`.
    pub pool_back: Vec<f32>,
    pub conv2: PackedConvolution,
}

impl PackedBlock {
    /// Packs a block with these weights for means and maxima, `[2 * channels][channels]`.
    pub fn new(conv1: PackedConvolution, pool: Vec<f32>, conv2: PackedConvolution) -> PackedBlock {
        let channels = conv1.bias.len();
        let mut pool_back = vec![0.0; pool.len()];
        for (index, weight) in pool.iter().enumerate() {
            pool_back[index % channels * 2 * channels + index / channels] = *weight;
        }
        PackedBlock { conv1, pool, pool_back, conv2 }
    }
}

/// A block on its way through the operation, and what the way back needs.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    block: Arc<PackedBlock>,
    kept: Arc<OnceLock<Kept>>,
}

/// Returns the block's output for `x`, both `[batch, height, width, channels]`.
///
/// The tensors of the parameters, which take the gradients, hold the numbers that were packed: the weights and the bias
/// of the first convolution, the weights of means and maxima, and those of the second convolution, all flat.
///
/// # Panics
/// Panics if the shapes do not match, and on devices other than the processor.
pub(crate) fn residual_block(block: &Arc<PackedBlock>, x: Tensor<4>, parameters: [Tensor<1>; 5]) -> Tensor<4> {
    let pass = Pass { block: block.clone(), kept: Arc::default() };
    let [weight1, bias1, pool, weight2, bias2] = parameters.map(Tensor::into_dispatch);
    let tensors = BlockTensors { x: x.into_dispatch(), weight1, bias1, pool, weight2, bias2 };
    Tensor::from_dispatch(Dispatch::residual_block(pass, tensors))
}

/// Backends that have the operation.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait ResidualBlock: Backend {
    /// Returns the block's output; see [`residual_block`].
    fn residual_block(pass: Pass, #[extension_type] tensors: BlockTensors<Self>) -> FloatTensor<Self>;

    /// Returns the gradients, where `y` is the output for `x`, and `gradient` that by the output.
    fn residual_block_gradients(
        pass: Pass,
        x: FloatTensor<Self>,
        y: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> BlockTensors<Self>;
}

impl ResidualBlock for Flex {
    fn residual_block(pass: Pass, tensors: BlockTensors<Self>) -> FlexTensor {
        let shape: [usize; 4] = tensors.x.shape().dims();
        let (y, kept) = pass.block.forward(numbers(&tensors.x.to_contiguous()));
        pass.kept.set(kept).expect("a pass should be used once");
        tensor(y, shape)
    }

    fn residual_block_gradients(pass: Pass, x: FlexTensor, y: FlexTensor, gradient: FlexTensor) -> BlockTensors<Self> {
        let shape: [usize; 4] = x.shape().dims();
        let [x, y, gradient] = [x, y, gradient].map(|tensor| tensor.to_contiguous());
        let kept = pass.kept.get().expect("the way back should come after the way there");
        let Gradients { x, parameters } = pass.block.backward(numbers(&x), numbers(&y), kept, numbers(&gradient));
        let [weight1, bias1, pool, weight2, bias2] = parameters.map(|numbers| {
            let count = numbers.len();
            tensor(numbers, [count])
        });
        BlockTensors { x: tensor(x, shape), weight1, bias1, pool, weight2, bias2 }
    }
}

impl<B: ResidualBlock, C: CheckpointStrategy> ResidualBlock for Autodiff<B, C> {
    fn residual_block(pass: Pass, tensors: BlockTensors<Self>) -> FloatTensor<Self> {
        let BlockTensors { x, weight1, bias1, pool, weight2, bias2 } = tensors;
        let nodes = [&x, &weight1, &bias1, &pool, &weight2, &bias2].map(|tensor| tensor.node());
        let [x, weight1, bias1, pool, weight2, bias2] =
            [x, weight1, bias1, pool, weight2, bias2].map(|tensor| tensor.into_primitive());
        let tensors = BlockTensors { x: x.clone(), weight1, bias1, pool, weight2, bias2 };
        let y = B::residual_block(pass.clone(), tensors);
        match Block.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((pass, x, y.clone()), y),
            OpsKind::UnTracked(prep) => prep.finish(y),
        }
    }

    fn residual_block_gradients(
        _: Pass,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
    ) -> BlockTensors<Self> {
        unreachable!("gradients are not differentiated")
    }
}

/// The block as an operation that is differentiated.
#[derive(Debug)]
struct Block;

impl<B: ResidualBlock> Backward<B, 6> for Block {
    /// The pass, its input and its output.
    type State = (Pass, FloatTensor<B>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, 6>, gradients: &mut NodeGradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (pass, x, y) = ops.state;
        let BlockTensors { x, weight1, bias1, pool, weight2, bias2 } =
            B::residual_block_gradients(pass, x, y, gradient);
        for (node, gradient) in ops.parents.into_iter().zip([x, weight1, bias1, pool, weight2, bias2]) {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}
