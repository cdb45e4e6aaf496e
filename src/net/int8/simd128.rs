//! Sixteen sums in four vectors of WebAssembly's SIMD, which multiplies no bytes: an instruction gives four sums of two
//! products of 16-bit numbers.

use std::arch::wasm32::*;

use crate::net::kernel::LANES;

/// Inputs in a word.
pub(super) const WORD: usize = 2;

/// Cells that are computed together at most.
pub(super) const CELLS: usize = 2;

/// Vectors of a block of outputs.
const VECTORS: usize = LANES / 4;

/// Weights of one output as a word.
pub(super) fn word(weights: [i8; WORD]) -> u32 {
    weights[0] as i16 as u16 as u32 | (weights[1] as i16 as u16 as u32) << 16
}

/// The largest of these numbers, and 0.
pub(super) fn largest(input: &[f32]) -> f32 {
    input.iter().fold(0f32, |most, x| most.max(*x))
}

/// Writes inputs in whole steps, this many to the unit, two to a word.
pub(super) fn write_words(input: &[f32], steps: f32, words: &mut [u32]) {
    let scale = f32x4_splat(steps);
    let chunks = input.chunks_exact(8);
    let rest = chunks.remainder();
    for (words, values) in words.chunks_exact_mut(8 / WORD).zip(chunks) {
        // SAFETY: eight numbers are read and four words written, which is what the two chunks hold.
        unsafe {
            let rounded = |at: usize| {
                let values = v128_load(values.as_ptr().add(at).cast());
                i32x4_trunc_sat_f32x4(f32x4_nearest(f32x4_mul(values, scale)))
            };
            v128_store(words.as_mut_ptr().cast(), u16x8_narrow_i32x4(rounded(0), rounded(4)));
        }
    }
    let last = words.chunks_exact_mut(8 / WORD).into_remainder();
    for (word, values) in last.iter_mut().zip(rest.chunks_exact(WORD)) {
        let rounded = |x: f32| (x * steps).round_ties_even() as u8 as u32;
        *word = rounded(values[0]) | rounded(values[1]) << 16;
    }
}

/// The sums of [`LANES`] outputs at one cell, or as many words of weights.
#[derive(Clone, Copy)]
pub(super) struct Sums([v128; VECTORS]);

impl Sums {
    #[inline(always)]
    pub fn zero() -> Sums {
        Sums([i32x4_splat(0); VECTORS])
    }

    #[inline(always)]
    pub fn load(words: &[u32]) -> Sums {
        assert_eq!(words.len(), LANES);
        // SAFETY: there are 16 words, four for each vector.
        Sums(std::array::from_fn(|i| unsafe { v128_load(words.as_ptr().add(4 * i).cast()) }))
    }

    /// With a word of inputs times each output's word of weights.
    #[inline(always)]
    pub fn plus(self, input: u32, weights: Sums) -> Sums {
        let input = i32x4_splat(input as i32);
        Sums(std::array::from_fn(|i| i32x4_add(self.0[i], i32x4_dot_i16x8(input, weights.0[i]))))
    }

    /// Writes the outputs: sums times what a step of the inputs and of each output's weights is worth, and the bias.
    #[inline(always)]
    pub fn write(self, step: f32, steps: &[f32], bias: &[f32], place: &mut [f32]) {
        assert!(steps.len() == LANES && bias.len() == LANES && place.len() == LANES);
        for (i, sums) in self.0.into_iter().enumerate() {
            let at =
                |numbers: &[f32]| f32x4(numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]);
            let steps = f32x4_mul(at(steps), f32x4_splat(step));
            let values = f32x4_add(f32x4_mul(f32x4_convert_i32x4(sums), steps), at(bias));
            // SAFETY: the place has 16 numbers, four for each vector.
            unsafe { v128_store(place.as_mut_ptr().add(4 * i).cast(), values) };
        }
    }
}
