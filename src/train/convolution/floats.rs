//! The gradient by the weights in f32.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};

use super::positions::TAPS;
use super::sum::Sum;
use crate::net::{Grid, Isa, LANES};

/// The number of positions whose products are added to one group of sums before the next: few
/// enough to stay in the cache.
const TOGETHER: usize = 2;

/// Adds the products of a batch to sums, `[block of LANES outputs][tap][input][LANES]`; see
/// [`Sum`].
///
/// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
/// `[position][cell][outputs]`. `isa` comes from [`Isa::available`].
pub(super) fn add_products(
    isa: Isa,
    grid: &Grid,
    [inputs, outputs]: [usize; 2],
    x: &[f32],
    gradient: &[f32],
    sums: &mut [f32],
) {
    let mut padded = vec![0.0; TOGETHER * grid.places * inputs];
    let cells = grid.cells.len();
    for (x, gradient) in x.chunks(TOGETHER * cells * inputs).zip(gradient.chunks(TOGETHER * cells * outputs)) {
        for (position, padded) in x.chunks_exact(cells * inputs).zip(padded.chunks_exact_mut(grid.places * inputs)) {
            grid.pad(inputs, position, padded);
        }
        let (offsets, places) = (grid.offsets(TAPS), grid.places);
        let sum = Sum { offsets, cells: &grid.cells, places, inputs, outputs, padded: &padded, gradient };
        match isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an instruction set other than `Portable` comes from `Isa::available`, which
            // asks the processor.
            Isa::Avx2 => unsafe { add_avx2(&sum, sums) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 => unsafe { add_avx512(&sum, sums) },
            // SAFETY: arrays of numbers need no instruction set.
            _ => unsafe { sum.add::<[f32; LANES], 4>(sums) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_avx2(sum: &Sum<'_, f32>, sums: &mut [f32]) {
    // SAFETY: this is compiled for AVX2 and FMA, which is all that these lanes need.
    unsafe { sum.add::<[__m256; 2], 4>(sums) };
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn add_avx512(sum: &Sum<'_, f32>, sums: &mut [f32]) {
    // SAFETY: this is compiled for AVX-512, which is all that these lanes need.
    unsafe { sum.add::<__m512, 16>(sums) };
}
