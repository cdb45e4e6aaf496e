//! The nearly orthogonal matrix that Muon moves along, on the CPU.

use super::buffer::Buffer;
use super::lanes::Lanes;
use super::products::{Factors, Steps, Sums, multiply};
use doublecross_core::net::{Isa, LANES};

/// The coefficients of the quintic `a x + b x^3 + c x^5`, which takes singular values towards 1.
pub(crate) const QUINTIC: (f32, f32, f32) = (3.4445, -4.775, 2.0315);

/// The number of times that the quintic is applied.
pub(crate) const ITERATIONS: usize = 5;

/// The least norm that a matrix is divided by.
pub(crate) const LEAST_NORM: f32 = 1e-7;

/// Takes the singular values of a matrix `[rows][columns]` to about 1, by the iteration of Newton and Schulz, and
/// multiplies all numbers by `scale`. `isa` comes from [`Isa::available`].
///
/// Singular values end between 0.7 and 1.2, except for the smallest. The factor of the matrix is computed from its
/// square alone, which is smaller.
pub(crate) fn make_orthogonal(isa: Isa, matrix: &mut [f32], shape: [usize; 2], scale: f32) {
    match isa.in_floats() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an instruction set other than `Portable` comes from `Isa::available`, which asks the processor.
        Isa::Avx2 => unsafe { orthogonal_avx2(matrix, shape, scale) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 => unsafe { orthogonal_avx512(matrix, shape, scale) },
        // SAFETY: arrays of numbers need no instruction set.
        _ => unsafe { orthogonal_by::<[f32; LANES], 4>(matrix, shape, scale) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn orthogonal_avx2(matrix: &mut [f32], shape: [usize; 2], scale: f32) {
    // SAFETY: the function is compiled for the instruction set.
    unsafe { orthogonal_by::<[std::arch::x86_64::__m256; 2], 4>(matrix, shape, scale) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn orthogonal_avx512(matrix: &mut [f32], shape: [usize; 2], scale: f32) {
    // SAFETY: the function is compiled for the instruction set.
    unsafe { orthogonal_by::<std::arch::x86_64::__m512, LANES>(matrix, shape, scale) }
}

/// Does what [`make_orthogonal`] does. The sums of `ROWS` rows are in registers at a time.
///
/// # Safety
/// The requirements of [`Lanes`] hold.
#[inline(always)]
unsafe fn orthogonal_by<L: Lanes, const ROWS: usize>(matrix: &mut [f32], [rows, columns]: [usize; 2], scale: f32) {
    // `X` is the matrix or its transpose, whichever has the shorter columns. Zeros that pad it stay zeros.
    let is_wide = rows <= columns;
    let [height, width] = [rows.min(columns), rows.max(columns)].map(|size| size.next_multiple_of(LANES));
    let (mut x, mut transposed) = (Buffer::zeros(height * width), Buffer::zeros(height * width));
    let (straight, turned) = if is_wide { (&mut x, &mut transposed) } else { (&mut transposed, &mut x) };
    each_number(matrix, columns, straight, |number, place| *place = *number);
    each_number_turned(matrix, columns, turned, |number, place| *place = *number);
    let [mut square, mut step, mut factor, mut other] = [(); 4].map(|()| Buffer::unspecified(height * height));
    // SAFETY: the caller guarantees what the lanes need.
    unsafe { multiply_transposed::<L, ROWS>(width, height, &transposed, &transposed, &mut square) };
    let squares: f32 = (0..height).map(|index| square[place(height, index, index)]).sum();
    let inverse = 1.0 / squares.sqrt().max(LEAST_NORM);
    square.iter_mut().for_each(|number| *number *= inverse * inverse);
    for iteration in 0..ITERATIONS {
        // SAFETY: as above. All squares here are symmetric but for rounding. The step is on both sides of the square,
        // since what rounding takes from the symmetry grows by its own square on one.
        unsafe {
            if iteration > 0 {
                multiply_transposed::<L, ROWS>(height, height, &square, &step, &mut other);
                multiply_transposed::<L, ROWS>(height, height, &other, &step, &mut square);
            }
            let (a, b, c) = QUINTIC;
            multiply_transposed::<L, ROWS>(height, height, &square, &square, &mut step);
            step.iter_mut().zip(square.iter()).for_each(|(fourth, square)| *fourth = b * *square + c * *fourth);
            (0..height).for_each(|index| step[place(height, index, index)] += a);
            if iteration == 0 {
                factor.copy_from_slice(&step);
            } else {
                multiply_transposed::<L, ROWS>(height, height, &step, &factor, &mut other);
                std::mem::swap(&mut factor, &mut other);
            }
        }
    }
    // Products take their first factor transposed.
    for row in 0..height {
        (0..row).for_each(|column| factor.swap(place(height, row, column), place(height, column, row)));
    }
    let mut product = transposed;
    // SAFETY: as above.
    unsafe { multiply_transposed::<L, ROWS>(height, height, &factor, &x, &mut product) };
    let scale = inverse * scale;
    match is_wide {
        true => each_number(matrix, columns, &mut product, |number, place| *number = scale * *place),
        false => each_number_turned(matrix, columns, &mut product, |number, place| *number = scale * *place),
    }
}

/// Visits each number of a matrix, `[row][column]`, with its place in panels of the matrix.
#[inline(always)]
fn each_number(matrix: &mut [f32], columns: usize, panels: &mut [f32], mut visit: impl FnMut(&mut f32, &mut f32)) {
    let height = panels.len() / columns.next_multiple_of(LANES);
    for (row, numbers) in matrix.chunks_exact_mut(columns).enumerate() {
        for (panel, numbers) in numbers.chunks_mut(LANES).enumerate() {
            let places = &mut panels[place(height, row, panel * LANES)..][..LANES];
            numbers.iter_mut().zip(places).for_each(|(number, place)| visit(number, place));
        }
    }
}

/// Visits each number of a matrix, `[row][column]`, with its place in panels of the transpose.
#[inline(always)]
fn each_number_turned(
    matrix: &mut [f32],
    columns: usize,
    panels: &mut [f32],
    mut visit: impl FnMut(&mut f32, &mut f32),
) {
    let height = columns.next_multiple_of(LANES);
    for (panel, numbers) in matrix.chunks_mut(LANES * columns).enumerate() {
        for column in 0..columns {
            let places = &mut panels[place(height, column, panel * LANES)..][..LANES];
            let numbers = numbers[column..].iter_mut().step_by(columns);
            numbers.zip(places).for_each(|(number, place)| visit(number, place));
        }
    }
}

/// Returns where a number of a matrix of this height is: matrices are panels of [`LANES`] columns, row by row.
#[inline(always)]
fn place(height: usize, row: usize, column: usize) -> usize {
    (column / LANES * height + row) * LANES + column % LANES
}

/// Writes the product of the transpose of `a`, a matrix of `steps` rows and `height` columns, and `b`, of `steps` rows.
///
/// # Safety
/// The requirements of [`Lanes`] hold.
#[inline(always)]
unsafe fn multiply_transposed<L: Lanes, const ROWS: usize>(
    steps: usize,
    height: usize,
    a: &[f32],
    b: &[f32],
    product: &mut [f32],
) {
    for (b, product) in b.chunks_exact(steps * LANES).zip(product.chunks_exact_mut(height * LANES)) {
        for row in (0..height).step_by(ROWS) {
            let factors = Factors { numbers: &a[place(steps, 0, row)..], stride: LANES, row_stride: 1 };
            let vectors = Steps { numbers: b, stride: LANES };
            let sums = Sums { numbers: &mut product[row * LANES..], stride: LANES };
            // SAFETY: the caller guarantees what the lanes need.
            unsafe { multiply::<L, ROWS>(steps, factors, vectors, sums) };
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn matrix([rows, columns]: [usize; 2]) -> Vec<f32> {
        (0..rows * columns).map(|i| (i * i * 31 % 101) as f32 / 101.0 - 0.4).collect()
    }

    /// The product of `X`, the wider of a matrix and its transpose, and the transpose of `X`.
    fn square(matrix: &[f32], [rows, columns]: [usize; 2]) -> Vec<f32> {
        let (height, width) = (rows.min(columns), rows.max(columns));
        let at = |row, column| if rows <= columns { row * columns + column } else { column * columns + row };
        let dot = |a, b| (0..width).map(|column| matrix[at(a, column)] * matrix[at(b, column)]).sum();
        (0..height * height).map(|index| dot(index / height, index % height)).collect()
    }

    /// A wide matrix and a tall one, also of sizes that are no multiples of lanes, become nearly orthogonal along their
    /// shorter side, whatever their size.
    #[test]
    fn matrices_become_nearly_orthogonal() {
        for isa in Isa::available() {
            for shape in [[6, 20], [20, 6], [16, 144], [33, 32]] {
                let mut numbers: Vec<f32> = matrix(shape).iter().map(|number| 1e-3 * number).collect();
                make_orthogonal(isa, &mut numbers, shape, 0.5);
                let height = shape[0].min(shape[1]);
                for (index, number) in square(&numbers, shape).into_iter().enumerate() {
                    let expected = if index % (height + 1) == 0 { 1.0 } else { 0.0 };
                    assert!((4.0 * number - expected).abs() < 0.5, "{isa:?} {shape:?}, {index}: {number}");
                }
            }
        }
    }

    /// Along `u v^T`, a matrix of one singular value, the result is `u v^T` up to its length.
    #[test]
    fn a_single_direction_is_kept() {
        let (u, v) = ([0.6f32, -0.8], [2.0f32, -1.0, 2.0]);
        let outer: Vec<f32> = u.iter().flat_map(|u| v.iter().map(move |v| u * v)).collect();
        let mut found = outer.clone();
        make_orthogonal(Isa::Portable, &mut found, [2, 3], 1.0);
        let ratio = found[0] / outer[0];
        assert!(found.iter().zip(&outer).all(|(found, outer)| (found - ratio * outer).abs() < 1e-5), "{found:?}");
        // The length of u v^T is 3, and that of the result 1, within the accuracy of the quintic.
        assert!((0.6..1.3).contains(&(ratio * 3.0)), "{ratio}");
    }

    #[test]
    fn zeros_stay_zeros() {
        let mut zeros = vec![0.0; 32];
        make_orthogonal(Isa::fastest(), &mut zeros, [2, 16], 1.0);
        assert_eq!(zeros, [0.0; 32]);
    }
}
