//! The matrices that compute the sums of a 3-tap correlation from few products.

use std::ops::Range;

/// The number of taps along an axis.
pub(super) const TAPS_OF_AXIS: usize = 3;

/// The most sums along an axis. More need numbers so far apart that rounding grows.
pub(super) const MOST_SUMS: usize = 6;

/// The most products along an axis.
pub(super) const MOST_POINTS: usize = points(MOST_SUMS);

/// Returns the number of points along an axis where a tile has this many sums: as many as it has inputs and products.
pub(super) const fn points(sums: usize) -> usize {
    sums + TAPS_OF_AXIS - 1
}

/// The points at which polynomials are evaluated, the first ones where fewer are needed. The last
/// product is always that of the point at infinity.
const POINTS: [f64; MOST_POINTS - 1] = [0.0, 1.0, -1.0, 0.5, -2.0, 2.0, -0.5];

/// A matrix with a row for each point, before it is rounded. The rest is zero.
type Rows = [[f64; MOST_POINTS]; MOST_POINTS];

/// The matrices of a 3-tap correlation with `sums` results, which takes `n = sums + 2` inputs and as
/// many products: the method F(`sums`, 3) of Winograd.
///
/// From inputs `d` and taps `g` the results are `y = A^T [(G g) * (B^T d)]`, in the names of Lavin
/// and Gray (2016, section 4.1), where `*` multiplies elementwise. The matrices evaluate polynomials
/// at `n` points and interpolate (the method of Toom and Cook, transposed). The gradient by the taps
/// is `G^T [(A dy) * (B^T d)]`.
struct AxisMatrices {
    /// `B^T`, `n x n`.
    input: PointMatrix,
    /// `G`, `n x 3`.
    taps: PointMatrix,
    /// `A`, `n x sums`.
    sums: PointMatrix,
}

/// A matrix with a row for each point.
#[derive(Debug)]
pub(super) struct PointMatrix {
    pub rows: [[f32; MOST_POINTS]; MOST_POINTS],
    /// The point whose row differs from that of this one in the signs of odd columns alone.
    pub opposite: [Option<usize>; MOST_POINTS],
}

/// One of the matrices of an axis, for tiles with any number of sums along it.
pub(super) trait Matrix {
    /// Returns the matrix.
    fn of<const SUMS: usize>() -> &'static PointMatrix;

    /// Returns the number of columns.
    fn columns(sums: usize) -> usize;

    /// Returns the columns of what is within a grid of one tile.
    fn columns_of_one_tile(sums: usize) -> Range<usize> {
        0..Self::columns(sums)
    }
}

/// The matrix of inputs, `B^T`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs;

/// The matrix of taps, `G`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taps;

/// The matrix of sums, `A`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumsOfTile;

impl Matrix for Inputs {
    #[inline(always)]
    fn of<const SUMS: usize>() -> &'static PointMatrix {
        const { &AxisMatrices::new(SUMS).input }
    }

    #[inline(always)]
    fn columns(sums: usize) -> usize {
        points(sums)
    }

    #[inline(always)]
    fn columns_of_one_tile(sums: usize) -> Range<usize> {
        // The neighbors of the first and the last cell are outside of the grid.
        1..sums + 1
    }
}

impl Matrix for Taps {
    #[inline(always)]
    fn of<const SUMS: usize>() -> &'static PointMatrix {
        const { &AxisMatrices::new(SUMS).taps }
    }

    #[inline(always)]
    fn columns(_: usize) -> usize {
        TAPS_OF_AXIS
    }
}

impl Matrix for SumsOfTile {
    #[inline(always)]
    fn of<const SUMS: usize>() -> &'static PointMatrix {
        const { &AxisMatrices::new(SUMS).sums }
    }

    #[inline(always)]
    fn columns(sums: usize) -> usize {
        sums
    }
}

impl AxisMatrices {
    const fn new(sums: usize) -> AxisMatrices {
        let finite = points(sums) - 1;
        let (mut taps, output) = (powers(finite, TAPS_OF_AXIS), powers(finite, sums));
        // The basis of interpolation: polynomials that are 1 at one point and 0 at the others.
        let mut input = [[0.0; MOST_POINTS]; MOST_POINTS];
        let mut point = 0;
        while point < finite {
            input[point] = with_zeros_at_others(finite, point);
            let (mut scale, mut other) = (1.0, 0);
            while other < finite {
                if other != point {
                    scale *= POINTS[point] - POINTS[other];
                }
                other += 1;
            }
            let mut power = 0;
            while power < finite {
                input[point][power] /= scale;
                power += 1;
            }
            point += 1;
        }
        input[finite] = with_zeros_at_others(finite, finite);
        // Numbers of about the same size lose least to rounding.
        let (mut largest, mut point) = ([0.0f64; MOST_POINTS], 0);
        while point <= finite {
            let mut power = 0;
            while power <= finite {
                largest[point] = input[point][power].abs().max(largest[point]);
                power += 1;
            }
            point += 1;
        }
        let mut point = 0;
        while point <= finite {
            // Opposite points have the same scale, so that their rows differ in signs alone.
            let (mut scale, mut other) = (largest[point], 0);
            while other < finite {
                if point < finite && POINTS[point] == -POINTS[other] {
                    scale = scale.max(largest[other]);
                }
                other += 1;
            }
            let mut power = 0;
            while power < MOST_POINTS {
                input[point][power] /= scale;
                taps[point][power] *= scale;
                power += 1;
            }
            point += 1;
        }
        AxisMatrices { input: PointMatrix::new(&input), taps: PointMatrix::new(&taps), sums: PointMatrix::new(&output) }
    }
}

impl PointMatrix {
    const fn new(numbers: &Rows) -> PointMatrix {
        let mut matrix = PointMatrix { rows: [[0.0; MOST_POINTS]; MOST_POINTS], opposite: [None; MOST_POINTS] };
        let mut point = 0;
        while point < MOST_POINTS {
            let mut column = 0;
            while column < MOST_POINTS {
                matrix.rows[point][column] = numbers[point][column] as f32;
                column += 1;
            }
            let mut other = point + 1;
            while other < MOST_POINTS {
                if are_opposite(&numbers[point], &numbers[other]) {
                    (matrix.opposite[point], matrix.opposite[other]) = (Some(other), Some(point));
                }
                other += 1;
            }
            point += 1;
        }
        matrix
    }
}

/// Returns `true` if two rows differ in the signs of odd columns, and in nothing else.
const fn are_opposite(a: &[f64; MOST_POINTS], b: &[f64; MOST_POINTS]) -> bool {
    let (mut differ, mut column) = (false, 0);
    while column < MOST_POINTS {
        let off = if column % 2 == 0 { a[column] - b[column] } else { a[column] + b[column] };
        if off.abs() >= 1e-12 {
            return false;
        }
        differ |= a[column] != b[column];
        column += 1;
    }
    differ
}

/// Returns the powers of the first `finite` points, and of the one at infinity, up to `count` of each.
const fn powers(finite: usize, count: usize) -> Rows {
    let (mut rows, mut point) = ([[0.0; MOST_POINTS]; MOST_POINTS], 0);
    while point < finite {
        let (mut power, mut number) = (0, 1.0);
        while power < count {
            rows[point][power] = number;
            number *= POINTS[point];
            power += 1;
        }
        point += 1;
    }
    rows[finite][count - 1] = 1.0;
    rows
}

/// Returns the coefficients, the constant first, of the polynomial with the leading coefficient 1 whose zeros are the
/// first `finite` points but one.
const fn with_zeros_at_others(finite: usize, without: usize) -> [f64; MOST_POINTS] {
    let mut polynomial = [0.0; MOST_POINTS];
    polynomial[0] = 1.0;
    let (mut degree, mut zero) = (0, 0);
    while zero < finite {
        if zero != without {
            degree += 1;
            let mut power = degree;
            while power > 0 {
                polynomial[power] = polynomial[power - 1] - POINTS[zero] * polynomial[power];
                power -= 1;
            }
            polynomial[0] *= -POINTS[zero];
        }
        zero += 1;
    }
    polynomial
}

#[cfg(test)]
mod tests {
    use super::super::axis::{AtPoints, AxisMap, Line, LineMut, OfPoints};
    use super::super::transform::for_sums;
    use super::*;
    use doublecross_core::net::LANES;

    /// Returns the products of a matrix for tiles of `sums` sums and numbers.
    fn times(map: &impl AxisMap, sums: usize, of: usize, numbers: &[f64]) -> Vec<f64> {
        let source: Vec<f32> = numbers.iter().flat_map(|&number| [number as f32; LANES]).collect();
        let mut target = vec![f32::NAN; of * LANES];
        let line = Line { first: source.as_ptr(), stride: LANES, places: 0..numbers.len() };
        let to = LineMut { first: target.as_mut_ptr(), stride: LANES, places: 0..of };
        // SAFETY: arrays of numbers need no instruction set, and both lines are as long as they say.
        unsafe { for_sums!(sums, SUMS => map.apply::<[f32; LANES], SUMS>(line, to)) };
        target.chunks_exact(LANES).map(|lanes| lanes[0] as f64).collect()
    }

    fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a * b).collect()
    }

    #[test]
    fn products_at_points_give_correlations_and_their_gradients() {
        let (to_sums, to_taps) = (OfPoints::<SumsOfTile>::WITHOUT_BIAS, OfPoints::<Taps>::WITHOUT_BIAS);
        for sums in 1..=MOST_SUMS {
            let points = sums + 2;
            let numbers: Vec<f64> = (0..points).map(|i| (i as f64 * 1.3).sin()).collect();
            let (taps, dy) = ([0.3, -1.1, 0.7], (0..sums).map(|i| (i as f64).cos()).collect::<Vec<_>>());
            let input = times(&AtPoints::<Inputs>::NEW, sums, points, &numbers);
            let by_points = products(&times(&AtPoints::<Taps>::NEW, sums, points, &taps), &input);
            let found = times(&to_sums, sums, sums, &by_points);
            for (start, found) in found.into_iter().enumerate() {
                let expected: f64 = taps.iter().zip(&numbers[start..]).map(|(tap, number)| tap * number).sum();
                assert!((found - expected).abs() < 1e-5, "{sums}: {found} {expected}");
            }
            let by_points = products(&times(&AtPoints::<SumsOfTile>::NEW, sums, points, &dy), &input);
            let found = times(&to_taps, sums, TAPS_OF_AXIS, &by_points);
            for (tap, found) in found.into_iter().enumerate() {
                let expected: f64 = dy.iter().zip(&numbers[tap..]).map(|(dy, number)| dy * number).sum();
                assert!((found - expected).abs() < 1e-5, "{sums}: {found} {expected}");
            }
        }
    }
}
