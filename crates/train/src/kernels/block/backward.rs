//! The way of gradients back through a block.

use super::PackedBlock;
use super::cells::{add, add_cells, add_outer, add_pool_gradient, add_products, add_spread, mask, masked};
use super::forward::{Kept, Sizes};
use crate::kernels::buffer::Buffer;
#[cfg(doc)]
use crate::kernels::convolution::loops::GradientOrder;
#[cfg(target_arch = "x86_64")]
use doublecross_core::net::Isa;

/// The gradients of a block.
pub(super) struct Gradients {
    /// By the input, `[position][cell][channel]`.
    pub x: Vec<f32>,
    /// By the weights and the bias of the first convolution, the weights of means and maxima, and those of the second
    /// convolution. Those by weights of convolutions are in their [`GradientOrder`].
    pub parameters: [Vec<f32>; 5],
}

impl PackedBlock {
    /// Returns the gradients, where `x` is the input, `y` the output, and `by_y` the gradient by it.
    pub(super) fn backward(&self, x: &[f32], y: &[f32], kept: &Kept, by_y: &[f32]) -> Gradients {
        match self.conv1.isa() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an instruction set other than `Portable` comes from `Isa::available`, which asks the processor.
            Isa::Avx2 => unsafe { backward_avx2(self, x, y, kept, by_y) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 | Isa::Amx => unsafe { backward_avx512(self, x, y, kept, by_y) },
            _ => self.pass_back(x, y, kept, by_y),
        }
    }

    /// Does what [`PackedBlock::backward`] does.
    #[inline(always)]
    fn pass_back(&self, x: &[f32], y: &[f32], kept: &Kept, by_y: &[f32]) -> Gradients {
        let PackedBlock { conv1, pool, pool_back, conv2 } = self;
        let mut loops = conv1.loops();
        let Sizes { cells, channels, together, .. } = self.sizes(&loops, x);
        let (mut by_weight1, mut by_weight2) = (loops.gradient(conv1.channels), loops.gradient(conv2.channels));
        let no_bias = vec![0.0; channels];
        let [mut by_bias1, mut by_bias2] = [vec![0.0; channels], vec![0.0; channels]];
        let (mut by_pool, mut by_x) = (vec![0.0; pool.len()], vec![0.0; x.len()]);
        let [mut u, mut by_v, mut by_t] = [(); 3].map(|()| Buffer::unspecified(together * cells));
        let [mut by_spread, mut by_pooled] = [1, 2].map(|each| Buffer::unspecified(together * each * channels));
        let parts = x.chunks(together * cells).zip(y.chunks(together * cells)).zip(by_y.chunks(together * cells));
        let parts = parts.zip(kept.t.chunks(together * cells)).zip(kept.pooled.chunks(together * 2 * channels));
        let parts = parts.zip(kept.spread.chunks(together * channels)).zip(by_x.chunks_mut(together * cells));
        for ((((((x, y), by_y), t), pooled), spread), by_x) in parts {
            let [u, by_v, by_t] = [&mut u, &mut by_v, &mut by_t].map(|numbers| &mut numbers[..x.len()]);
            masked(y, by_y, by_v);
            add_cells(by_v, &mut by_bias2);
            for ((t, spread), u) in
                t.chunks_exact(cells).zip(spread.chunks_exact(channels)).zip(u.chunks_exact_mut(cells))
            {
                add_spread(t, spread, u);
            }
            loops.add_gradient(&mut by_weight2, u, by_v);
            loops.convolve(conv2.back(), &no_bias, by_v, by_t);
            mask(u, by_t);
            let rows = x.len() / cells;
            let (by_spread, by_pooled) = (&mut by_spread[..rows * channels], &mut by_pooled[..rows * 2 * channels]);
            by_spread.fill(0.0);
            for (by_t, by_spread) in by_t.chunks_exact(cells).zip(by_spread.chunks_exact_mut(channels)) {
                add_cells(by_t, by_spread);
            }
            add_outer(pooled, by_spread, &mut by_pool, rows);
            by_pooled.fill(0.0);
            add_products(by_spread, pool_back, by_pooled, rows);
            let positions = t.chunks_exact(cells).zip(by_t.chunks_exact_mut(cells));
            let pooled = pooled.chunks_exact(2 * channels).zip(by_pooled.chunks_exact_mut(2 * channels));
            for ((t, by_t), (pooled, by_pooled)) in positions.zip(pooled) {
                add_pool_gradient(t, pooled, by_pooled, by_t);
            }
            add_cells(by_t, &mut by_bias1);
            loops.add_gradient(&mut by_weight1, x, by_t);
            loops.convolve(conv1.back(), &no_bias, by_t, by_x);
            add(by_v, by_x);
        }
        let [by_weight1, by_weight2] = [by_weight1, by_weight2].map(|sum| loops.numbers(sum));
        Gradients { x: by_x, parameters: [by_weight1, by_bias1, by_pool, by_weight2, by_bias2] }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn backward_avx2(block: &PackedBlock, x: &[f32], y: &[f32], kept: &Kept, by_y: &[f32]) -> Gradients {
    block.pass_back(x, y, kept, by_y)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn backward_avx512(block: &PackedBlock, x: &[f32], y: &[f32], kept: &Kept, by_y: &[f32]) -> Gradients {
    block.pass_back(x, y, kept, by_y)
}
