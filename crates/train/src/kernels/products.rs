//! Sums of products over many vectors: the loops in which most of the time is spent.

use super::lanes::Lanes;
use doublecross_core::net::LANES;

/// Numbers, each of which is a factor of a vector: that of step `k` and row `r` is at
/// `k * stride + r * row_stride`.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernels) struct Factors<'a> {
    pub numbers: &'a [f32],
    pub stride: usize,
    pub row_stride: usize,
}

/// Vectors of [`LANES`] numbers: that of step `k` is at `k * stride`.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernels) struct Steps<'a> {
    pub numbers: &'a [f32],
    pub stride: usize,
}

/// Sums of vectors of [`LANES`] numbers: that of row `r` is at `r * stride`.
#[derive(Debug)]
pub(in crate::kernels) struct Sums<'a> {
    pub numbers: &'a mut [f32],
    pub stride: usize,
}

/// Computes, for each of `ROWS` rows, the sum over `steps` of factor times vector.
///
/// # Panics
/// Panics if a slice is too short, or if there are no steps.
///
/// # Safety
/// The requirements of [`Lanes`] hold.
#[inline(always)]
pub(in crate::kernels) unsafe fn multiply<L: Lanes, const ROWS: usize>(
    steps: usize,
    factors: Factors<'_>,
    vectors: Steps<'_>,
    sums: Sums<'_>,
) {
    assert!(steps > 0);
    assert!((steps - 1) * factors.stride + (ROWS - 1) * factors.row_stride < factors.numbers.len());
    assert!((steps - 1) * vectors.stride + LANES <= vectors.numbers.len());
    // A closure, as for `array::from_fn`, would not be compiled for the instruction set.
    // SAFETY: the caller guarantees what the lanes need.
    let mut totals = [unsafe { L::all(0.0) }; ROWS];
    for step in 0..steps {
        // SAFETY: as above; all places are below the lengths that were checked.
        unsafe {
            let start = step * vectors.stride;
            let vector = L::load(vectors.numbers.get_unchecked(start..start + LANES));
            for (row, total) in totals.iter_mut().enumerate() {
                let factor = *factors.numbers.get_unchecked(step * factors.stride + row * factors.row_stride);
                *total = total.plus(L::all(factor), vector);
            }
        }
    }
    for (row, total) in totals.iter().enumerate() {
        // SAFETY: as above.
        unsafe { total.store(&mut sums.numbers[row * sums.stride..]) };
    }
}
