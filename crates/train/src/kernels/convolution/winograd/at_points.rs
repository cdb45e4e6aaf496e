//! Numbers of grids and kernels as values at points, and back.

use super::super::TAPS;
use super::Winograd;
use super::axis::{AtPoints, OfPoints};
use super::compiled::Compiled;
use super::matrices::{Inputs, Matrix, SumsOfTile, TAPS_OF_AXIS, Taps};
use super::tiling::{Piece, Tile};
use super::transform::{Part, PartMut, Sides, Vectors};
use super::values::Values;
use doublecross_core::net::LANES;

/// The vectors of a kernel, `[tap][LANES]`.
const KERNEL: Vectors = Vectors {
    rows: 0..TAPS_OF_AXIS,
    columns: 0..TAPS_OF_AXIS,
    start: 0,
    row_stride: TAPS_OF_AXIS * LANES,
    column_stride: LANES,
};

impl Winograd {
    /// Writes weights of [`LANES`] outputs, `[input][tap][LANES]`, at the points, `[input][LANES]` at each.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    pub(super) unsafe fn weights_at_points<L: Compiled>(&self, weights: &[f32], values: &mut Values) {
        let sides = Sides { left: &AtPoints::<Taps>::NEW, right: &AtPoints::<Taps>::NEW, sums: self.sums };
        for (input, numbers) in weights.chunks_exact(TAPS * LANES).enumerate() {
            let to = values.vectors(input * LANES);
            // SAFETY: the caller guarantees what the lanes need.
            unsafe {
                let source = Part { numbers, vectors: &KERNEL };
                L::transform(&sides, source, PartMut { numbers: &mut values.numbers, vectors: &to });
            }
        }
    }

    /// Writes the gradient by weights of [`LANES`] outputs, `[LANES][inputs][tap]`, from that by their values at the
    /// points, `[input][LANES]` at each.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    pub(super) unsafe fn weights_of_points<L: Compiled>(&self, values: &Values, weights: &mut [f32]) {
        let inputs = weights.len() / (LANES * TAPS);
        let matrix = OfPoints::<Taps>::WITHOUT_BIAS;
        let sides = Sides { left: &matrix, right: &matrix, sums: self.sums };
        let mut kernels = [0.0; TAPS * LANES];
        for input in 0..inputs {
            let from = values.vectors(input * LANES);
            // SAFETY: the caller guarantees what the lanes need.
            unsafe {
                let source = Part { numbers: &values.numbers, vectors: &from };
                L::transform(&sides, source, PartMut { numbers: &mut kernels, vectors: &KERNEL });
            }
            for (lane, weights) in weights.chunks_exact_mut(inputs * TAPS).enumerate() {
                for (tap, weight) in weights[input * TAPS..][..TAPS].iter_mut().enumerate() {
                    *weight = kernels[tap * LANES + lane];
                }
            }
        }
    }

    /// Writes the inputs of positions, `[cell][channel]` each, at the points.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    pub(super) unsafe fn inputs_at_points<L: Compiled>(&self, x: &[f32], values: &mut Values) {
        // SAFETY: the caller guarantees what the lanes need.
        unsafe { self.cells_at_points::<L, Inputs>(|tile| &tile.inputs, x, values) };
    }

    /// Writes the gradients by the outputs of positions, `[cell][channel]` each, at the points.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    pub(super) unsafe fn gradients_at_points<L: Compiled>(&self, gradient: &[f32], values: &mut Values) {
        // SAFETY: the caller guarantees what the lanes need.
        unsafe { self.cells_at_points::<L, SumsOfTile>(|tile| &tile.sums, gradient, values) };
    }

    /// Writes the cells of a piece of each tile at the points.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    unsafe fn cells_at_points<L: Compiled, M: Matrix>(
        &self,
        piece: impl Fn(&Tile) -> &Piece,
        numbers: &[f32],
        values: &mut Values,
    ) {
        let sides = Sides { left: &AtPoints::<M>::NEW, right: &AtPoints::<M>::NEW, sums: self.sums };
        let channels = values.channels;
        for (position, numbers) in numbers.chunks_exact(self.cells() * channels).enumerate() {
            for (tile, row) in self.tiles.iter().zip(position * self.tiles.len()..) {
                for channel in (0..channels).step_by(LANES) {
                    let from = piece(tile).vectors(self.width, channels, channel);
                    let to = values.vectors(row * channels + channel);
                    // SAFETY: the caller guarantees what the lanes need.
                    unsafe {
                        let source = Part { numbers, vectors: &from };
                        L::transform(&sides, source, PartMut { numbers: &mut values.numbers, vectors: &to });
                    }
                }
            }
        }
    }

    /// Writes [`LANES`] channels of the outputs of positions, `[cell][channel]` each, from `first` on.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    pub(super) unsafe fn outputs_of_points<L: Compiled>(
        &self,
        values: &Values,
        bias: &[f32; LANES],
        first: usize,
        channels: usize,
        y: &mut [f32],
    ) {
        let left = OfPoints::<SumsOfTile>::with_bias(bias);
        let sides = Sides { left: &left, right: &OfPoints::<SumsOfTile>::WITHOUT_BIAS, sums: self.sums };
        for (position, y) in y.chunks_exact_mut(self.cells() * channels).enumerate() {
            for (tile, row) in self.tiles.iter().zip(position * self.tiles.len()..) {
                let from = values.vectors(row * LANES);
                let to = tile.sums.vectors(self.width, channels, first);
                // SAFETY: the caller guarantees what the lanes need.
                unsafe {
                    let source = Part { numbers: &values.numbers, vectors: &from };
                    L::transform(&sides, source, PartMut { numbers: y, vectors: &to });
                }
            }
        }
    }
}
