//! Values at points, in memory that is used again and again.

use std::cell::RefCell;
use std::mem;

use super::transform::Vectors;
use doublecross_core::net::{AlignedBuffer, LANES};

thread_local! {
    /// Buffers that this thread can use again, at most three of about a megabyte. A new one would
    /// have to be zeroed.
    static UNUSED: RefCell<Vec<AlignedBuffer<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Values at points: inputs, outputs and gradients as `[point][row][channel]`, weights as
/// `[point][block of LANES outputs][input][LANES]`.
pub(super) struct Values {
    pub numbers: AlignedBuffer<f32>,
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
        let mut numbers = UNUSED.with_borrow_mut(Vec::pop).unwrap_or_else(|| AlignedBuffer::zeros(0));
        numbers.resize(sides[0] * sides[1] * stride);
        if cfg!(test) {
            // What is not written shows in results.
            numbers.fill(f32::NAN);
        }
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
    pub fn vectors(&self, start: usize) -> Vectors {
        let [rows, columns] = self.sides;
        let (row_stride, column_stride) = (columns * self.stride, self.stride);
        Vectors { rows: 0..rows, columns: 0..columns, start, row_stride, column_stride }
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        let numbers = mem::replace(&mut self.numbers, AlignedBuffer::zeros(0));
        // A thread that ends may have no list any more.
        let _ = UNUSED.try_with(|unused| unused.borrow_mut().push(numbers));
    }
}
