//! The layout of weights and grids in memory, shared by the loops of all instruction sets.

use super::aligned::AlignedBuffer;

/// Outputs computed together; every layer's outputs are padded to a multiple of it.
pub(crate) const LANES: usize = 16;

/// Outputs of a layer, padded.
pub(super) const fn padded(outputs: usize) -> usize {
    outputs.div_ceil(LANES) * LANES
}

/// A convolution's weights (or, with one tap, a layer's that works on each cell alone), packed for the loops.
#[derive(Clone, Debug)]
pub(crate) struct FloatLayer {
    /// `[block of LANES outputs][tap][input][LANES]`.
    pub packed: AlignedBuffer<f32>,
    /// Padded with zeros.
    pub bias: Vec<f32>,
    pub inputs: usize,
    pub taps: usize,
}

/// Each place in an output's weights, `[input][tap]`, and the line of a packed block, `[tap][input]`, that holds it.
// In this order sixteen rows are read and nine written side by side: learning packs anew for each part of a batch.
fn lines_in_order(inputs: usize, taps: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..inputs * taps).map(move |place| (place, place % taps * inputs + place / taps))
}

/// What was packed `[block of LANES outputs][tap][input][LANES]` as weights `[outputs][inputs][taps]`.
#[cfg(feature = "trainer")]
pub(crate) fn unpacked(packed: &[f32], inputs: usize, taps: usize) -> Vec<f32> {
    let mut weights = vec![0.0; packed.len()];
    let of_block = LANES * inputs * taps;
    for (weights, packed) in weights.chunks_exact_mut(of_block).zip(packed.chunks_exact(of_block)) {
        for (place, line) in lines_in_order(inputs, taps) {
            for (lane, weight) in packed[line * LANES..][..LANES].iter().enumerate() {
                weights[lane * inputs * taps + place] = *weight;
            }
        }
    }
    weights
}

impl FloatLayer {
    /// Packs weights `[outputs][inputs][taps]`.
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, taps: usize) -> FloatLayer {
        debug_assert_eq!(weights.len(), bias.len() * inputs * taps);
        let outputs = padded(bias.len());
        let mut packed = AlignedBuffer::zeros(outputs * taps * inputs);
        for (block, packed) in packed.chunks_exact_mut(LANES * inputs * taps).enumerate() {
            for (place, line) in lines_in_order(inputs, taps) {
                for (lane, packed) in packed[line * LANES..][..LANES].iter_mut().enumerate() {
                    let output = block * LANES + lane;
                    *packed = weights.get(output * inputs * taps + place).copied().unwrap_or(0.0);
                }
            }
        }
        let mut bias = bias.to_vec();
        bias.resize(outputs, 0.0);
        FloatLayer { packed, bias, inputs, taps }
    }
}

/// Where cells lie in a padded grid, and how far a layer's taps are from a cell.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub cells: Vec<usize>,
    offsets: [isize; 9],
    pub places: usize,
}

impl Grid {
    /// A grid of `height` x `width` cells with a border of one.
    pub fn new(height: usize, width: usize) -> Grid {
        let stride = width + 2;
        let cells = (0..height).flat_map(|r| (0..width).map(move |c| (r + 1) * stride + c + 1)).collect();
        let mut offsets = [0; 9];
        for (tap, offset) in offsets.iter_mut().enumerate() {
            *offset = (tap as isize / 3 - 1) * stride as isize + tap as isize % 3 - 1;
        }
        Grid { cells, offsets, places: (height + 2) * stride }
    }

    /// Copies the cells of a position, `[cell][channels]`, into a grid whose borders are zero.
    #[cfg(feature = "trainer")]
    pub fn pad(&self, channels: usize, position: &[f32], padded: &mut [f32]) {
        for (cell, values) in self.cells.iter().zip(position.chunks_exact(channels)) {
            padded[cell * channels..][..channels].copy_from_slice(values);
        }
    }

    pub fn offsets(&self, taps: usize) -> &[isize] {
        if taps == 1 { &self.offsets[4..5] } else { &self.offsets }
    }
}

/// Numbers by [`LANES`].
#[inline(always)]
pub(super) fn lanes(values: &[f32]) -> std::slice::Iter<'_, [f32; LANES]> {
    values.as_chunks().0.iter()
}

/// Numbers by [`LANES`].
#[inline(always)]
pub(super) fn lanes_mut(values: &mut [f32]) -> std::slice::IterMut<'_, [f32; LANES]> {
    values.as_chunks_mut().0.iter_mut()
}
