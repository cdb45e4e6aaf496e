//! Convolutions and their gradient by the weights, by AMX's tiles of bf16 with sums in f32.
//!
//! The gradient by the weights of a tap is a product of matrices, `[outputs][places] x
//! [places][inputs]`, over the places of all positions, with inputs from the places that the tap
//! reads. Places of a border add nothing, as they have no gradient.

mod operands;
mod registers;

use std::cell::Cell;

use operands::Operands;
use registers::{load, multiply, store};

use super::TAPS;
use super::loops::Channels;
use doublecross_core::net::{AlignedBuffer, FloatLayer, Grid, LANES, PairLayer, ROW, Tiles, tiles_are_available};

/// The number of positions whose gradients are summed before the sums go back to memory: as many as
/// stay in the cache.
pub(super) const TOGETHER: usize = 8;

/// Convolutions by tiles on one thread, over a grid of one size.
pub(crate) struct TileLoops {
    tiles: Tiles,
    grid: Grid,
    size: [usize; 2],
    /// Scratch memory of convolutions.
    words: AlignedBuffer<u32>,
}

thread_local! {
    /// The operands that this thread used last. New ones would have to be zeroed.
    static OPERANDS: Cell<Option<Operands>> = const { Cell::new(None) };
}

impl TileLoops {
    /// Creates the loops, or returns `None` if the processor has no AMX.
    pub fn new(size: [usize; 2]) -> Option<TileLoops> {
        let [height, width] = size;
        tiles_are_available().then(|| TileLoops {
            // SAFETY: the tiles are available.
            tiles: unsafe { Tiles::new() },
            grid: Grid::new(height, width),
            size,
            words: AlignedBuffer::zeros(0),
        })
    }

    /// Writes the convolution of `x`, `[position][cell][inputs]`, to `y`, `[position][cell][outputs]`.
    pub fn convolve(&mut self, weights: &PairLayer, bias: &[f32], x: &[f32], y: &mut [f32]) {
        // SAFETY: a processor with AMX has AVX-512.
        unsafe { self.tiles.convolve(weights, bias, &self.grid, x, y, &mut self.words) }
    }

    /// Adds the gradient by the weights to `sums`, `[tap][outputs][inputs]` with inputs rounded up to whole tiles.
    ///
    /// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
    /// `[position][cell][outputs]`.
    pub fn add_weight_gradient(&mut self, channels: Channels, x: &[f32], gradient: &[f32], sums: &mut [f32]) {
        let Channels { inputs, outputs } = channels;
        let cells = self.grid.cells.len();
        let used = OPERANDS.take().filter(|operands| (operands.size, operands.channels) == (self.size, channels));
        let mut operands = used.unwrap_or_else(|| Operands::new(self.size, channels));
        for (x, gradient) in x.chunks(TOGETHER * cells * inputs).zip(gradient.chunks(TOGETHER * cells * outputs)) {
            // SAFETY: a processor with AMX has AVX-512.
            unsafe { operands.take(x, gradient) };
            self.add_products(&operands, sums);
        }
        OPERANDS.set(Some(operands));
    }

    /// Adds the products of the operands. A block of gradients and inputs stays in the cache for all taps.
    fn add_products(&self, operands: &Operands, sums: &mut [f32]) {
        let Operands { channels: Channels { outputs, .. }, row, words, .. } = *operands;
        for output in (0..outputs).step_by(2 * LANES) {
            let gradients = &operands.gradients[output * words..];
            for input in (0..row).step_by(2 * LANES) {
                for (tap, sums) in sums.chunks_exact_mut(outputs * row).enumerate() {
                    let block = Block {
                        gradients,
                        words,
                        inputs: &operands.inputs_of(tap)[input..],
                        row,
                        is_tall: output + LANES < outputs,
                        is_wide: input + LANES < row,
                    };
                    self.add_block(&block, &mut sums[output * row + input..]);
                }
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

/// Rounds weights `[outputs][inputs][tap]`.
pub(super) fn pack(channels: Channels, weights: &[f32]) -> PairLayer {
    PairLayer::new(&FloatLayer::new(weights, &vec![0.0; channels.outputs], channels.inputs, TAPS))
}

/// Returns sums of zero for a gradient by the weights.
pub(super) fn no_sums(channels: Channels) -> Vec<f32> {
    vec![0.0; TAPS * channels.outputs * channels.padded_inputs()]
}

/// Returns the gradient by the weights, `[outputs][inputs][tap]`, from its sums.
pub(super) fn weight_gradient(channels: Channels, sums: &[f32]) -> Vec<f32> {
    let (Channels { inputs, outputs }, row) = (channels, channels.padded_inputs());
    let mut weights = vec![0.0; outputs * inputs * TAPS];
    for (output, weights) in weights.chunks_exact_mut(inputs * TAPS).enumerate() {
        for (input, weights) in weights.chunks_exact_mut(TAPS).enumerate() {
            for (tap, weight) in weights.iter_mut().enumerate() {
                *weight = sums[(tap * outputs + output) * row + input];
            }
        }
    }
    weights
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
