//! Sixteen sums at once by AVX-512 VNNI: an instruction adds four products of bytes to each.

use std::arch::x86_64::*;

use crate::net::kernel::LANES;

/// Inputs in a word.
pub(super) const WORD: usize = 4;

/// Cells that are computed together at most.
pub(super) const CELLS: usize = 13;

/// Weights of one output as a word.
pub(super) fn word(weights: [i8; WORD]) -> u32 {
    u32::from_le_bytes(weights.map(|w| w as u8))
}

/// The largest of these numbers, and 0.
pub(super) fn largest(input: &[f32]) -> f32 {
    let mut largest = [0f32; LANES];
    let chunks = input.chunks_exact(LANES);
    let rest = chunks.remainder();
    for values in chunks {
        largest.iter_mut().zip(values).for_each(|(most, x)| *most = most.max(*x));
    }
    largest.iter().chain(rest).fold(0f32, |most, x| most.max(*x))
}

/// Writes inputs as bytes, this many steps to the unit, four to a word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn write_words(input: &[f32], steps: f32, words: &mut [u32]) {
    let scale = _mm512_set1_ps(steps);
    let chunks = input.chunks_exact(LANES);
    let rest = chunks.remainder();
    for (words, values) in words.chunks_exact_mut(LANES / WORD).zip(chunks) {
        // SAFETY: 16 numbers are read and 16 bytes written, which is what the two chunks hold.
        unsafe {
            let rounded = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(values.as_ptr()), scale));
            _mm_storeu_si128(words.as_mut_ptr().cast(), _mm512_cvtusepi32_epi8(rounded));
        }
    }
    for (word, values) in words.chunks_exact_mut(LANES / WORD).into_remainder().iter_mut().zip(rest.chunks_exact(WORD))
    {
        *word = u32::from_le_bytes(std::array::from_fn(|i| (values[i] * steps).round_ties_even() as u8));
    }
}

/// The sums of [`LANES`] outputs at one cell, or as many words of weights.
#[derive(Clone, Copy)]
pub(super) struct Sums(__m512i);

impl Sums {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn zero() -> Sums {
        Sums(_mm512_setzero_si512())
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn load(words: &[u32]) -> Sums {
        assert_eq!(words.len(), LANES);
        // SAFETY: there are 16 words, 64 bytes.
        Sums(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    /// With a word of inputs times each output's word of weights.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn plus(self, input: u32, weights: Sums) -> Sums {
        Sums(_mm512_dpbusd_epi32(self.0, _mm512_set1_epi32(input as i32), weights.0))
    }

    /// Writes the outputs: sums times what a step of the inputs and of each output's weights is worth, and the bias.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn write(self, step: f32, steps: &[f32], bias: &[f32], place: &mut [f32]) {
        assert!(steps.len() == LANES && bias.len() == LANES && place.len() == LANES);
        // SAFETY: all three have 16 numbers.
        unsafe {
            let steps = _mm512_mul_ps(_mm512_loadu_ps(steps.as_ptr()), _mm512_set1_ps(step));
            let bias = _mm512_loadu_ps(bias.as_ptr());
            // Not fused, so that the outputs are those of processors that cannot.
            let values = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(self.0), steps), bias);
            _mm512_storeu_ps(place.as_mut_ptr(), values);
        }
    }
}
