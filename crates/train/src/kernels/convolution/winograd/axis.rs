//! Products of a matrix with vectors along an axis.
//!
//! Matrices are constants, so that their products are compiled to straight lines of instructions without zeros.

use std::marker::PhantomData;
use std::ops::Range;

use super::matrices::{MOST_POINTS, Matrix, PointMatrix, points};
use crate::kernels::lanes::Lanes;
use doublecross_core::net::LANES;

/// Vectors of [`LANES`] numbers at equal distances.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub first: *const f32,
    pub stride: usize,
    /// The places of the vectors along the axis. What is at other places counts as zero.
    pub places: Range<usize>,
}

/// As [`Line`], to be written. What is at other places is not wanted.
#[derive(Clone, Debug)]
pub(super) struct LineMut {
    pub first: *mut f32,
    pub stride: usize,
    pub places: Range<usize>,
}

impl Line {
    /// # Safety
    /// The requirements of [`Lanes`] hold, and there are more vectors than `index`.
    #[inline(always)]
    unsafe fn load<L: Lanes>(&self, index: usize) -> L {
        // SAFETY: the caller guarantees it.
        unsafe { L::load(std::slice::from_raw_parts(self.first.add(index * self.stride), LANES)) }
    }
}

impl LineMut {
    /// # Safety
    /// The requirements of [`Lanes`] hold, and there are more vectors than `index`.
    #[inline(always)]
    unsafe fn store<L: Lanes>(&self, index: usize, vector: L) {
        // SAFETY: the caller guarantees it.
        unsafe { vector.store(std::slice::from_raw_parts_mut(self.first.add(index * self.stride), LANES)) }
    }
}

/// A matrix that combines the vectors of a line.
pub(super) trait AxisMap {
    /// Writes the combinations of the vectors of a line, for a tile with `SUMS` sums along the axis.
    ///
    /// # Panics
    /// Panics if a line does not have the places of the matrix.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold, and both lines have the vectors that they say.
    unsafe fn apply<L: Lanes, const SUMS: usize>(&self, from: Line, to: LineMut);
}

/// Evaluates an expression for each number below another one, which is at most [`MOST_POINTS`]. Where that one is known
/// to the compiler, so are they.
macro_rules! for_each {
    ($count:expr, $n:ident => $result:expr) => {
        for_each!(@ $count, $n, $result, 0 1 2 3 4 5 6 7)
    };
    (@ $count:expr, $n:ident, $result:expr, $($number:literal)*) => {{
        const { assert!([$($number),*].len() == MOST_POINTS) };
        $({
            let $n: usize = $number;
            if $n < $count {
                $result
            }
        })*
    }};
}

/// A matrix whose products with numbers are values at points.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtPoints<M>(PhantomData<M>);

impl<M: Matrix> AtPoints<M> {
    pub const NEW: AtPoints<M> = AtPoints(PhantomData);
}

impl<M: Matrix> AxisMap for AtPoints<M> {
    #[inline(always)]
    unsafe fn apply<L: Lanes, const SUMS: usize>(&self, from: Line, to: LineMut) {
        assert_eq!(to.places, 0..points(SUMS), "all points have values");
        let columns = M::columns(SUMS);
        // SAFETY: the caller guarantees what the lanes need, that there is a vector to read for each place, and one to
        // write for each point.
        unsafe {
            let mut vectors = [L::all(0.0); MOST_POINTS];
            if from.places == M::columns_of_one_tile(SUMS) {
                let columns = M::columns_of_one_tile(SUMS);
                for_each!(columns.end, column => if columns.contains(&column) {
                    vectors[column] = from.load(column - columns.start);
                });
                values::<L, M, SUMS>(vectors, columns, to);
            } else {
                assert!(from.places.end <= columns, "the matrix has a column for each place");
                for_each!(columns, column => if from.places.contains(&column) {
                    vectors[column] = from.load(column - from.places.start);
                });
                values::<L, M, SUMS>(vectors, 0..columns, to);
            }
        }
    }
}

/// Writes the values at all points of vectors in some columns.
///
/// The powers of opposite points, as 2 and -2, differ in the signs of odd ones alone. Their values share two sums, that
/// of even powers and that of odd ones.
///
/// # Safety
/// The requirements of [`Lanes`] hold, and there is a vector to write for each point.
#[inline(always)]
unsafe fn values<L: Lanes, M: Matrix, const SUMS: usize>(
    vectors: [L; MOST_POINTS],
    columns: Range<usize>,
    to: LineMut,
) {
    let PointMatrix { rows, opposite } = M::of::<SUMS>();
    // SAFETY: the caller guarantees it.
    unsafe {
        let (zero, one, minus_one) = (L::all(0.0), L::all(1.0), L::all(-1.0));
        for_each!(points(SUMS), point => if opposite[point].is_none_or(|other| point < other) {
            let (mut even, mut odd) = (zero, zero);
            for_each!(columns.end, column => if columns.contains(&column) && rows[point][column] != 0.0 {
                let sum = if column.is_multiple_of(2) { &mut even } else { &mut odd };
                *sum = sum.plus(L::all(rows[point][column]), vectors[column]);
            });
            to.store(point, even.plus(one, odd));
            if let Some(other) = opposite[point] {
                to.store(other, even.plus(minus_one, odd));
            }
        });
    }
}

/// The transpose of a matrix for values at points. A bias is added to its products.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfPoints<'a, M> {
    bias: &'a [f32; LANES],
    matrix: PhantomData<M>,
}

impl<M: Matrix> OfPoints<'_, M> {
    pub const WITHOUT_BIAS: OfPoints<'static, M> = OfPoints::with_bias(&[0.0; LANES]);

    pub const fn with_bias(bias: &[f32; LANES]) -> OfPoints<'_, M> {
        OfPoints { bias, matrix: PhantomData }
    }
}

impl<M: Matrix> AxisMap for OfPoints<'_, M> {
    #[inline(always)]
    unsafe fn apply<L: Lanes, const SUMS: usize>(&self, from: Line, to: LineMut) {
        let (PointMatrix { rows, opposite }, points) = (M::of::<SUMS>(), points(SUMS));
        assert_eq!(from.places, 0..points, "all points have values");
        assert!(to.places.start == 0 && to.places.end <= M::columns(SUMS), "the matrix has a column for each place");
        // SAFETY: the caller guarantees what the lanes need, and that there is a vector to read for each point.
        unsafe {
            let (one, minus_one) = (L::all(1.0), L::all(-1.0));
            // The first of two opposite points takes the sum of their values, and the second the difference.
            let mut folded = [L::all(0.0); MOST_POINTS];
            for_each!(points, point => match opposite[point] {
                None => folded[point] = from.load(point),
                Some(other) if point < other => {
                    let (x, y): (L, L) = (from.load(point), from.load(other));
                    folded[point] = x.plus(one, y);
                    folded[other] = x.plus(minus_one, y);
                }
                Some(_) => {}
            });
            for_each!(M::columns(SUMS), column => if column < to.places.end {
                let mut sum = L::load(self.bias);
                for_each!(points, point => if let Some(other) = opposite[point].filter(|&other| point < other) {
                    let place = if column.is_multiple_of(2) { point } else { other };
                    if rows[point][column] != 0.0 {
                        sum = sum.plus(L::all(rows[point][column]), folded[place]);
                    }
                });
                for_each!(points, point => if opposite[point].is_none() && rows[point][column] != 0.0 {
                    sum = sum.plus(L::all(rows[point][column]), folded[point]);
                });
                to.store(column, sum);
            });
        }
    }
}
