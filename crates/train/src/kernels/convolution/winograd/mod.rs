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

use super::loops::Channels;
use crate::kernels::products::{Factors, Steps, Sums, multiply};
use compiled::Compiled;
use doublecross_core::net::{Isa, LANES};
use matrices::AxisMatrices;
use tiling::{Tile, most_sums, tiles};
pub(crate) use values::Values;

/// The most rows that are transformed before they are multiplied: few enough to stay in the cache.
const MOST_ROWS: usize = 8;

/// Convolutions over grids of one size.
pub(crate) struct Winograd {
    height: usize,
    width: usize,
    vertical: &'static AxisMatrices,
    horizontal: &'static AxisMatrices,
    tiles: Vec<Tile>,
}

impl Winograd {
    /// Returns the convolutions over grids of this height and width.
    pub fn new(height: usize, width: usize) -> Winograd {
        let [vertical, horizontal] = [height, width].map(|cells| AxisMatrices::of(most_sums(cells)));
        Winograd { height, width, vertical, horizontal, tiles: tiles(height, width) }
    }

    /// Writes the convolution of `x`, `[position][cell][inputs]`, to `y`, `[position][cell][outputs]`. The weights are
    /// `[outputs][inputs][tap]`. `isa` comes from [`Isa::available`].
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

    /// Returns the values of a gradient by weights, to which nothing is added yet. They are unspecified.
    pub fn gradient(&self, channels: Channels) -> Values {
        Values::new(self.sides(), channels.outputs, channels.padded_inputs())
    }

    /// Adds the gradient by the weights to its values, or replaces what is there.
    ///
    /// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
    /// `[position][cell][outputs]`. `isa` comes from [`Isa::available`].
    pub fn add_weight_gradient(
        &self,
        isa: Isa,
        channels: Channels,
        x: &[f32],
        gradient: &[f32],
        sums: &mut Values,
        adds: bool,
    ) {
        match isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `convolve`.
            Isa::Avx2 => unsafe { weight_gradient_avx2(self, channels, x, gradient, sums, adds) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `convolve`.
            Isa::Avx512 => unsafe { weight_gradient_avx512(self, channels, x, gradient, sums, adds) },
            // SAFETY: as in `convolve`.
            _ => unsafe { self.weight_gradient_by::<[f32; LANES], 4>(channels, x, gradient, sums, adds) },
        }
    }

    /// Returns the gradient by the weights, `[outputs][inputs][tap]`, from its values. `isa` comes from
    /// [`Isa::available`].
    pub fn weight_gradient(&self, isa: Isa, channels: Channels, sums: &Values) -> Vec<f32> {
        match isa.in_floats() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `convolve`.
            Isa::Avx2 => unsafe { unpack_avx2(self, channels, sums) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `convolve`.
            Isa::Avx512 => unsafe { unpack_avx512(self, channels, sums) },
            // SAFETY: as in `convolve`.
            _ => unsafe { self.weights_of_points::<[f32; LANES]>(sums, channels) },
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
        let (inputs, outputs, together) = (channels.padded_inputs(), channels.outputs, self.positions_together());
        let x = padded(x, channels.inputs);
        // SAFETY: the caller guarantees what the lanes need.
        let weights = unsafe { self.weights_at_points::<L>(weights, channels) };
        // All rows of a group of `ROWS` are computed.
        let most_rows = (together * self.tiles.len()).next_multiple_of(ROWS);
        let mut source = Values::new(self.sides(), most_rows, inputs);
        let mut target = Values::new(self.sides(), most_rows, outputs);
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
    }

    /// Does what [`Winograd::add_weight_gradient`] does. The sums of `INPUTS` inputs are in registers at
    /// a time.
    ///
    /// # Safety
    /// The requirements of [`Lanes`](crate::kernels::lanes::Lanes) hold.
    #[inline(always)]
    unsafe fn weight_gradient_by<L: Compiled, const INPUTS: usize>(
        &self,
        channels: Channels,
        x: &[f32],
        gradient: &[f32],
        sums: &mut Values,
        adds: bool,
    ) {
        let (inputs, outputs, together) = (channels.padded_inputs(), channels.outputs, self.positions_together());
        let x = padded(x, channels.inputs);
        let most_rows = together * self.tiles.len();
        let mut source = Values::new(self.sides(), most_rows, inputs);
        let mut gradients = Values::new(self.sides(), most_rows, outputs);
        // As the weights' values, `[block of LANES outputs][input][LANES]` at each point.
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
                        let sums = Sums { numbers, stride: LANES, adds: adds || part > 0 };
                        // SAFETY: as above.
                        unsafe { multiply::<L, INPUTS>(rows, factors, vectors, sums) };
                    }
                }
            }
        }
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

/// Defines the functions of [`Winograd`] compiled for an instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! compile_for {
    ($features:literal, $lanes:ty, $rows:literal, $convolve:ident, $gradient:ident, $unpack:ident) => {
        #[target_feature(enable = $features)]
        fn $convolve(of: &Winograd, channels: Channels, weights: &[f32], bias: &[f32], x: &[f32], y: &mut [f32]) {
            // SAFETY: this is compiled for all that these lanes need.
            unsafe { of.convolve_by::<$lanes, $rows>(channels, weights, bias, x, y) }
        }

        #[target_feature(enable = $features)]
        fn $gradient(of: &Winograd, channels: Channels, x: &[f32], gradient: &[f32], sums: &mut Values, adds: bool) {
            // SAFETY: as above.
            unsafe { of.weight_gradient_by::<$lanes, $rows>(channels, x, gradient, sums, adds) }
        }

        #[target_feature(enable = $features)]
        fn $unpack(of: &Winograd, channels: Channels, sums: &Values) -> Vec<f32> {
            // SAFETY: as above.
            unsafe { of.weights_of_points::<$lanes>(sums, channels) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compile_for!("avx2,fma", [__m256; 2], 4, convolve_avx2, weight_gradient_avx2, unpack_avx2);
#[cfg(target_arch = "x86_64")]
compile_for!("avx512f", __m512, 8, convolve_avx512, weight_gradient_avx512, unpack_avx512);
