//! Sixteen numbers that are computed with together, in the registers of each instruction set.

use doublecross_core::net::LANES;

/// [`LANES`] numbers.
///
/// # Safety
/// The methods may only be called in functions that are compiled for the instruction set of the
/// registers, on a processor that has it.
pub(in crate::kernels) trait Lanes: Copy {
    /// Loads the first [`LANES`] of these numbers.
    unsafe fn load(numbers: &[f32]) -> Self;

    /// Stores the numbers in the first [`LANES`] places.
    unsafe fn store(self, places: &mut [f32]);

    /// Returns the same number [`LANES`] times.
    unsafe fn all(number: f32) -> Self;

    /// Adds the products of the numbers of `a` and those of `b`.
    unsafe fn plus(self, a: Self, b: Self) -> Self;
}

impl Lanes for [f32; LANES] {
    #[inline(always)]
    unsafe fn load(numbers: &[f32]) -> Self {
        numbers.first_chunk().copied().expect("LANES numbers")
    }

    #[inline(always)]
    unsafe fn store(self, places: &mut [f32]) {
        places[..LANES].copy_from_slice(&self);
    }

    #[inline(always)]
    unsafe fn all(number: f32) -> Self {
        [number; LANES]
    }

    #[inline(always)]
    unsafe fn plus(mut self, a: Self, b: Self) -> Self {
        for ((sum, a), b) in self.iter_mut().zip(a).zip(b) {
            // On processors without a fused instruction `mul_add` is a slow function call.
            *sum = if cfg!(target_arch = "aarch64") { a.mul_add(b, *sum) } else { *sum + a * b };
        }
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    impl Lanes for __m512 {
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
        unsafe fn all(number: f32) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { _mm512_set1_ps(number) }
        }

        #[inline(always)]
        unsafe fn plus(self, a: Self, b: Self) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { _mm512_fmadd_ps(a, b, self) }
        }
    }

    impl Lanes for [__m256; 2] {
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
        unsafe fn all(number: f32) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { [_mm256_set1_ps(number); 2] }
        }

        #[inline(always)]
        unsafe fn plus(self, a: Self, b: Self) -> Self {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { [_mm256_fmadd_ps(a[0], b[0], self[0]), _mm256_fmadd_ps(a[1], b[1], self[1])] }
        }
    }
}
