//! The kernel's size, and the walk over the positions of a batch.

use crate::net::Grid;

/// The number of taps of a 3x3 kernel.
pub(super) const TAPS: usize = 9;

/// Applies a layer to each position's padded grid, and returns the cells of one position after the
/// other.
///
/// `x` is `[position][cell][inputs]`, and the result `[position][cell][outputs]`.
pub(super) fn for_each_position(
    grid: &Grid,
    [inputs, outputs]: [usize; 2],
    x: &[f32],
    mut apply: impl FnMut(&[f32], &mut [f32]),
) -> Vec<f32> {
    let (mut input, mut output) = (vec![0.0; grid.places * inputs], vec![0.0; grid.places * outputs]);
    let mut y = Vec::with_capacity(x.len() / inputs * outputs);
    for position in x.chunks_exact(grid.cells.len() * inputs) {
        grid.pad(inputs, position, &mut input);
        apply(&input, &mut output);
        grid.cells.iter().for_each(|cell| y.extend_from_slice(&output[cell * outputs..][..outputs]));
    }
    y
}
