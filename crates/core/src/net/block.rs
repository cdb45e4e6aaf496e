//! The residual blocks of the engine: one variant for each [`BlockKind`].

use super::BlockKind;
use super::aligned::AlignedBuffer;
use super::cellwise::{add_relu, add_to, pool};
use super::kernel::{Layer, Pass};
use super::layout::{Grid, Tensors};
use super::linear::Linear;

/// A residual block, laid out for inference.
pub(super) enum Block {
    /// Two convolutions, and the layer of the global pooling between them.
    Pooled { first: Layer, pool: Linear, second: Layer },
}

/// The values of the tower, and scratch memory of the same sizes.
pub(super) struct Tower {
    /// The residual, a padded grid `[place][channel]`.
    pub x: AlignedBuffer<f32>,
    /// A grid like the residual.
    pub t: AlignedBuffer<f32>,
    /// A grid like the residual.
    y: AlignedBuffer<f32>,
    /// Means and maxima, `[2][channel]`.
    pub pooled: AlignedBuffer<f32>,
    /// A number for each channel.
    pub bias: AlignedBuffer<f32>,
    /// The words of a convolution's inputs.
    pub scratch: AlignedBuffer<u32>,
}

impl Tower {
    /// Returns a tower of zeros.
    pub fn new(places: usize, channels: usize) -> Tower {
        let grid = || AlignedBuffer::zeros(places * channels);
        Tower {
            x: grid(),
            t: grid(),
            y: grid(),
            pooled: AlignedBuffer::zeros(2 * channels),
            bias: AlignedBuffer::zeros(channels),
            scratch: AlignedBuffer::zeros(0),
        }
    }
}

impl Block {
    /// Packs the layers of the next block.
    pub fn take(kind: BlockKind, tensors: &mut Tensors) -> Block {
        match kind {
            BlockKind::Pooled => {
                Block::Pooled { first: Layer::take(tensors), pool: Linear::take(tensors), second: Layer::take(tensors) }
            }
        }
    }

    /// Applies the block to the residual `tower.x`.
    #[inline(always)]
    pub fn apply(&self, pass: &Pass, grid: &Grid, channels: usize, tower: &mut Tower) {
        let Tower { x, t, y, pooled, bias, scratch } = tower;
        match self {
            Block::Pooled { first, pool: pool_layer, second } => {
                pass.apply(first, grid, x, t, scratch);
                pool(t, grid, channels, pooled);
                pool_layer.apply(pooled, bias);
                add_relu(t, grid, bias);
                pass.apply(second, grid, t, y, scratch);
                add_to(x, y, grid, channels);
            }
        }
    }
}
