//! Products of a matrix with vectors along an axis.
//!
//! The powers of opposite points, as 2 and -2, differ in the signs of odd ones alone. Their values share two sums, that
//! of even powers and that of odd ones, so that two thirds of the products are enough.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::matrices::MOST_POINTS;
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
    /// Writes the combinations of the `N` vectors of a line.
    ///
    /// # Panics
    /// Panics if a line does not have the places of the matrix.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold, the first line has `N` vectors, and both lines have those that they say.
    unsafe fn apply<L: Lanes, const N: usize>(&self, from: Line, to: LineMut);
}

/// A matrix whose products with numbers are values at points. It has a row for each point.
#[derive(Clone, Debug)]
pub(super) struct AtPoints {
    points: usize,
    groups: Vec<Group>,
}

/// Points whose values come from the same two sums, those of even and of odd columns.
#[derive(Clone, Debug)]
struct Group {
    factors: [f32; MOST_POINTS],
    values: GroupValues,
}

/// The values of the points of a group.
#[derive(Clone, Copy, Debug)]
enum GroupValues {
    /// Both sums together at the first point, and their difference at the second.
    Opposite([usize; 2]),
    /// The even sum at the first point, and the odd one at the second.
    Apart([usize; 2]),
    /// Both sums together.
    Alone(usize),
}

impl AtPoints {
    /// Creates a matrix from its rows, one for each point.
    pub fn new(rows: &[Vec<f64>]) -> AtPoints {
        let mut groups = Vec::new();
        let (pairs, alone) = opposite_rows(rows);
        for [a, b] in pairs {
            groups.push(Group { factors: factors(&rows[a]), values: GroupValues::Opposite([a, b]) });
        }
        let has_only = |row: usize, parity| rows[row].iter().enumerate().all(|(k, &x)| k % 2 == parity || x == 0.0);
        let of_parity = |parity| alone.iter().copied().find(|&row| has_only(row, parity));
        let apart = of_parity(0).zip(of_parity(1));
        for row in alone.iter().copied().filter(|&row| apart.is_none_or(|(even, odd)| row != even && row != odd)) {
            groups.push(Group { factors: factors(&rows[row]), values: GroupValues::Alone(row) });
        }
        if let Some((even, odd)) = apart {
            let both: Vec<f64> = rows[even].iter().zip(&rows[odd]).map(|(even, odd)| even + odd).collect();
            groups.push(Group { factors: factors(&both), values: GroupValues::Apart([even, odd]) });
        }
        AtPoints { points: rows.len(), groups }
    }
}

impl AxisMap for AtPoints {
    #[inline(always)]
    unsafe fn apply<L: Lanes, const N: usize>(&self, from: Line, to: LineMut) {
        assert_eq!(to.places, 0..self.points, "all points have values");
        let begins_even = from.places.start.is_multiple_of(2);
        // SAFETY: the caller guarantees what the lanes need, and that there are `N` vectors to read and one to write for
        // each point.
        unsafe {
            let (one, minus_one) = (L::all(1.0), L::all(-1.0));
            let mut vectors = [L::all(0.0); N];
            for (index, vector) in vectors.iter_mut().enumerate() {
                *vector = from.load(index);
            }
            for group in &self.groups {
                let factors = &group.factors[from.places.start..][..N];
                let mut sums = [L::all(0.0); 2];
                for (index, (vector, &factor)) in vectors.iter().zip(factors).enumerate() {
                    sums[index % 2] = sums[index % 2].plus(L::all(factor), *vector);
                }
                let [even, odd] = if begins_even { sums } else { [sums[1], sums[0]] };
                match group.values {
                    GroupValues::Opposite([a, b]) => {
                        to.store(a, even.plus(one, odd));
                        to.store(b, even.plus(minus_one, odd));
                    }
                    GroupValues::Apart([a, b]) => {
                        to.store(a, even);
                        to.store(b, odd);
                    }
                    GroupValues::Alone(a) => to.store(a, even.plus(one, odd)),
                }
            }
        }
    }
}

/// The transpose of a matrix for values at points. It has a column for each point.
#[derive(Clone, Debug)]
pub(super) struct OfPoints {
    points: usize,
    /// Points that are opposite to each other.
    pairs: Vec<[usize; 2]>,
    alone: Vec<usize>,
    rows: Vec<Terms>,
}

/// The factors of a row that are not zero, with their places among the points. For a pair of points the first place is
/// that of their sum, and the second that of their difference.
#[derive(Clone, Debug)]
struct Terms {
    count: usize,
    places: [usize; MOST_POINTS],
    factors: [f32; MOST_POINTS],
}

impl OfPoints {
    /// Creates the transpose of a matrix from its rows, one for each point.
    pub fn new(rows: &[Vec<f64>]) -> OfPoints {
        let (pairs, alone) = opposite_rows(rows);
        let terms = |column: usize| {
            let places = pairs.iter().map(|pair| (pair[column % 2], rows[pair[0]][column]));
            let places = places.chain(alone.iter().map(|&row| (row, rows[row][column])));
            let mut terms = Terms { count: 0, places: [0; MOST_POINTS], factors: [0.0; MOST_POINTS] };
            for (place, factor) in places.filter(|&(_, factor)| factor != 0.0) {
                (terms.places[terms.count], terms.factors[terms.count]) = (place, factor as f32);
                terms.count += 1;
            }
            terms
        };
        let terms = (0..rows[0].len()).map(terms).collect();
        OfPoints { points: rows.len(), pairs, alone, rows: terms }
    }
}

impl AxisMap for OfPoints {
    #[inline(always)]
    unsafe fn apply<L: Lanes, const N: usize>(&self, from: Line, to: LineMut) {
        // SAFETY: the caller guarantees it.
        unsafe { WithBias { of: self, bias: &[0.0; LANES] }.apply::<L, N>(from, to) }
    }
}

/// A matrix to whose products a bias is added.
#[derive(Clone, Copy, Debug)]
pub(super) struct WithBias<'a> {
    pub of: &'a OfPoints,
    pub bias: &'a [f32; LANES],
}

impl AxisMap for WithBias<'_> {
    #[inline(always)]
    unsafe fn apply<L: Lanes, const N: usize>(&self, from: Line, to: LineMut) {
        let OfPoints { points, pairs, alone, rows } = self.of;
        assert_eq!(from.places, 0..*points, "all points have values");
        let mut folded = [const { MaybeUninit::<L>::uninit() }; MOST_POINTS];
        // SAFETY: the caller guarantees what the lanes need, and that there is a vector to read for each point. Each
        // point is in one pair or alone, so that all vectors are written before terms read them.
        unsafe {
            let (one, minus_one) = (L::all(1.0), L::all(-1.0));
            for &[a, b] in pairs {
                let (x, y): (L, L) = (from.load(a), from.load(b));
                folded.get_unchecked_mut(a).write(x.plus(one, y));
                folded.get_unchecked_mut(b).write(x.plus(minus_one, y));
            }
            for &place in alone {
                folded.get_unchecked_mut(place).write(from.load(place));
            }
            for (index, terms) in rows[to.places.clone()].iter().enumerate() {
                let mut sum = L::load(self.bias);
                for (&place, &factor) in terms.places.iter().zip(&terms.factors).take(terms.count) {
                    sum = sum.plus(L::all(factor), folded.get_unchecked(place).assume_init());
                }
                to.store(index, sum);
            }
        }
    }
}

/// Returns pairs of rows that differ in the signs of odd columns alone, and all other rows.
fn opposite_rows(rows: &[Vec<f64>]) -> (Vec<[usize; 2]>, Vec<usize>) {
    let are_opposite = |a: &[f64], b: &[f64]| {
        let off = |(column, (a, b)): (usize, (&f64, &f64))| (if column % 2 == 0 { a - b } else { a + b }).abs();
        a != b && a.iter().zip(b).enumerate().map(off).all(|off| off < 1e-12)
    };
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for a in 0..rows.len() {
        let opposite = (a + 1..rows.len()).find(|&b| are_opposite(&rows[a], &rows[b]));
        pairs.extend(opposite.map(|b| [a, b]));
    }
    let alone = (0..rows.len()).filter(|row| !pairs.as_flattened().contains(row)).collect();
    (pairs, alone)
}

/// Returns the numbers of a row, and zeros after them.
fn factors(row: &[f64]) -> [f32; MOST_POINTS] {
    std::array::from_fn(|column| row.get(column).map_or(0.0, |&number| number as f32))
}
