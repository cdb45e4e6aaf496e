//! Convolutions over a batch and their gradient by the weights, by AMX's tiles of bf16 with sums in
//! f32.
//!
//! The gradient by the weights of a tap is a product of matrices, `[outputs][places] x
//! [places][inputs]`, over the places of all positions, with inputs from the places that the tap
//! reads. Places of a border add nothing, as they have no gradient.

mod operands;
mod registers;

use operands::{Operands, TOGETHER};
use registers::{load, multiply, store};

use super::TAPS;
use doublecross_core::net::{AlignedBuffer, FloatLayer, Grid, LANES, PairLayer, ROW, Tiles, tiles_are_available};

/// Convolutions by tiles on one thread, over a grid of one size.
pub(crate) struct TileLoops {
    tiles: Tiles,
    grid: Grid,
}

impl TileLoops {
    /// Creates the loops, or returns `None` if the processor has no AMX.
    pub fn new(height: usize, width: usize) -> Option<TileLoops> {
        // SAFETY: the tiles are available.
        tiles_are_available().then(|| TileLoops { tiles: unsafe { Tiles::new() }, grid: Grid::new(height, width) })
    }

    /// Returns the convolution of `x`, `[position][cell][outputs]`.
    ///
    /// `x` is `[position][cell][inputs]`, and the weights are `[outputs][inputs][tap]`.
    pub fn convolve(&self, inputs: usize, x: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
        let (grid, outputs) = (&self.grid, bias.len());
        let layer = FloatLayer::new(weights, bias, inputs, TAPS);
        let (pairs, mut words) = (PairLayer::new(&layer.packed, inputs), AlignedBuffer::zeros(0));
        for_each_position(grid, [inputs, outputs], x, |input, output| {
            // SAFETY: a processor with AMX has AVX-512.
            unsafe { self.tiles.apply(&layer, &pairs, grid, input, output, &mut words) };
        })
    }

    /// Returns the gradient by the weights, `[outputs][inputs][tap]`.
    ///
    /// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
    /// `[position][cell][outputs]`.
    pub fn weight_gradient(&self, [inputs, outputs]: [usize; 2], x: &[f32], gradient: &[f32]) -> Vec<f32> {
        let grid = &self.grid;
        let row = inputs.next_multiple_of(LANES);
        let mut sums = vec![0.0; TAPS * outputs * row];
        let mut operands = Operands::new(grid, inputs, outputs);
        let cells = grid.cells.len();
        for (x, gradient) in x.chunks(TOGETHER * cells * inputs).zip(gradient.chunks(TOGETHER * cells * outputs)) {
            // SAFETY: a processor with AMX has AVX-512.
            unsafe { operands.take(grid, x, gradient) };
            for (tap, sums) in sums.chunks_exact_mut(outputs * row).enumerate() {
                self.add_tap(&operands, grid.offsets(TAPS)[tap], sums);
            }
        }
        let mut weights = vec![0.0; outputs * inputs * TAPS];
        for (tap, sums) in sums.chunks_exact(outputs * row).enumerate() {
            for (sums, weights) in sums.chunks_exact(row).zip(weights.chunks_exact_mut(inputs * TAPS)) {
                weights.iter_mut().skip(tap).step_by(TAPS).zip(sums).for_each(|(weight, sum)| *weight = *sum);
            }
        }
        weights
    }

    /// Adds the products of the tap with this offset to its sums, `[output][input]`.
    fn add_tap(&self, operands: &Operands, offset: isize, sums: &mut [f32]) {
        let row = operands.row;
        let inputs = operands.inputs_at(offset);
        for output in (0..operands.outputs).step_by(2 * LANES) {
            let gradients = &operands.gradients[output * operands.words..];
            for input in (0..row).step_by(2 * LANES) {
                let block = Block {
                    gradients,
                    words: operands.words,
                    inputs: &inputs[input..],
                    row,
                    is_tall: output + LANES < operands.outputs,
                    is_wide: input + LANES < row,
                };
                self.add_block(&block, &mut sums[output * row + input..]);
            }
        }
    }

    /// Adds the products of a block to up to two by two tiles of sums.
    fn add_block(&self, block: &Block<'_>, sums: &mut [f32]) {
        let tiles = &self.tiles;
        let Block { row, is_tall, is_wide, .. } = *block;
        // The distance to the second tile of outputs.
        let down = LANES * row;
        load::<0, _>(tiles, sums, row);
        if is_wide {
            load::<1, _>(tiles, &sums[LANES..], row);
        }
        if is_tall {
            load::<2, _>(tiles, &sums[down..], row);
        }
        if is_tall && is_wide {
            load::<3, _>(tiles, &sums[down + LANES..], row);
        }
        for word in (0..block.words).step_by(ROW) {
            let inputs = &block.inputs[word * row..];
            load::<6, _>(tiles, inputs, row);
            load::<4, _>(tiles, &block.gradients[word..], block.words);
            multiply::<0>(tiles);
            if is_wide {
                load::<7, _>(tiles, &inputs[LANES..], row);
                multiply::<1>(tiles);
            }
            if is_tall {
                load::<5, _>(tiles, &block.gradients[LANES * block.words + word..], block.words);
                multiply::<2>(tiles);
            }
            if is_tall && is_wide {
                multiply::<3>(tiles);
            }
        }
        store::<0>(tiles, sums, row);
        if is_wide {
            store::<1>(tiles, &mut sums[LANES..], row);
        }
        if is_tall {
            store::<2>(tiles, &mut sums[down..], row);
        }
        if is_tall && is_wide {
            store::<3>(tiles, &mut sums[down + LANES..], row);
        }
    }
}

/// The factors of up to two by two tiles of sums.
struct Block<'a> {
    /// `[output][words]`
    gradients: &'a [u32],
    words: usize,
    /// `[word][row]`
    inputs: &'a [u32],
    row: usize,
    /// `true` if there are two tiles of outputs.
    is_tall: bool,
    /// `true` if there are two tiles of inputs.
    is_wide: bool,
}

/// Applies a layer to each position's padded grid, and returns the cells of one position after the
/// other.
///
/// `x` is `[position][cell][inputs]`, and the result `[position][cell][outputs]`.
fn for_each_position(
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
