//! Sixteen numbers that are computed with together, in the registers of each instruction set.

use crate::net::LANES;

/// [`LANES`] numbers.
///
/// # Safety
/// The methods may only be called in functions that are compiled for the instruction set of the
/// registers, on a processor that has it.
pub(super) trait Lanes: Copy {
    /// A factor of a product: a number, or a word of two bf16 halves whose products are added up.
    type Factor: Copy;

    /// [`LANES`] factors.
    type Factors: Copy;

    /// Loads the first [`LANES`] of these numbers.
    unsafe fn load(numbers: &[f32]) -> Self;

    /// Stores the numbers in the first [`LANES`] places.
    unsafe fn store(self, places: &mut [f32]);

    /// Loads the first [`LANES`] of these factors.
    unsafe fn factors(factors: &[Self::Factor]) -> Self::Factors;

    /// Adds the product of `x` and each of the others.
    unsafe fn plus(self, x: Self::Factor, others: Self::Factors) -> Self;
}

impl Lanes for [f32; LANES] {
    type Factor = f32;
    type Factors = Self;

    #[inline(always)]
    unsafe fn load(numbers: &[f32]) -> Self {
        std::array::from_fn(|lane| numbers[lane])
    }

    #[inline(always)]
    unsafe fn store(self, places: &mut [f32]) {
        places[..LANES].copy_from_slice(&self);
    }

    #[inline(always)]
    unsafe fn factors(factors: &[f32]) -> Self {
        // SAFETY: the caller guarantees the instruction set.
        unsafe { Self::load(factors) }
    }

    #[inline(always)]
    unsafe fn plus(self, x: f32, others: Self) -> Self {
        // On processors without a fused instruction `mul_add` is a slow function call.
        let plus =
            |sum: f32, other: f32| if cfg!(target_arch = "aarch64") { x.mul_add(other, sum) } else { sum + x * other };
        std::array::from_fn(|lane| plus(self[lane], others[lane]))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use crate::net::dot;
    use std::arch::x86_64::*;

    impl Lanes for __m512 {
        type Factor = f32;
        type Factors = Self;

        #[inline(always)]
        unsafe fn load(numbers: &[f32]) -> Self {
            // SAFETY: the caller guarantees the instruction set, and the slice has the 16 numbers
            // that are read.
            unsafe { _mm512_loadu_ps(numbers[..LANES].as_ptr()) }
        }

        #[inline(always)]
        unsafe fn store(self, places: &mut [f32]) {
            // SAFETY: the caller guarantees the instruction set, and the slice has the 16 places
            // that are written.
            unsafe { _mm512_storeu_ps(places[..LANES].as_mut_ptr(), self) }
        }

        #[inline(always)]
        unsafe fn factors(factors: &[f32]) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { Self::load(factors) }
        }

        #[inline(always)]
        unsafe fn plus(self, x: f32, others: Self) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { _mm512_fmadd_ps(_mm512_set1_ps(x), others, self) }
        }
    }

    impl Lanes for [__m256; 2] {
        type Factor = f32;
        type Factors = Self;

        #[inline(always)]
        unsafe fn load(numbers: &[f32]) -> Self {
            let numbers = numbers[..LANES].as_ptr();
            // SAFETY: the caller guarantees the instruction set, and the slice has the 2 x 8
            // numbers that are read.
            unsafe { [_mm256_loadu_ps(numbers), _mm256_loadu_ps(numbers.add(8))] }
        }

        #[inline(always)]
        unsafe fn store(self, places: &mut [f32]) {
            let places = places[..LANES].as_mut_ptr();
            // SAFETY: the caller guarantees the instruction set, and the slice has the 2 x 8 places
            // that are written.
            unsafe {
                _mm256_storeu_ps(places, self[0]);
                _mm256_storeu_ps(places.add(8), self[1]);
            }
        }

        #[inline(always)]
        unsafe fn factors(factors: &[f32]) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { Self::load(factors) }
        }

        #[inline(always)]
        unsafe fn plus(self, x: f32, others: Self) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe {
                let x = _mm256_set1_ps(x);
                [_mm256_fmadd_ps(x, others[0], self[0]), _mm256_fmadd_ps(x, others[1], self[1])]
            }
        }
    }

    /// [`LANES`] sums of products of pairs of bf16 halves.
    #[derive(Clone, Copy)]
    pub(in super::super) struct SumsOfPairs(__m512);

    impl Lanes for SumsOfPairs {
        type Factor = u32;
        type Factors = __m512i;

        #[inline(always)]
        unsafe fn load(numbers: &[f32]) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            SumsOfPairs(unsafe { __m512::load(numbers) })
        }

        #[inline(always)]
        unsafe fn store(self, places: &mut [f32]) {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { self.0.store(places) };
        }

        #[inline(always)]
        unsafe fn factors(factors: &[u32]) -> __m512i {
            // SAFETY: the caller guarantees the instruction set, and the slice has the 16 words
            // that are read.
            unsafe { _mm512_loadu_si512(factors[..LANES].as_ptr().cast()) }
        }

        #[inline(always)]
        unsafe fn plus(self, x: u32, others: __m512i) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            SumsOfPairs(unsafe { dot(self.0, x, others) })
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::SumsOfPairs;
