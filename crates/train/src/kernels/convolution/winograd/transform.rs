//! Products of a matrix of vectors with a matrix on either side.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::matrices::{MOST_POINTS, Matrix};
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
pub(super) struct Sides<'a> {
    /// The one on the left, by which rows are combined.
    pub left: &'a Matrix,
    /// The transpose of the one on the right, by which columns are combined.
    pub right: &'a Matrix,
}

/// The vectors of all rows of the source and all columns of the target.
type Between<L> = [MaybeUninit<L>; MOST_POINTS * MOST_POINTS];

/// Evaluates `$function::<L, N>` for the `N` from 1 to [`MOST_POINTS`] that `$count` is.
macro_rules! for_count {
    ($count:expr, $function:ident($($argument:expr),*)) => {
        for_count!(@ $count, $function($($argument),*), 1 2 3 4 5 6 7 8)
    };
    (@ $count:expr, $function:ident $arguments:tt, $($number:literal)*) => {{
        const { assert!([$($number),*].len() == MOST_POINTS) };
        match $count {
            $($number => $function::<L, $number> $arguments,)*
            count => unreachable!("{count} of {MOST_POINTS} points"),
        }
    }};
}

/// Writes `start + left * source * right^T` to the vectors of the target.
///
/// # Panics
/// Panics if a slice is too short, or a part has no vectors or too many.
///
/// # Safety
/// The requirements of [`Lanes`] hold.
#[inline(always)]
pub(super) unsafe fn transform<L: Lanes>(
    sides: &Sides<'_>,
    start: &[f32; LANES],
    source: Part<'_>,
    target: PartMut<'_>,
) {
    let (from, to) = (source.vectors, target.vectors);
    from.check(source.numbers.len());
    to.check(target.numbers.len());
    let mut between: Between<L> = [const { MaybeUninit::uninit() }; MOST_POINTS * MOST_POINTS];
    // SAFETY: the caller guarantees what the lanes need. Both parts were checked, and the first
    // function writes what the second one reads.
    unsafe {
        for_count!(from.columns.len(), combine_columns(sides.right, source, to, &mut between));
        for_count!(from.rows.len(), combine_rows(sides.left, &between, from, start, target));
    }
}

/// Combines the `N` columns of the source into those of `to`, and writes them for all its rows.
///
/// # Safety
/// The requirements of [`Lanes`] hold, the source has `N` columns, and both parts were checked.
#[inline(always)]
unsafe fn combine_columns<L: Lanes, const N: usize>(
    right: &Matrix,
    source: Part<'_>,
    to: &Vectors,
    between: &mut Between<L>,
) {
    let from = source.vectors;
    for (place, column) in to.columns.clone().enumerate() {
        // SAFETY: the caller guarantees what the lanes need.
        let factors = unsafe { lanes_of::<L, N>(&right.row(column)[from.columns.start..]) };
        for row in 0..from.rows.len() {
            // SAFETY: as above. The vectors are within the source, and the rows and columns within
            // `between`, since both parts were checked.
            unsafe {
                let mut sum = L::all(0.0);
                for (column, &factor) in factors.iter().enumerate() {
                    let vector = from.place(row, column);
                    sum = sum.plus(factor, L::load(source.numbers.get_unchecked(vector..vector + LANES)));
                }
                between.get_unchecked_mut(row * MOST_POINTS + place).write(sum);
            }
        }
    }
}

/// Combines the `N` rows of `from` into those of the target.
///
/// # Safety
/// The requirements of [`Lanes`] hold, `from` has `N` rows, both parts were checked, and
/// [`combine_columns`] has written `between` for them.
#[inline(always)]
unsafe fn combine_rows<L: Lanes, const N: usize>(
    left: &Matrix,
    between: &Between<L>,
    from: &Vectors,
    start: &[f32; LANES],
    target: PartMut<'_>,
) {
    let to = target.vectors;
    for (place, row) in to.rows.clone().enumerate() {
        // SAFETY: the caller guarantees what the lanes need.
        let factors = unsafe { lanes_of::<L, N>(&left.row(row)[from.rows.start..]) };
        for column in 0..to.columns.len() {
            // SAFETY: as above. The vectors are within the target, since it was checked.
            unsafe {
                let mut sum = L::load(start);
                for (row, &factor) in factors.iter().enumerate() {
                    sum = sum.plus(factor, between.get_unchecked(row * MOST_POINTS + column).assume_init());
                }
                let vector = to.place(place, column);
                sum.store(target.numbers.get_unchecked_mut(vector..vector + LANES));
            }
        }
    }
}

/// Returns the first `N` factors as lanes, which stay in registers.
///
/// # Panics
/// Panics if there are fewer.
///
/// # Safety
/// The requirements of [`Lanes`] hold.
#[inline(always)]
unsafe fn lanes_of<L: Lanes, const N: usize>(factors: &[f32]) -> [L; N] {
    // A closure, as for `array::from_fn`, would not be compiled for the instruction set.
    // SAFETY: the caller guarantees it.
    let mut lanes = [unsafe { L::all(0.0) }; N];
    for (lanes, &factor) in lanes.iter_mut().zip(&factors[..N]) {
        // SAFETY: the caller guarantees it.
        *lanes = unsafe { L::all(factor) };
    }
    lanes
}
