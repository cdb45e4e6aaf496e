//! Convolutions on bytes: words of unsigned inputs are multiplied by words of signed weights.
//!
//! The input of a convolution is never negative, since it comes from a ReLU or from the planes. For
//! each position it is scaled so that its largest value becomes 255, or 129 with AVX2 alone. The
//! weights of each output are scaled so that the largest becomes 127. Sums are integers, so that
//! they are the same on every processor.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "wasm32")]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod vnni;

#[cfg(target_arch = "wasm32")]
pub(super) use simd128::apply_bytes;
#[cfg(target_arch = "x86_64")]
pub(super) use {
    avx2::{apply_bytes_avx2, apply_bytes_avxvnni},
    vnni::apply_bytes,
};

use super::aligned::AlignedBuffer;
use super::groups::{evenly, for_each_group};
use super::layout::{FloatLayer, Grid, LANES};
#[cfg(target_arch = "wasm32")]
use simd128::{WORD, word};
#[cfg(target_arch = "x86_64")]
use vnni::{WORD, word};

/// The sums of [`LANES`] outputs at one cell, or [`LANES`] words of weights, in vector registers.
///
/// # Safety
/// The functions may only be called on a processor that has the type's instruction set, from
/// functions that are compiled for it.
trait Sums: Copy {
    /// The value that the largest input is scaled to.
    const LARGEST: f32 = 255.0;

    /// The most cells that are computed together.
    const CELLS: usize;

    /// Multiplies [`LANES`] inputs by `steps`, rounds them, and writes them as words.
    unsafe fn write_words(inputs: &[f32], steps: f32, words: &mut [u32]);

    /// Returns sums of zero.
    unsafe fn zero() -> Self;

    /// Loads one word of weights for each of [`LANES`] outputs.
    unsafe fn load(words: &[u32]) -> Self;

    /// Adds the dot product of a word of inputs and each output's word of weights.
    unsafe fn plus(self, input: u32, weights: Self) -> Self;

    /// Writes the outputs, `sum * step * steps + bias`: `step` is the input that 1 stands for, and
    /// `steps` are the weights that 1 stands for, one for each output.
    unsafe fn write(self, step: f32, steps: &[f32], bias: &[f32], place: &mut [f32]);
}

/// A layer's weights in bytes.
#[derive(Clone, Debug)]
pub(super) struct ByteLayer {
    /// Packed `[block of LANES outputs][tap][word of inputs][LANES]`.
    words: AlignedBuffer<u32>,
    /// The weight that 1 stands for, for each output.
    steps: Vec<f32>,
}

impl ByteLayer {
    /// Rounds weights packed as `[block of LANES outputs][tap][input][LANES]`. The number of inputs
    /// is a multiple of 4.
    pub fn new(packed: &[f32], inputs: usize, taps: usize) -> ByteLayer {
        debug_assert_eq!(inputs % 4, 0);
        let (mut words, mut steps) = (Vec::new(), Vec::new());
        for block in packed.chunks_exact(inputs * taps * LANES) {
            let mut largest = [0f32; LANES];
            for weights in block.chunks_exact(LANES) {
                largest.iter_mut().zip(weights).for_each(|(most, w)| *most = most.max(w.abs()));
            }
            let step = largest.map(|most| if most > 0.0 { most / 127.0 } else { 1.0 });
            let byte =
                |rows: &[f32], input: usize, lane: usize| (rows[input * LANES + lane] / step[lane]).round() as i16;
            words.extend(block.chunks_exact(WORD * LANES).flat_map(|rows| -> [u32; LANES] {
                std::array::from_fn(|lane| word(std::array::from_fn(|input| byte(rows, input, lane))))
            }));
            steps.extend(step);
        }
        ByteLayer { words: AlignedBuffer::new(&words), steps }
    }
}

/// The operands of [`Pass::apply`](super::kernel::Pass::apply) on bytes. No input is negative.
pub(super) struct Application<'a> {
    pub layer: &'a FloatLayer,
    pub bytes: &'a ByteLayer,
    pub grid: &'a Grid,
    pub input: &'a [f32],
    pub output: &'a mut [f32],
    /// Scratch memory for the inputs in bytes.
    pub words: &'a mut AlignedBuffer<u32>,
}

impl Application<'_> {
    /// Applies the layer and writes its outputs.
    ///
    /// # Safety
    /// The conditions of [`Sums`].
    #[inline(always)]
    unsafe fn run<S: Sums>(self) {
        let Application { layer, bytes, grid, input, output, words } = self;
        let largest = largest(input);
        words.resize(input.len() / WORD);
        let steps = if largest > 0.0 { S::LARGEST / largest } else { 0.0 };
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe { write_words::<S>(input, steps, words) };
        let step = largest / S::LARGEST;
        for_each_group!(&grid.cells, S::CELLS, cells => {
            // SAFETY: as above.
            unsafe { apply_group::<S, _>(layer, bytes, grid, &cells, (words, step), output) }
        });
    }
}

/// Returns the largest value, or 0 if that is larger.
#[inline(always)]
fn largest(input: &[f32]) -> f32 {
    let mut largest = [0f32; LANES];
    let chunks = input.chunks_exact(LANES);
    let rest = chunks.remainder();
    for values in chunks {
        largest.iter_mut().zip(values).for_each(|(most, x)| *most = most.max(*x));
    }
    largest.iter().chain(rest).fold(0f32, |most, x| most.max(*x))
}

/// Multiplies inputs by `steps`, rounds them, and writes them as words.
///
/// # Safety
/// The conditions of [`Sums`].
#[inline(always)]
unsafe fn write_words<S: Sums>(input: &[f32], steps: f32, words: &mut [u32]) {
    let (inputs, mut chunks) = (input.chunks_exact(LANES), words.chunks_exact_mut(LANES / WORD));
    let rest = inputs.remainder();
    for (words, inputs) in (&mut chunks).zip(inputs) {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe { S::write_words(inputs, steps, words) };
    }
    for (place, inputs) in chunks.into_remainder().iter_mut().zip(rest.chunks_exact(WORD)) {
        *place = word(std::array::from_fn(|i| (inputs[i] * steps).round_ties_even() as u8 as i16));
    }
}

/// Computes all outputs of a group of cells. `input` are the words of the padded grid, and `step`
/// is the input that 1 stands for.
///
/// # Safety
/// The conditions of [`Sums`].
#[inline(always)]
unsafe fn apply_group<S: Sums, const CELLS: usize>(
    layer: &FloatLayer,
    bytes: &ByteLayer,
    grid: &Grid,
    cells: &[usize; CELLS],
    (input, step): (&[u32], f32),
    output: &mut [f32],
) {
    let (inputs, outputs) = (layer.inputs / WORD, layer.bias.len());
    let block_size = layer.taps * inputs * LANES;
    for (block, weights) in bytes.words.chunks_exact(block_size).enumerate() {
        // SAFETY: the caller meets the conditions of `Sums`.
        let mut sums = [unsafe { S::zero() }; CELLS];
        for (tap, &offset) in weights.chunks_exact(inputs * LANES).zip(grid.offsets(layer.taps)) {
            let mut rows: [&[u32]; CELLS] = [&[]; CELLS];
            for (row, &cell) in rows.iter_mut().zip(cells) {
                *row = &input[cell.wrapping_add_signed(offset) * inputs..][..inputs];
            }
            for (i, weights) in (0..inputs).zip(tap.chunks_exact(LANES)) {
                // SAFETY: as above.
                let weights = unsafe { S::load(weights) };
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    // SAFETY: as above.
                    *sum = unsafe { sum.plus(row[i], weights) };
                }
            }
        }
        let lanes = block * LANES..(block + 1) * LANES;
        for (sum, &cell) in sums.iter().zip(cells) {
            let place = &mut output[cell * outputs + block * LANES..][..LANES];
            // SAFETY: as above.
            unsafe { sum.write(step, &bytes.steps[lanes.clone()], &layer.bias[lanes.clone()], place) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_scaled_for_each_output() {
        let mut packed = vec![0.0; 4 * LANES];
        (packed[0], packed[LANES], packed[2 * LANES + 1]) = (1.27, -0.5, -12.7);
        let layer = ByteLayer::new(&packed, 4, 1);
        assert_eq!(layer.words[0].to_le_bytes().map(|b| b as i8), [127, -50, 0, 0]);
        assert_eq!(layer.words[1].to_le_bytes().map(|b| b as i8), [0, 0, -127, 0]);
        assert!((layer.steps[0] - 0.01).abs() < 1e-6 && (layer.steps[1] - 0.1).abs() < 1e-6);
    }
}
