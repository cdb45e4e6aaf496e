//! The way of positions through a block.

use super::PackedBlock;
use super::cells::{add_input, add_products, add_spread, pool};
use crate::kernels::buffer::Buffer;
use crate::kernels::convolution::loops::Loops;
#[cfg(target_arch = "x86_64")]
use doublecross_core::net::Isa;

/// The numbers that a pass through a block keeps for the way back.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The first convolution, `[position][cell][channel]`.
    pub t: Buffer,
    /// Means and maxima of `max(t, 0)` over the cells, `[position][2 * channels]`.
    pub pooled: Buffer,
    /// The numbers that are added to all cells, `[position][channel]`.
    pub spread: Buffer,
}

/// The sizes of a pass.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub positions: usize,
    /// The numbers of a position: those of all its cells.
    pub cells: usize,
    pub channels: usize,
    /// The positions that pass through the block at a time.
    pub together: usize,
}

impl PackedBlock {
    /// The sizes of a pass of `x` with these loops.
    pub(super) fn sizes(&self, loops: &Loops, x: &[f32]) -> Sizes {
        let (channels, [height, width]) = (self.conv1.bias.len(), self.conv1.size());
        let cells = height * width * channels;
        let positions = x.len() / cells;
        Sizes { positions, cells, channels, together: loops.together(positions) }
    }

    /// Returns the output for `x`, both `[position][cell][channel]`, and what the way back needs.
    pub(super) fn forward(&self, x: &[f32]) -> (Vec<f32>, Kept) {
        match self.conv1.isa() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an instruction set other than `Portable` comes from `Isa::available`, which asks the processor.
            Isa::Avx2 => unsafe { forward_avx2(self, x) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 | Isa::Amx => unsafe { forward_avx512(self, x) },
            _ => self.pass(x),
        }
    }

    /// Does what [`PackedBlock::forward`] does.
    #[inline(always)]
    fn pass(&self, x: &[f32]) -> (Vec<f32>, Kept) {
        let mut loops = self.conv1.loops();
        let Sizes { positions, cells, channels, together } = self.sizes(&loops, x);
        let mut y = vec![0.0; x.len()];
        let mut kept = Kept {
            t: Buffer::unspecified(x.len()),
            pooled: Buffer::unspecified(positions * 2 * channels),
            spread: Buffer::zeros(positions * channels),
        };
        let mut u = Buffer::unspecified(together * cells);
        let Kept { t, pooled, spread } = &mut kept;
        let parts = x.chunks(together * cells).zip(y.chunks_mut(together * cells));
        let parts = parts.zip(t.chunks_mut(together * cells)).zip(pooled.chunks_mut(together * 2 * channels));
        for ((((x, y), t), pooled), spread) in parts.zip(spread.chunks_mut(together * channels)) {
            let u = &mut u[..x.len()];
            loops.convolve(&self.conv1.weights, &self.conv1.bias, x, t);
            for (t, pooled) in t.chunks_exact(cells).zip(pooled.chunks_exact_mut(2 * channels)) {
                pool(t, pooled);
            }
            add_products(pooled, &self.pool, spread, x.len() / cells);
            let positions = t.chunks_exact(cells).zip(u.chunks_exact_mut(cells));
            for ((t, u), spread) in positions.zip(spread.chunks_exact(channels)) {
                add_spread(t, spread, u);
            }
            loops.convolve(&self.conv2.weights, &self.conv2.bias, u, y);
            add_input(x, y);
        }
        (y, kept)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn forward_avx2(block: &PackedBlock, x: &[f32]) -> (Vec<f32>, Kept) {
    block.pass(x)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn forward_avx512(block: &PackedBlock, x: &[f32]) -> (Vec<f32>, Kept) {
    block.pass(x)
}
