//! Convolutions over a batch and their gradient by the weights, by AVX-512's dot products of bf16
//! pairs with sums in f32.

use super::lanes::SumsOfPairs;
use super::positions::{TAPS, for_each_position};
use super::sum::Sum;
use crate::net::{AlignedBuffer, FloatLayer, Grid, PairLayer, apply_pairs, write_pairs};

/// The number of positions whose products are added to one group of sums before the next: few
/// enough to stay in the cache.
const TOGETHER: usize = 2;

/// Applies a layer to `x`, `[position][cell][inputs]`, and returns `[position][cell][outputs]`.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) fn convolve(grid: &Grid, layer: &FloatLayer, x: &[f32]) -> Vec<f32> {
    let (pairs, mut words) = (PairLayer::new(&layer.packed, layer.inputs), AlignedBuffer::zeros(0));
    for_each_position(grid, [layer.inputs, layer.bias.len()], x, |input, output| {
        apply_pairs(layer, &pairs, grid, input, output, &mut words)
    })
}

/// Adds the products of a batch to sums, `[block of LANES outputs][tap][input][LANES]`; see
/// [`Sum`].
///
/// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
/// `[position][cell][outputs]`. A product is that of two neighbours in a row.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(super) fn add_products(grid: &Grid, [inputs, outputs]: [usize; 2], x: &[f32], gradient: &[f32], sums: &mut [f32]) {
    let firsts = first_cells(grid);
    let (places, cells) = (grid.places, grid.cells.len());
    let (mut padded_input, mut padded_gradient) = (vec![0.0; places * inputs], vec![0.0; places * outputs]);
    let mut input_words = vec![0; TOGETHER * places * inputs];
    let mut gradient_words = vec![0; TOGETHER * firsts.len() * outputs];
    for (x, gradient) in x.chunks(TOGETHER * cells * inputs).zip(gradient.chunks(TOGETHER * cells * outputs)) {
        for (x, words) in x.chunks_exact(cells * inputs).zip(input_words.chunks_exact_mut(places * inputs)) {
            grid.pad(inputs, x, &mut padded_input);
            // The last place has no neighbour. It is of the border, which has no gradient, so its
            // words stay zero.
            write_pairs(&padded_input, &padded_input[inputs..], words);
        }
        let mut words_of_all = gradient_words.chunks_exact_mut(outputs);
        for gradient in gradient.chunks_exact(cells * outputs) {
            grid.pad(outputs, gradient, &mut padded_gradient);
            for (first, words) in firsts.iter().zip(&mut words_of_all) {
                let (first, second) = padded_gradient[first * outputs..].split_at(outputs);
                write_pairs(first, second, words);
            }
        }
        let positions = gradient.len() / (cells * outputs);
        let sum = Sum {
            offsets: grid.offsets(TAPS),
            cells: &firsts,
            places,
            inputs,
            outputs,
            padded: &input_words,
            gradient: &gradient_words[..positions * firsts.len() * outputs],
        };
        // SAFETY: this is compiled for AVX-512 and its products of pairs, which is all that these
        // lanes need.
        unsafe { sum.add::<SumsOfPairs, 16>(sums) };
    }
}

/// Returns every other cell of each row.
///
/// The neighbour of a row's last cell is of the border, where gradients are zero.
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
    fn first_cells_are_every_other_cell_of_a_row() {
        // Rows have a border of one place on either side.
        assert_eq!(first_cells(&Grid::new(2, 3)), [6, 8, 11, 13]);
        assert_eq!(first_cells(&Grid::new(2, 2)), [5, 9]);
        assert_eq!(first_cells(&Grid::new(1, 1)), [4]);
    }
}
