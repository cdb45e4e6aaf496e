//! Convolutions on bytes by WebAssembly's SIMD, four vectors for sixteen sums. It has no products
//! of bytes, so that inputs and weights are widened to 16 bits: one instruction computes four sums
//! of two products.

use std::arch::wasm32::*;

use super::{Application, LANES, Sums};

/// Inputs in a word.
pub(super) const WORD: usize = 2;

/// Vectors of a block of outputs.
const VECTORS: usize = LANES / 4;

/// Packs inputs, or weights of one output, into a word.
pub(super) fn word(numbers: [i16; WORD]) -> u32 {
    numbers[0] as u16 as u32 | (numbers[1] as u16 as u32) << 16
}

/// Applies a layer.
pub(in crate::net) fn apply_bytes(application: Application<'_>) {
    // SAFETY: the whole module is compiled with SIMD.
    unsafe { application.run::<[v128; VECTORS]>() };
}

impl Sums for [v128; VECTORS] {
    const CELLS: usize = 2;

    #[inline(always)]
    unsafe fn write_words(inputs: &[f32], steps: f32, words: &mut [u32]) {
        let scale = f32x4_splat(steps);
        for (words, inputs) in words.chunks_exact_mut(8 / WORD).zip(inputs.chunks_exact(8)) {
            // SAFETY: eight numbers are read and four words written, the lengths of the two chunks.
            unsafe {
                let rounded = |at: usize| {
                    let inputs = v128_load(inputs.as_ptr().add(at).cast());
                    i32x4_trunc_sat_f32x4(f32x4_nearest(f32x4_mul(inputs, scale)))
                };
                v128_store(words.as_mut_ptr().cast(), u16x8_narrow_i32x4(rounded(0), rounded(4)));
            }
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        [i32x4_splat(0); VECTORS]
    }

    #[inline(always)]
    unsafe fn load(words: &[u32]) -> Self {
        let words: *const v128 = words[..LANES].as_ptr().cast();
        // SAFETY: 16 words are read, four for each vector.
        std::array::from_fn(|i| unsafe { v128_load(words.add(i)) })
    }

    #[inline(always)]
    unsafe fn plus(self, input: u32, weights: Self) -> Self {
        let input = i32x4_splat(input as i32);
        std::array::from_fn(|i| i32x4_add(self[i], i32x4_dot_i16x8(input, weights[i])))
    }

    #[inline(always)]
    unsafe fn write(self, step: f32, steps: &[f32], bias: &[f32], place: &mut [f32]) {
        let place = &mut place[..LANES];
        for (i, sums) in self.into_iter().enumerate() {
            let at =
                |numbers: &[f32]| f32x4(numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]);
            let steps = f32x4_mul(at(steps), f32x4_splat(step));
            let values = f32x4_add(f32x4_mul(f32x4_convert_i32x4(sums), steps), at(bias));
            // SAFETY: `place` has 16 numbers, four for each vector.
            unsafe { v128_store(place.as_mut_ptr().add(4 * i).cast(), values) };
        }
    }
}
