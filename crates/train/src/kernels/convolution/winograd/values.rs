//! Values at points.

use super::transform::Vectors;
use crate::kernels::buffer::Buffer;
use doublecross_core::net::LANES;

/// Values at points: inputs, outputs and gradients as `[point][row][channel]`, weights of [`LANES`] outputs as
/// `[point][input][LANES]`.
pub(crate) struct Values {
    pub numbers: Buffer,
    pub channels: usize,
    /// The numbers of points along the axes.
    sides: [usize; 2],
    /// The distance from a point to the next. It is one vector more than the values take, so that
    /// the values of a row at all points seldom share a set of the cache.
    stride: usize,
}

impl Values {
    /// Returns unspecified values.
    pub fn new(sides: [usize; 2], rows: usize, channels: usize) -> Values {
        let stride = rows * channels + LANES;
        let numbers = Buffer::unspecified(sides[0] * sides[1] * stride);
        Values { numbers, channels, sides, stride }
    }

    /// The values at a point.
    pub fn point(&self, point: usize) -> &[f32] {
        &self.numbers[point * self.stride..][..self.stride - LANES]
    }

    /// The values at a point.
    pub fn point_mut(&mut self, point: usize) -> &mut [f32] {
        &mut self.numbers[point * self.stride..][..self.stride - LANES]
    }

    /// The vectors that begin at this place of every point's values.
    #[inline(always)]
    pub(super) fn vectors(&self, start: usize) -> Vectors {
        let [rows, columns] = self.sides;
        let (row_stride, column_stride) = (columns * self.stride, self.stride);
        Vectors { rows: 0..rows, columns: 0..columns, start, row_stride, column_stride }
    }
}
