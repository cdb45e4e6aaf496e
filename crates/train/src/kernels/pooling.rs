//! Global pooling as an operation of burn on its `flex` backend.
//!
//! `flex` searches for maxima one number at a time, which takes a tenth of a learning step.

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Tensor, TensorData};

use crate::kernels::convolution::numbers;

/// Returns the mean of each channel over the cells and then the maximum, `[batch, 2 * channels]`.
///
/// `x` is `[batch, cells, channels]`.
///
/// # Panics
/// Panics on devices other than the processor.
pub(crate) fn pool(x: Tensor<3>) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::pool(x.into_dispatch()))
}

/// Backends that have the operation.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait Pooling: Backend {
    /// Returns the means and maxima; see [`pool`].
    fn pool(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Returns the gradient by `x`, where `gradient` is that by its means and maxima. That of a
    /// maximum goes to the first cell that has it.
    fn pool_gradient(x: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl Pooling for Flex {
    fn pool(x: FlexTensor) -> FlexTensor {
        let [batch, cells, channels] = x.shape().dims();
        let x = x.to_contiguous();
        let mut pooled = Vec::with_capacity(batch * 2 * channels);
        for x in numbers(&x).chunks_exact(cells * channels) {
            let mut sums = vec![0.0; channels];
            for x in x.chunks_exact(channels) {
                sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
            }
            pooled.extend(sums.into_iter().map(|sum: f32| sum / cells as f32));
            pooled.extend(maxima(x, channels));
        }
        FlexTensor::from_data(TensorData::new(pooled, [batch, 2 * channels]))
    }

    fn pool_gradient(x: FlexTensor, gradient: FlexTensor) -> FlexTensor {
        let [batch, cells, channels] = x.shape().dims();
        let [x, gradient] = [x, gradient].map(|tensor| tensor.to_contiguous());
        let mut by_x = vec![0.0; batch * cells * channels];
        let positions = numbers(&x).chunks_exact(cells * channels).zip(numbers(&gradient).chunks_exact(2 * channels));
        for ((x, gradient), by_x) in positions.zip(by_x.chunks_exact_mut(cells * channels)) {
            let maxima = maxima(x, channels);
            let (by_mean, by_maximum) = gradient.split_at(channels);
            // The gradient of each maximum, until a cell has taken it.
            let mut rest = by_maximum.to_vec();
            for (x, by_x) in x.chunks_exact(channels).zip(by_x.chunks_exact_mut(channels)) {
                for channel in 0..channels {
                    let is_maximum = x[channel] == maxima[channel];
                    by_x[channel] = by_mean[channel] / cells as f32 + if is_maximum { rest[channel] } else { 0.0 };
                    rest[channel] = if is_maximum { 0.0 } else { rest[channel] };
                }
            }
        }
        FlexTensor::from_data(TensorData::new(by_x, [batch, cells, channels]))
    }
}

/// Returns the maximum of each channel over the cells of a position, `[cell][channel]`.
fn maxima(x: &[f32], channels: usize) -> Vec<f32> {
    let mut maxima = vec![f32::NEG_INFINITY; channels];
    for x in x.chunks_exact(channels) {
        for (maximum, &x) in maxima.iter_mut().zip(x) {
            *maximum = if x > *maximum { x } else { *maximum };
        }
    }
    maxima
}

impl<B: Pooling, C: CheckpointStrategy> Pooling for Autodiff<B, C> {
    fn pool(x: FloatTensor<Self>) -> FloatTensor<Self> {
        match Pool.prepare::<C>([x.node()]).compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let state = prep.checkpoint(&x);
                prep.finish(state, B::pool(x.into_primitive()))
            }
            OpsKind::UnTracked(prep) => prep.finish(B::pool(x.into_primitive())),
        }
    }

    fn pool_gradient(_: FloatTensor<Self>, _: FloatTensor<Self>) -> FloatTensor<Self> {
        unreachable!("gradients are not differentiated")
    }
}

/// The pooling as an operation that is differentiated.
#[derive(Debug)]
struct Pool;

impl<B: Pooling> Backward<B, 1> for Pool {
    /// The input.
    type State = NodeId;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, checkpointer: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let x = checkpointer.retrieve_node_output::<FloatTensor<B>>(ops.state);
        let [of_x] = ops.parents;
        if let Some(node) = of_x {
            gradients.register::<B>(node.id, B::pool_gradient(x, gradient));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::read::read;
    use burn::tensor::Device;

    /// The means and maxima by burn's own operations.
    fn by_burn(x: Tensor<3>) -> Tensor<2> {
        let [batch, _, channels] = x.dims();
        let [mean, largest] = [x.clone().mean_dim(1), x.max_dim(1)].map(|tensor| tensor.reshape([batch, channels]));
        Tensor::cat(vec![mean, largest], 1)
    }

    #[test]
    fn means_maxima_and_gradients_are_those_of_burn() {
        let shape = [3, 5, 20];
        let numbers: Vec<f32> = (0..300).map(|i| (i as f32 * 1.7).sin()).collect();
        let weights: Vec<f32> = (0..120).map(|i| (i as f32 * 0.9).cos()).collect();
        let device = Device::flex().autodiff();
        let [own, burn] = [pool, by_burn].map(|pool| {
            let x = Tensor::<3>::from_data(TensorData::new(numbers.clone(), shape), &device).require_grad();
            let weights = Tensor::<2>::from_data(TensorData::new(weights.clone(), [3, 40]), &device);
            let pooled = pool(x.clone());
            let gradients = (pooled.clone() * weights).sum().backward();
            (read(pooled.inner()), read(x.grad(&gradients).unwrap()))
        });
        for (own, burn) in [(own.0, burn.0), (own.1, burn.1)] {
            assert!(own.iter().any(|number| number.abs() > 0.1));
            assert!(own.iter().zip(&burn).all(|(own, burn)| (own - burn).abs() < 1e-6), "{own:?} {burn:?}");
        }
    }

    #[test]
    fn the_first_of_equal_cells_gets_the_gradient_of_the_maximum() {
        let device = Device::flex().autodiff();
        let numbers = vec![1.0f32, 2.0, 2.0, 0.5];
        let x = Tensor::<3>::from_data(TensorData::new(numbers, [1, 4, 1]), &device).require_grad();
        let pooled = pool(x.clone());
        let gradients = pooled.sum().backward();
        assert_eq!(read(x.grad(&gradients).unwrap()), [0.25, 1.25, 0.25, 0.25]);
    }
}
