//! ReLUs, residual sums and pooling over the cells of a padded grid.

use crate::float::larger;

use super::layout::{Grid, LANES, lanes, lanes_mut};

/// Returns the positive part of a number: ReLU. It is never -0, which `f32::max` may return.
#[inline(always)]
pub(super) fn positive(x: f32) -> f32 {
    larger(x, 0.0)
}

/// Applies ReLU to each value.
#[inline(always)]
pub(super) fn relu(grid_values: &mut [f32], grid: &Grid, channels: usize) {
    for cell in &grid.cells {
        for values in lanes_mut(&mut grid_values[cell * channels..][..channels]) {
            *values = values.map(positive);
        }
    }
}

/// Adds a bias to each cell, and applies ReLU.
#[inline(always)]
pub(super) fn add_relu(grid_values: &mut [f32], grid: &Grid, bias: &[f32]) {
    for cell in &grid.cells {
        for (values, bias) in lanes_mut(&mut grid_values[cell * bias.len()..][..bias.len()]).zip(lanes(bias)) {
            *values = std::array::from_fn(|i| positive(values[i] + bias[i]));
        }
    }
}

/// Adds the values of a block to its residual, and applies ReLU.
#[inline(always)]
pub(super) fn add_to(residual: &mut [f32], grid_values: &[f32], grid: &Grid, channels: usize) {
    for cell in &grid.cells {
        let places = cell * channels..(cell + 1) * channels;
        for (residual, values) in lanes_mut(&mut residual[places.clone()]).zip(lanes(&grid_values[places])) {
            *residual = std::array::from_fn(|i| positive(residual[i] + values[i]));
        }
    }
}

/// Writes each channel's mean and maximum over all cells, of the positive parts of its values, as
/// `[2][channel]`.
#[inline(always)]
pub(super) fn pool(grid_values: &[f32], grid: &Grid, channels: usize, pooled: &mut [f32]) {
    let (means, largest) = pooled.split_at_mut(channels);
    let share = 1.0 / grid.cells.len() as f32;
    for (block, (means, largest)) in lanes_mut(means).zip(lanes_mut(largest)).enumerate() {
        let (mut sums, mut most) = ([0.0; LANES], [0.0f32; LANES]);
        for cell in &grid.cells {
            let values = &grid_values[cell * channels + block * LANES..][..LANES];
            for ((sum, most), value) in sums.iter_mut().zip(&mut most).zip(values) {
                let value = positive(*value);
                *sum += value;
                *most = larger(value, *most);
            }
        }
        (*means, *largest) = (sums.map(|sum| sum * share), most);
    }
}
