//! Layout of weights and grids in memory, shared by the loops of all instruction sets.

use std::borrow::Cow;

use super::aligned::AlignedBuffer;
use super::tensor_spec::Parameters;

/// The tensors of weights, taken layer by layer.
pub(super) type Tensors<'a> = Parameters<'a, std::slice::Iter<'a, Vec<f32>>>;

/// Outputs that are computed together. Every layer's outputs are padded to a multiple of it.
pub const LANES: usize = 16;

/// The inputs of a word of bytes. Every convolution's inputs are padded to a multiple of it.
const INPUTS: usize = 4;

/// Rounds a number of outputs up to a multiple of [`LANES`].
pub(super) const fn padded(outputs: usize) -> usize {
    outputs.div_ceil(LANES) * LANES
}

/// The weights of a convolution, packed for the loops. A layer with one tap works on each cell
/// separately.
#[derive(Clone, Debug)]
pub struct FloatLayer {
    /// Weights `[block of LANES outputs][tap][input][LANES]`.
    pub packed: AlignedBuffer<f32>,
    /// The bias of each output, padded with zeros.
    pub bias: Vec<f32>,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of taps: 9 for a 3x3 convolution, 1 for a 1x1 convolution.
    pub taps: usize,
}

/// Pairs of an index in one output's weights, `[input][tap]`, and the row of a packed block,
/// `[tap][input]`, that holds it.
// In this order, reads go through sixteen rows in parallel and writes through nine, which is fast: with
// AMX, training packs the weights again for each part of a batch.
fn packed_rows(inputs: usize, taps: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..inputs * taps).map(move |place| (place, place % taps * inputs + place / taps))
}

/// Returns weights `[output][input][tap]` and the number of their inputs, with inputs of zero behind their own where that
/// is no multiple of four.
pub fn pad_inputs(weights: &[f32], inputs: usize, taps: usize) -> (Cow<'_, [f32]>, usize) {
    let all = inputs.next_multiple_of(INPUTS);
    if all == inputs {
        return (weights.into(), inputs);
    }
    let mut padded = Vec::with_capacity(weights.len() / inputs * all);
    for own in weights.chunks_exact(inputs * taps) {
        padded.extend_from_slice(own);
        padded.extend(std::iter::repeat_n(0.0, (all - inputs) * taps));
    }
    (padded.into(), all)
}

impl FloatLayer {
    /// Packs the next layer, a convolution with a bias, whose inputs are padded.
    pub(super) fn take(tensors: &mut Tensors) -> FloatLayer {
        let layer = tensors.next_layer();
        let (inputs, taps) = (layer.spec.inputs(), layer.spec.taps());
        let (weights, inputs) = pad_inputs(layer.weights, inputs, taps);
        FloatLayer::new(&weights, layer.bias.expect("a convolution has a bias"), inputs, taps)
    }

    /// Packs weights `[output][input][tap]`.
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, taps: usize) -> FloatLayer {
        debug_assert_eq!(weights.len(), bias.len() * inputs * taps);
        let outputs = padded(bias.len());
        let mut packed = AlignedBuffer::zeros(outputs * taps * inputs);
        for (block, packed) in packed.chunks_exact_mut(LANES * inputs * taps).enumerate() {
            for (place, row) in packed_rows(inputs, taps) {
                for (lane, packed) in packed[row * LANES..][..LANES].iter_mut().enumerate() {
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

/// The places of a board's cells in a grid that is padded by one place on each side.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The place of each cell, row by row.
    pub cells: Vec<usize>,
    /// The distance in places from a cell to each tap of a 3x3 convolution.
    offsets: [isize; 9],
    /// The number of places, those of the border included.
    pub places: usize,
}

impl Grid {
    /// Returns the grid of `height` x `width` cells.
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
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn pad(&self, channels: usize, position: &[f32], padded: &mut [f32]) {
        for (cell, values) in self.cells.iter().zip(position.chunks_exact(channels)) {
            padded[cell * channels..][..channels].copy_from_slice(values);
        }
    }

    /// The distances in places from a cell to each of a layer's taps, which are 1 or 9.
    pub fn offsets(&self, taps: usize) -> &[isize] {
        if taps == 1 { &self.offsets[4..5] } else { &self.offsets }
    }
}

/// Iterates over a slice in arrays of [`LANES`] values.
#[inline(always)]
pub(super) fn lanes(values: &[f32]) -> std::slice::Iter<'_, [f32; LANES]> {
    values.as_chunks().0.iter()
}

/// Iterates over a mutable slice in arrays of [`LANES`] values.
#[inline(always)]
pub(super) fn lanes_mut(values: &mut [f32]) -> std::slice::IterMut<'_, [f32; LANES]> {
    values.as_chunks_mut().0.iter_mut()
}
