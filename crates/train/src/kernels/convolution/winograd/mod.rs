//! The 3x3 convolution and its gradient by the weights over a batch, in f32 by Winograd's method
//! (Lavin and Gray, *Fast Algorithms for Convolutional Neural Networks*, 2016, section 4).
//!
//! Grids of up to 6x6 cells are one tile. The 36 cells of 5x5 boxes take 64 products for each pair
//! of an input and an output channel instead of 324
//! (docs/experiments/learning.md#n83).
//!
//! The sums of a tile are the coefficients of a product of polynomials, which can be had from their
//! values at a few points. Inputs, weights and gradients are transformed into values at these
//! points, where a row of values is a tile of a position. Values are multiplied only by values at
//! the same point, so that the sums over channels or positions are one product of matrices for each
//! point.

mod at_points;
mod axis;
mod compiled;
mod matrices;
mod tiling;
mod transform;
mod values;

use std::borrow::Cow;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};

use super::TAPS;
use super::loops::Channels;
use crate::kernels::products::{Factors, Steps, Sums, multiply};
use compiled::Compiled;
use doublecross_core::net::{Isa, LANES};
use matrices::points;
use tiling::{Tile, most_sums, tiles};
use values::Values;

/// Convolutions over grids of one size.
pub(crate) struct Winograd {
    height: usize,
    width: usize,
    /// The sums of a tile along the axes.
    sums: [usize; 2],
    tiles: Vec<Tile>,
}

impl Winograd {
    /// Returns the convolutions over grids of this height and width.
    pub fn new(height: usize, width: usize) -> Winograd {
        Winograd { height, width, sums: [height, width].map(most_sums), tiles: tiles(height, width) }
    }

    /// Writes the convolution of `x`, `[position][cell][inputs]`, to `y`, `[position][cell][outputs]`. The weights come
    /// from [`pack`], and `isa` from [`Isa::available`].
    ///
    /// The weights' values at the points take seven times the memory of the weights. They are computed at each call,
    /// which is faster than reading them from beyond the cache.
    pub fn convolve(&self, isa: Isa, channels: Channels, weights: &[f32], bias: &[f32], x: &[f32], y: &mut [f32]) {
        match isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an instruction set other than `Portable` comes from `Isa::available`, which
            // asks the processor.
            Isa::Avx2 => unsafe { convolve_avx2(self, channels, weights, bias, x, y) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 => unsafe { convolve_avx512(self, channels, weights, bias, x, y) },
            // SAFETY: arrays of numbers need no instruction set.
            _ => unsafe { self.convolve_by::<[f32; LANES], 4>(channels, weights, bias, x, y) },
        }
    }

    /// Returns the gradient by the weights, `[outputs][inputs][tap]`.
    ///
    /// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
    /// `[position][cell][outputs]`. `isa` comes from [`Isa::available`].
    pub fn weight_gradient(&self, isa: Isa, channels: Channels, x: &[f32], gradient: &[f32]) -> Vec<f32> {
        match isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `convolve`.
            Isa::Avx2 => unsafe { weight_gradient_avx2(self, channels, x, gradient) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `convolve`.
            Isa::Avx512 => unsafe { weight_gradient_avx512(self, channels, x, gradient) },
            // SAFETY: as in `convolve`.
            _ => unsafe { self.weight_gradient_by::<[f32; LANES], 4>(channels, x, gradient) },
        }
    }

    /// Does what [`Winograd::convolve`] does. The sums of `ROWS` rows are in registers at a time.
    ///
    /// # Safety
    /// The requirements of [`Lanes`](crate::kernels::lanes::Lanes) hold.
    #[inline(always)]
    unsafe fn convolve_by<L: Compiled, const ROWS: usize>(
        &self,
        channels: Channels,
        weights: &[f32],
        bias: &[f32],
        x: &[f32],
        y: &mut [f32],
    ) {
        let (inputs, outputs) = (channels.padded_inputs(), channels.outputs);
        let x = padded(x, channels.inputs);
        let rows = self.rows(&x, inputs);
        // All rows of a group of `ROWS` are computed.
        let all_rows = rows.next_multiple_of(ROWS);
        let mut source = Values::new(self.sides(), all_rows, inputs);
        let mut target = Values::new(self.sides(), all_rows, LANES);
        let mut kernels = Values::new(self.sides(), inputs, LANES);
        // SAFETY: the caller guarantees what the lanes need.
        unsafe { self.inputs_at_points::<L>(&x, &mut source) };
        let blocks = weights.chunks_exact(inputs * TAPS * LANES).zip(bias.as_chunks().0);
        for (first, (weights, bias)) in (0..).step_by(LANES).zip(blocks) {
            // SAFETY: as above.
            unsafe { self.weights_at_points::<L>(weights, &mut kernels) };
            for point in 0..self.points() {
                let (source, target) = (source.point(point), target.point_mut(point));
                let vectors = Steps { numbers: kernels.point(point), stride: LANES };
                for row in (0..rows).step_by(ROWS) {
                    let factors = Factors { numbers: &source[row * inputs..], stride: 1, row_stride: inputs };
                    let sums = Sums { numbers: &mut target[row * LANES..], stride: LANES };
                    // SAFETY: as above.
                    unsafe { multiply::<L, ROWS>(inputs, factors, vectors, sums) };
                }
            }
            // SAFETY: as above.
            unsafe { self.outputs_of_points::<L>(&target, bias, first, outputs, y) };
        }
    }

    /// Does what [`Winograd::weight_gradient`] does. The sums of `INPUTS` inputs are in registers at a time.
    ///
    /// # Safety
    /// The requirements of [`Lanes`](crate::kernels::lanes::Lanes) hold.
    #[inline(always)]
    unsafe fn weight_gradient_by<L: Compiled, const INPUTS: usize>(
        &self,
        channels: Channels,
        x: &[f32],
        gradient: &[f32],
    ) -> Vec<f32> {
        let (inputs, outputs) = (channels.padded_inputs(), channels.outputs);
        let x = padded(x, channels.inputs);
        let rows = self.rows(&x, inputs);
        let mut source = Values::new(self.sides(), rows, inputs);
        let mut gradients = Values::new(self.sides(), rows, outputs);
        let mut kernels = Values::new(self.sides(), inputs, LANES);
        // SAFETY: the caller guarantees what the lanes need.
        unsafe {
            self.inputs_at_points::<L>(&x, &mut source);
            self.gradients_at_points::<L>(gradient, &mut gradients);
        }
        let mut by_weights = vec![0.0; outputs * channels.inputs * TAPS];
        let blocks = by_weights.chunks_exact_mut(LANES * channels.inputs * TAPS);
        for (first, by_weights) in (0..).step_by(LANES).zip(blocks) {
            for point in 0..self.points() {
                let (source, kernels) = (source.point(point), kernels.point_mut(point));
                let vectors = Steps { numbers: &gradients.point(point)[first..], stride: outputs };
                for (input, numbers) in (0..).step_by(INPUTS).zip(kernels.chunks_exact_mut(INPUTS * LANES)) {
                    let factors = Factors { numbers: &source[input..], stride: inputs, row_stride: 1 };
                    // SAFETY: as above.
                    unsafe { multiply::<L, INPUTS>(rows, factors, vectors, Sums { numbers, stride: LANES }) };
                }
            }
            // SAFETY: as above.
            unsafe { self.weights_of_points::<L>(&kernels, by_weights) };
        }
        by_weights
    }

    /// The number of cells of a grid.
    fn cells(&self) -> usize {
        self.height * self.width
    }

    /// The numbers of points along the axes.
    fn sides(&self) -> [usize; 2] {
        self.sums.map(points)
    }

    /// The number of points.
    fn points(&self) -> usize {
        self.sides().iter().product()
    }

    /// The number of rows of values for these positions.
    fn rows(&self, x: &[f32], inputs: usize) -> usize {
        x.len() / (self.cells() * inputs) * self.tiles.len()
    }
}

/// Returns weights `[outputs][inputs][tap]` as `[block of LANES outputs][input][tap][LANES]`, with zeros for inputs up to
/// a multiple of [`LANES`].
pub(super) fn pack(channels: Channels, weights: &[f32]) -> Vec<f32> {
    let (inputs, padded) = (channels.inputs, channels.padded_inputs());
    let mut packed = vec![0.0; channels.outputs * padded * TAPS];
    let blocks = packed.chunks_exact_mut(padded * TAPS * LANES).zip(weights.chunks_exact(LANES * inputs * TAPS));
    for (packed, weights) in blocks {
        for (lane, weights) in weights.chunks_exact(inputs * TAPS).enumerate() {
            packed.iter_mut().skip(lane).step_by(LANES).zip(weights).for_each(|(place, weight)| *place = *weight);
        }
    }
    packed
}

/// Returns numbers `[cell][channel]` with zeros for further channels, up to a multiple of
/// [`LANES`].
fn padded(x: &[f32], channels: usize) -> Cow<'_, [f32]> {
    if channels.is_multiple_of(LANES) {
        return x.into();
    }
    let all = channels.next_multiple_of(LANES);
    let mut padded = vec![0.0; x.len() / channels * all];
    for (x, place) in x.chunks_exact(channels).zip(padded.chunks_exact_mut(all)) {
        place[..channels].copy_from_slice(x);
    }
    padded.into()
}

/// Defines the functions of [`Winograd`] compiled for an instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! compile_for {
    ($features:literal, $lanes:ty, $rows:literal, $convolve:ident, $gradient:ident) => {
        #[target_feature(enable = $features)]
        fn $convolve(of: &Winograd, channels: Channels, weights: &[f32], bias: &[f32], x: &[f32], y: &mut [f32]) {
            // SAFETY: this is compiled for all that these lanes need.
            unsafe { of.convolve_by::<$lanes, $rows>(channels, weights, bias, x, y) }
        }

        #[target_feature(enable = $features)]
        fn $gradient(of: &Winograd, channels: Channels, x: &[f32], gradient: &[f32]) -> Vec<f32> {
            // SAFETY: as above.
            unsafe { of.weight_gradient_by::<$lanes, $rows>(channels, x, gradient) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compile_for!("avx2,fma", [__m256; 2], 4, convolve_avx2, weight_gradient_avx2);
#[cfg(target_arch = "x86_64")]
compile_for!("avx512f", __m512, 8, convolve_avx512, weight_gradient_avx512);
