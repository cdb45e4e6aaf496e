//! Convolutions in bf16: weights and inputs are rounded to the upper 16 bits of an f32, and their
//! products are summed in f32.
//!
//! Two inputs make a 32-bit word. The words of each place of the padded grid fill whole rows of a
//! tile, so that consecutive places can be read as the rows of an AMX tile ([`tiles`]).

pub(super) mod tiles;

use super::aligned::AlignedBuffer;
use super::layout::{FloatLayer, Grid, LANES};

/// Words of inputs in a row of a tile. The inputs of a place are padded to a multiple of it.
pub const ROW: usize = 16;

/// Places of zeros before the padded grid.
const BEFORE: usize = 1;

/// Places of zeros after the padded grid, since the last tile reaches beyond it.
const AFTER: usize = 16;

/// A layer's weights in bf16.
#[derive(Clone, Debug)]
pub struct PairLayer {
    /// Packed `[block of LANES outputs][tap][word of inputs][LANES]`.
    words: AlignedBuffer<u32>,
    /// Words of inputs of a place, padding included.
    row: usize,
    inputs: usize,
    /// A multiple of [`LANES`].
    outputs: usize,
    taps: usize,
}

impl PairLayer {
    /// Rounds the weights of a layer, whose inputs are even in number.
    pub fn new(layer: &FloatLayer) -> PairLayer {
        let FloatLayer { packed, bias, inputs, taps } = layer;
        let row = inputs.div_ceil(2 * ROW) * ROW;
        let mut words = AlignedBuffer::zeros(packed.len() / inputs * row);
        for (words, packed) in words.chunks_exact_mut(row * LANES).zip(packed.chunks_exact(inputs * LANES)) {
            for (words, pair) in words.chunks_exact_mut(LANES).zip(packed.chunks_exact(2 * LANES)) {
                let (first, second) = pair.split_at(LANES);
                write_pairs(first, second, words);
            }
        }
        PairLayer { words, row, inputs: *inputs, outputs: bias.len(), taps: *taps }
    }
}

/// Returns two numbers rounded to bf16 as one word, the first in the lower half.
#[inline(always)]
fn word(first: f32, second: f32) -> u32 {
    rounded(first) | rounded(second) << 16
}

/// Writes two rows of numbers as words, the first row in the lower halves.
#[inline(always)]
pub fn write_pairs(first: &[f32], second: &[f32], words: &mut [u32]) {
    for ((place, first), second) in words.iter_mut().zip(first).zip(second) {
        *place = word(*first, *second);
    }
}

/// Returns the upper half of a finite number, rounded to nearest, ties to even.
#[inline(always)]
fn rounded(number: f32) -> u32 {
    let bits = number.to_bits();
    (bits + 0x7fff + (bits >> 16 & 1)) >> 16
}

/// The number of words of a grid of `places` places with `row` words each, and of the zeros around
/// it.
fn word_count(places: usize, row: usize) -> usize {
    (BEFORE + places + AFTER) * row
}

/// Writes a grid `[place][input]` as rows of words, with zeros before and after it.
#[inline(always)]
fn write_words(input: &[f32], inputs: usize, row: usize, words: &mut [u32]) {
    words.fill(0);
    for (words, values) in words[BEFORE * row..].chunks_exact_mut(row).zip(input.chunks_exact(inputs)) {
        write_row(values, words);
    }
}

/// Writes the inputs of a place as words. Words behind them stay as they are.
#[inline(always)]
fn write_row(values: &[f32], words: &mut [u32]) {
    for (place, pair) in words.iter_mut().zip(values.chunks_exact(2)) {
        *place = word(pair[0], pair[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        let half = |number: f32| f32::from_bits(rounded(number) << 16);
        for (number, expected) in
            [(0.0, 0.0), (1.0, 1.0), (-2.5, -2.5), (1.0 + 1.0 / 256.0, 1.0), (1.0 + 3.0 / 256.0, 1.015625)]
        {
            assert_eq!(half(number), expected);
        }
        for number in [0.1f32, 3.7, 1e-20, 6e30, -0.7] {
            assert!((half(number) - number).abs() <= number.abs() / 256.0);
        }
    }
}
