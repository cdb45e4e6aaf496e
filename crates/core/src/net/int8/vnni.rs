//! Convolutions on bytes by AVX-512 VNNI: one instruction adds four products of bytes to each of
//! sixteen sums.

use std::arch::x86_64::*;

use super::{Application, LANES, Sums};

/// Inputs in a word.
pub(super) const WORD: usize = 4;

/// Packs inputs, or weights of one output, into a word.
pub(super) fn word(numbers: [i16; WORD]) -> u32 {
    u32::from_le_bytes(numbers.map(|number| number as u8))
}

/// Applies a layer, with vectors of 512 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(in crate::net) fn apply_bytes(application: Application<'_>) {
    // SAFETY: this function is compiled for AVX-512 with VNNI.
    unsafe { application.run::<__m512i>() };
}

impl Sums for __m512i {
    const CELLS: usize = 13;

    #[inline(always)]
    unsafe fn write_words(inputs: &[f32], steps: f32, words: &mut [u32]) {
        let (inputs, words) = (&inputs[..LANES], &mut words[..LANES / WORD]);
        // SAFETY: 16 numbers are read and 16 bytes written, the lengths of the two slices.
        unsafe {
            let inputs = _mm512_mul_ps(_mm512_loadu_ps(inputs.as_ptr()), _mm512_set1_ps(steps));
            _mm_storeu_si128(words.as_mut_ptr().cast(), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(inputs)));
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn load(words: &[u32]) -> Self {
        // SAFETY: 16 words are read, the length of the slice.
        unsafe { _mm512_loadu_si512(words[..LANES].as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn plus(self, input: u32, weights: Self) -> Self {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe { _mm512_dpbusd_epi32(self, _mm512_set1_epi32(input as i32), weights) }
    }

    #[inline(always)]
    unsafe fn write(self, step: f32, steps: &[f32], bias: &[f32], place: &mut [f32]) {
        let (steps, bias, place) = (&steps[..LANES], &bias[..LANES], &mut place[..LANES]);
        // SAFETY: all three slices have 16 numbers.
        unsafe {
            let steps = _mm512_mul_ps(_mm512_loadu_ps(steps.as_ptr()), _mm512_set1_ps(step));
            let bias = _mm512_loadu_ps(bias.as_ptr());
            // Not fused, so that the outputs are the same on processors without FMA.
            let values = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(self), steps), bias);
            _mm512_storeu_ps(place.as_mut_ptr(), values);
        }
    }
}
