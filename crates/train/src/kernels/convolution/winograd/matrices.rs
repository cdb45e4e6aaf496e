//! The matrices that compute the sums of a 3-tap correlation from few products.

use std::sync::LazyLock;

use super::axis::{AtPoints, OfPoints};

/// The number of taps along an axis.
pub(super) const TAPS_OF_AXIS: usize = 3;

/// The most sums along an axis. More need numbers so far apart that rounding grows.
pub(super) const MOST_SUMS: usize = 6;

/// The most products along an axis.
pub(super) const MOST_POINTS: usize = MOST_SUMS + TAPS_OF_AXIS - 1;

/// The points at which polynomials are evaluated, the first ones where fewer are needed. The last
/// product is always that of the point at infinity.
const POINTS: [f64; MOST_POINTS - 1] = [0.0, 1.0, -1.0, 0.5, -2.0, 2.0, -0.5];

/// The matrices of a 3-tap correlation with `sums` results, which takes `n = sums + 2` inputs and as
/// many products: the method F(`sums`, 3) of Winograd.
///
/// From inputs `d` and taps `g` the results are `y = A^T [(G g) * (B^T d)]`, in the names of Lavin
/// and Gray (2016, section 4.1), where `*` multiplies elementwise. The matrices evaluate polynomials
/// at `n` points and interpolate (the method of Toom and Cook, transposed). The gradient by the taps
/// is `G^T [(A dy) * (B^T d)]`.
#[derive(Clone, Debug)]
pub(super) struct AxisMatrices {
    /// `B^T`, `n x n`.
    pub input: AtPoints,
    /// `G`, `n x 3`.
    pub taps: AtPoints,
    /// `A^T`, `sums x n`.
    pub output: OfPoints,
    /// `A`, `n x sums`.
    pub gradient: AtPoints,
    /// `G^T`, `3 x n`.
    pub tap_gradient: OfPoints,
    /// The number of products.
    pub points: usize,
}

/// The matrices for each number of results, from 1 on.
static MATRICES: LazyLock<[AxisMatrices; MOST_SUMS]> =
    LazyLock::new(|| std::array::from_fn(|index| AxisMatrices::new(index + 1)));

impl AxisMatrices {
    /// Returns the matrices for `sums` results, from 1 to [`MOST_SUMS`].
    pub fn of(sums: usize) -> &'static AxisMatrices {
        &MATRICES[sums - 1]
    }

    fn new(sums: usize) -> AxisMatrices {
        let points = &POINTS[..sums + TAPS_OF_AXIS - 2];
        let powers = |count: usize| {
            let infinite = (0..count).map(|power| (power + 1 == count) as u8 as f64).collect();
            let of_point =
                |point: &f64| std::iter::successors(Some(1.0), |power| Some(power * point)).take(count).collect();
            points.iter().map(of_point).chain([infinite]).collect::<Vec<Vec<f64>>>()
        };
        // The basis of interpolation: polynomials that are 1 at one point and 0 at the others.
        let mut input: Vec<Vec<f64>> = points
            .iter()
            .map(|&point| {
                let others = points.iter().filter(|&&other| other != point);
                let scale = others.clone().map(|other| point - other).product::<f64>();
                let mut basis: Vec<f64> = with_zeros_at(others).iter().map(|number| number / scale).collect();
                basis.push(0.0);
                basis
            })
            .collect();
        input.push(with_zeros_at(points.iter()));
        let (mut taps, output) = (powers(TAPS_OF_AXIS), powers(sums));
        // Numbers of about the same size lose least to rounding.
        let largest: Vec<f64> = input.iter().map(|row| row.iter().fold(0.0, |most, x| x.abs().max(most))).collect();
        for (point, (input, taps)) in input.iter_mut().zip(&mut taps).enumerate() {
            // Opposite points have the same scale, so that their rows differ in signs alone.
            let opposite = points.iter().position(|&other| points.get(point) == Some(&-other));
            let scale = largest[point].max(largest[opposite.unwrap_or(point)]);
            input.iter_mut().for_each(|number| *number /= scale);
            taps.iter_mut().for_each(|number| *number *= scale);
        }
        AxisMatrices {
            input: AtPoints::new(&input),
            taps: AtPoints::new(&taps),
            output: OfPoints::new(&output),
            gradient: AtPoints::new(&output),
            tap_gradient: OfPoints::new(&taps),
            points: points.len() + 1,
        }
    }
}

/// Returns the coefficients, the constant first, of the polynomial with these zeros and the leading
/// coefficient 1.
fn with_zeros_at<'a>(zeros: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    zeros.fold(vec![1.0], |polynomial, zero| {
        let mut product = vec![0.0; polynomial.len() + 1];
        for (power, coefficient) in polynomial.iter().enumerate() {
            product[power] -= zero * coefficient;
            product[power + 1] += coefficient;
        }
        product
    })
}

#[cfg(test)]
mod tests {
    use super::super::axis::{AxisMap, Line, LineMut};
    use super::super::transform::for_count;
    use super::*;
    use doublecross_core::net::LANES;

    /// Returns the products of a matrix and numbers.
    fn times(map: &impl AxisMap, of: usize, numbers: &[f64]) -> Vec<f64> {
        let source: Vec<f32> = numbers.iter().flat_map(|&number| [number as f32; LANES]).collect();
        let mut target = vec![f32::NAN; of * LANES];
        let line = Line { first: source.as_ptr(), stride: LANES, places: 0..numbers.len() };
        let to = LineMut { first: target.as_mut_ptr(), stride: LANES, places: 0..of };
        // SAFETY: arrays of numbers need no instruction set, and both lines are as long as they say.
        unsafe { for_count!(numbers.len(), N => map.apply::<[f32; LANES], N>(line, to)) };
        target.chunks_exact(LANES).map(|lanes| lanes[0] as f64).collect()
    }

    fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a * b).collect()
    }

    #[test]
    fn products_at_points_give_correlations_and_their_gradients() {
        for sums in 1..=MOST_SUMS {
            let matrices = AxisMatrices::of(sums);
            assert_eq!(matrices.points, sums + 2);
            let numbers: Vec<f64> = (0..matrices.points).map(|i| (i as f64 * 1.3).sin()).collect();
            let (taps, dy) = ([0.3, -1.1, 0.7], (0..sums).map(|i| (i as f64).cos()).collect::<Vec<_>>());
            let points = matrices.points;
            let input = times(&matrices.input, points, &numbers);
            let by_points = products(&times(&matrices.taps, points, &taps), &input);
            let found = times(&matrices.output, sums, &by_points);
            for (start, found) in found.into_iter().enumerate() {
                let expected: f64 = taps.iter().zip(&numbers[start..]).map(|(tap, number)| tap * number).sum();
                assert!((found - expected).abs() < 1e-5, "{sums}: {found} {expected}");
            }
            let by_points = products(&times(&matrices.gradient, points, &dy), &input);
            let found = times(&matrices.tap_gradient, TAPS_OF_AXIS, &by_points);
            for (tap, found) in found.into_iter().enumerate() {
                let expected: f64 = dy.iter().zip(&numbers[tap..]).map(|(dy, number)| dy * number).sum();
                assert!((found - expected).abs() < 1e-5, "{sums}: {found} {expected}");
            }
        }
    }
}
