//! Convolutions over a batch and their gradient by the weights in bf16: by AVX-512's dot products of pairs, sums in f32.

use super::lanes::OfHalves;
use super::loops::{TAPS, TOGETHER, for_each_position};
use super::sum::Sum;
use crate::net::{FloatLayer, Grid, Lines, PairLayer, apply_pairs, write_pairs};

/// What a layer makes of `x`, `[position][cell][inputs]`: `[position][cell][outputs]`.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) fn convolve(grid: &Grid, layer: &FloatLayer, x: &[f32]) -> Vec<f32> {
    let (pairs, mut words) = (PairLayer::new(&layer.packed, layer.inputs), Lines::zeros(0));
    for_each_position(grid, [layer.inputs, layer.bias.len()], x, |input, output| {
        apply_pairs(layer, &pairs, grid, input, output, &mut words)
    })
}

/// Adds what [`Sum`] adds to the sums of `[block of LANES outputs][tap][input][LANES]`, two neighbours of a row at once.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) fn add_products(grid: &Grid, [inputs, outputs]: [usize; 2], x: &[f32], gradient: &[f32], sums: &mut [f32]) {
    let firsts = first_cells(grid);
    let (places, cells) = (grid.places, grid.cells.len());
    let mut padded = vec![0.0; places * inputs.max(outputs)];
    let mut of_inputs = vec![0; TOGETHER * places * inputs];
    let mut of_gradients = vec![0; TOGETHER * firsts.len() * outputs];
    for (x, gradient) in x.chunks(TOGETHER * cells * inputs).zip(gradient.chunks(TOGETHER * cells * outputs)) {
        let positions = x.len() / (cells * inputs);
        let padded_inputs = &mut padded[..places * inputs];
        padded_inputs.fill(0.0);
        for (x, words) in x.chunks_exact(cells * inputs).zip(of_inputs.chunks_exact_mut(places * inputs)) {
            grid.pad(inputs, x, padded_inputs);
            // The last place has no neighbour, and is of the border.
            write_pairs(padded_inputs, &padded_inputs[inputs..], words);
        }
        let padded_gradients = &mut padded[..places * outputs];
        padded_gradients.fill(0.0);
        let all = of_gradients.chunks_exact_mut(firsts.len() * outputs);
        for (gradient, words) in gradient.chunks_exact(cells * outputs).zip(all) {
            grid.pad(outputs, gradient, padded_gradients);
            for (first, words) in firsts.iter().zip(words.chunks_exact_mut(outputs)) {
                let place = &padded_gradients[first * outputs..];
                write_pairs(&place[..outputs], &place[outputs..], words);
            }
        }
        let sum = Sum {
            offsets: grid.offsets(TAPS),
            cells: &firsts,
            places,
            inputs,
            outputs,
            padded: &of_inputs,
            gradient: &of_gradients[..positions * firsts.len() * outputs],
        };
        // SAFETY: this is compiled for what holds the numbers.
        unsafe { sum.add::<OfHalves, 16>(sums) };
    }
}

/// Every other cell of each row. The neighbour of a row's last cell is of the border, where gradients are zero.
fn first_cells(grid: &Grid) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::new();
    for &cell in &grid.cells {
        if firsts.last().is_none_or(|&last| cell > last + 1) {
            firsts.push(cell);
        }
    }
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_a_row_go_together() {
        // Rows have a border of one place on either side.
        assert_eq!(first_cells(&Grid::new(2, 3)), [6, 8, 11, 13]);
        assert_eq!(first_cells(&Grid::new(2, 2)), [5, 9]);
        assert_eq!(first_cells(&Grid::new(1, 1)), [4]);
    }
}
