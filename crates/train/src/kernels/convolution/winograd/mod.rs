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
mod compiled;
mod lanes;
mod matrices;
mod products;
mod tiling;
mod transform;
mod values;

use std::borrow::Cow;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};

use compiled::Compiled;
use doublecross_core::net::{Isa, LANES};
use matrices::AxisMatrices;
use products::{Factors, Steps, Sums, multiply};
use tiling::{Tile, most_sums, tiles};
use values::Values;

/// The most rows that are transformed before they are multiplied: few enough to stay in the cache.
const MOST_ROWS: usize = 16;

/// Convolutions over grids of one size.
pub(crate) struct Winograd {
    height: usize,
    width: usize,
    vertical: &'static AxisMatrices,
    horizontal: &'static AxisMatrices,
    tiles: Vec<Tile>,
}

/// The numbers of channels of a convolution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    pub inputs: usize,
    /// A multiple of [`LANES`].
    pub outputs: usize,
}

impl Channels {
    /// The inputs that are computed with, a multiple of [`LANES`]. Further ones are zeros.
    fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(LANES)
    }
}

impl Winograd {
    /// Returns the convolutions over grids of this height and width.
    pub fn new(height: usize, width: usize) -> Winograd {
        let [vertical, horizontal] = [height, width].map(|cells| AxisMatrices::of(most_sums(cells)));
        Winograd { height, width, vertical, horizontal, tiles: tiles(height, width) }
    }

    /// Returns the convolution of `x`, `[position][cell][outputs]`.
    ///
    /// `x` is `[position][cell][inputs]`, and the weights are `[outputs][inputs][tap]`. `isa` comes
    /// from [`Isa::available`].
    pub fn convolve(&self, isa: Isa, channels: Channels, x: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
        match isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an instruction set other than `Portable` comes from `Isa::available`, which
            // asks the processor.
            Isa::Avx2 => unsafe { convolve_avx2(self, channels, x, weights, bias) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx512 => unsafe { convolve_avx512(self, channels, x, weights, bias) },
            // SAFETY: arrays of numbers need no instruction set.
            _ => unsafe { self.convolve_by::<[f32; LANES], 4>(channels, x, weights, bias) },
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

    /// Returns what [`Winograd::convolve`] does. The sums of `ROWS` rows are in registers at a time.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    unsafe fn convolve_by<L: Compiled, const ROWS: usize>(
        &self,
        channels: Channels,
        x: &[f32],
        weights: &[f32],
        bias: &[f32],
    ) -> Vec<f32> {
        let (inputs, outputs, together) = (channels.padded_inputs(), channels.outputs, self.positions_together());
        let x = padded(x, channels.inputs);
        // SAFETY: the caller guarantees what the lanes need.
        let weights = unsafe { self.weights_at_points::<L>(weights, channels) };
        // All rows of a group of `ROWS` are computed.
        let most_rows = (together * self.tiles.len()).next_multiple_of(ROWS);
        let mut source = Values::new(self.sides(), most_rows, inputs);
        let mut target = Values::new(self.sides(), most_rows, outputs);
        let mut y = vec![0.0; x.len() / inputs * outputs];
        let parts_of_y = y.chunks_mut(together * self.cells() * outputs);
        for (x, y) in x.chunks(together * self.cells() * inputs).zip(parts_of_y) {
            // SAFETY: as above.
            unsafe { self.inputs_at_points::<L>(x, &mut source) };
            let rows = x.len() / (self.cells() * inputs) * self.tiles.len();
            for point in 0..self.points() {
                let (source, weights, target) = (source.point(point), weights.point(point), target.point_mut(point));
                for (block, weights) in weights.chunks_exact(inputs * LANES).enumerate() {
                    let vectors = Steps { numbers: weights, stride: LANES };
                    for row in (0..rows).step_by(ROWS) {
                        let factors = Factors { numbers: &source[row * inputs..], stride: 1, row_stride: inputs };
                        let numbers = &mut target[row * outputs + block * LANES..];
                        let sums = Sums { numbers, stride: outputs, adds: false };
                        // SAFETY: as above.
                        unsafe { multiply::<L, ROWS>(inputs, factors, vectors, sums) };
                    }
                }
            }
            // SAFETY: as above.
            unsafe { self.outputs_of_points::<L>(&target, bias, y) };
        }
        y
    }

    /// Returns what [`Winograd::weight_gradient`] does. The sums of `INPUTS` inputs are in registers at
    /// a time.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    unsafe fn weight_gradient_by<L: Compiled, const INPUTS: usize>(
        &self,
        channels: Channels,
        x: &[f32],
        gradient: &[f32],
    ) -> Vec<f32> {
        let (inputs, outputs, together) = (channels.padded_inputs(), channels.outputs, self.positions_together());
        let x = padded(x, channels.inputs);
        let most_rows = together * self.tiles.len();
        let mut source = Values::new(self.sides(), most_rows, inputs);
        let mut gradients = Values::new(self.sides(), most_rows, outputs);
        // As the weights' values, `[block of LANES outputs][input][LANES]` at each point.
        let mut sums = Values::new(self.sides(), outputs, inputs);
        let parts = x.chunks(together * self.cells() * inputs).zip(gradient.chunks(together * self.cells() * outputs));
        for (part, (x, gradient)) in parts.enumerate() {
            // SAFETY: the caller guarantees what the lanes need.
            unsafe {
                self.inputs_at_points::<L>(x, &mut source);
                self.gradients_at_points::<L>(gradient, &mut gradients);
            }
            let rows = x.len() / (self.cells() * inputs) * self.tiles.len();
            for point in 0..self.points() {
                let (source, gradients, sums) = (source.point(point), gradients.point(point), sums.point_mut(point));
                for (block, sums) in sums.chunks_exact_mut(inputs * LANES).enumerate() {
                    let vectors = Steps { numbers: &gradients[block * LANES..], stride: outputs };
                    for (first, numbers) in (0..).step_by(INPUTS).zip(sums.chunks_exact_mut(INPUTS * LANES)) {
                        let factors = Factors { numbers: &source[first..], stride: inputs, row_stride: 1 };
                        let sums = Sums { numbers, stride: LANES, adds: part > 0 };
                        // SAFETY: as above.
                        unsafe { multiply::<L, INPUTS>(rows, factors, vectors, sums) };
                    }
                }
            }
        }
        // SAFETY: as above.
        unsafe { self.weights_of_points::<L>(&sums, channels) }
    }

    /// The number of cells of a grid.
    fn cells(&self) -> usize {
        self.height * self.width
    }

    /// The numbers of points along the axes.
    fn sides(&self) -> [usize; 2] {
        [self.vertical.points, self.horizontal.points]
    }

    /// The number of points.
    fn points(&self) -> usize {
        self.vertical.points * self.horizontal.points
    }

    /// The most positions that are transformed together.
    fn positions_together(&self) -> usize {
        (MOST_ROWS / self.tiles.len()).max(1)
    }
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn convolve_avx2(of: &Winograd, channels: Channels, x: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    // SAFETY: this is compiled for AVX2 and FMA, which is all that these lanes need.
    unsafe { of.convolve_by::<[__m256; 2], 4>(channels, x, weights, bias) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn convolve_avx512(of: &Winograd, channels: Channels, x: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    // SAFETY: this is compiled for AVX-512, which is all that these lanes need.
    unsafe { of.convolve_by::<__m512, 8>(channels, x, weights, bias) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn weight_gradient_avx2(of: &Winograd, channels: Channels, x: &[f32], gradient: &[f32]) -> Vec<f32> {
    // SAFETY: as in `convolve_avx2`.
    unsafe { of.weight_gradient_by::<[__m256; 2], 4>(channels, x, gradient) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn weight_gradient_avx512(of: &Winograd, channels: Channels, x: &[f32], gradient: &[f32]) -> Vec<f32> {
    // SAFETY: as in `convolve_avx512`.
    unsafe { of.weight_gradient_by::<__m512, 8>(channels, x, gradient) }
}
