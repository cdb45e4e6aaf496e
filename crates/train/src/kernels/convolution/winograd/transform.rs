//! Products of a matrix of vectors with a matrix on either side.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::axis::{AxisMap, Line, LineMut};
use super::matrices::MOST_POINTS;
use crate::kernels::lanes::Lanes;
use doublecross_core::net::LANES;

/// The places of a matrix of vectors of [`LANES`] numbers in a slice, or of a part of one. What is
/// outside of the part counts as zero.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    /// The rows of the part, 1 to [`MOST_POINTS`] of them.
    pub rows: Range<usize>,
    /// The columns of the part, 1 to [`MOST_POINTS`] of them.
    pub columns: Range<usize>,
    /// The place of the part's first vector.
    pub start: usize,
    /// The distance from a row to the next.
    pub row_stride: usize,
    /// The distance from a column to the next.
    pub column_stride: usize,
}

impl Vectors {
    /// The place of a vector of the part.
    #[inline(always)]
    fn place(&self, row: usize, column: usize) -> usize {
        self.start + row * self.row_stride + column * self.column_stride
    }

    /// Checks that the part has vectors, but not too many, and that they are in a slice of this
    /// length.
    ///
    /// # Panics
    /// Panics if not.
    #[inline(always)]
    fn check(&self, length: usize) {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        assert!((1..=MOST_POINTS).contains(&rows) && (1..=MOST_POINTS).contains(&columns));
        assert!(self.place(rows - 1, columns - 1) + LANES <= length);
    }
}

/// Numbers, and the places of vectors among them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub numbers: &'a [f32],
    pub vectors: &'a Vectors,
}

/// As [`Part`], to be written.
#[derive(Debug)]
pub(super) struct PartMut<'a> {
    pub numbers: &'a mut [f32],
    pub vectors: &'a Vectors,
}

/// The matrices on either side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides<Left, Right> {
    /// The one on the left, by which rows are combined.
    pub left: Left,
    /// The transpose of the one on the right, by which columns are combined.
    pub right: Right,
    /// The sums of a tile along the axes, from 1 to [`MOST_SUMS`](super::matrices::MOST_SUMS).
    pub sums: [usize; 2],
}

/// Evaluates an expression for the constant `SUMS` from 1 to [`MOST_SUMS`](super::matrices::MOST_SUMS) that a number is.
macro_rules! for_sums {
    ($sums:expr, $n:ident => $result:expr) => {
        for_sums!(@ $sums, $n, $result, 1 2 3 4 5 6)
    };
    (@ $sums:expr, $n:ident, $result:expr, $($number:literal)*) => {{
        const { assert!([$($number),*].len() == $crate::kernels::convolution::winograd::matrices::MOST_SUMS) };
        match $sums {
            $($number => {
                const $n: usize = $number;
                $result
            })*
            sums => unreachable!("{sums} sums"),
        }
    }};
}
#[cfg(test)]
pub(super) use for_sums;

/// Writes `left * source * right^T` to the vectors of the target.
///
/// # Panics
/// Panics if a slice is too short, or a part has no vectors or too many.
///
/// # Safety
/// The requirements of [`Lanes`] hold.
#[inline(always)]
pub(super) unsafe fn transform<L: Lanes>(
    sides: &Sides<&impl AxisMap, &impl AxisMap>,
    source: Part<'_>,
    target: PartMut<'_>,
) {
    let (from, to) = (source.vectors, target.vectors);
    from.check(source.numbers.len());
    to.check(target.numbers.len());
    // The vectors of all rows of the source and all columns of the target.
    let mut between = [const { MaybeUninit::<L>::uninit() }; MOST_POINTS * MOST_POINTS];
    let between = between.as_mut_ptr().cast::<f32>();
    // SAFETY: the caller guarantees what the lanes need. Both parts were checked, and vectors are as many numbers as
    // `LANES`. The first loop writes what the second one reads.
    unsafe {
        for_sums!(sides.sums[1], SUMS => for row in 0..from.rows.len() {
            let first = source.numbers.as_ptr().add(from.place(row, 0));
            let line = Line { first, stride: from.column_stride, places: from.columns.clone() };
            let first = between.add(row * MOST_POINTS * LANES);
            sides.right.apply::<L, SUMS>(line, LineMut { first, stride: LANES, places: to.columns.clone() });
        });
        for_sums!(sides.sums[0], SUMS => for column in 0..to.columns.len() {
            let first = between.add(column * LANES).cast_const();
            let line = Line { first, stride: MOST_POINTS * LANES, places: from.rows.clone() };
            let first = target.numbers.as_mut_ptr().add(to.place(0, column));
            sides.left.apply::<L, SUMS>(line, LineMut { first, stride: to.row_stride, places: to.rows.clone() });
        });
    }
}
