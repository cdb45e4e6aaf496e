//! Convolutions over a batch and their gradient by the weights in bf16: by the tiles of AMX, sums in f32.
//!
//! The gradient by the weights of a tap is a product of matrices, `[outputs][places] x [places][inputs]`, over the places
//! of all positions, the inputs lying as far off as the tap looks. Places of a border add nothing: they have no gradient.

use std::arch::asm;
use std::arch::x86_64::*;

use super::loops::{TAPS, for_each_position};
use crate::net::{AlignedBuffer, FloatLayer, Grid, LANES, PairLayer, ROW, Tiles, tiles_are_available, write_pairs};

/// Positions whose gradients are summed before sums go back to memory: as many as stay near.
const TOGETHER: usize = 4;

/// Convolutions by tiles on one thread, over a grid of one size.
pub(super) struct TileLoops {
    tiles: Tiles,
    grid: Grid,
}

impl TileLoops {
    /// `None` where there is no AMX.
    pub fn new(height: usize, width: usize) -> Option<TileLoops> {
        // SAFETY: it was asked for.
        tiles_are_available().then(|| TileLoops { tiles: unsafe { Tiles::new() }, grid: Grid::new(height, width) })
    }

    /// The convolution of `x`, `[position][cell][inputs]`, with weights `[outputs][inputs][tap]`: `[position][cell][outputs]`.
    pub fn convolve(&self, inputs: usize, x: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
        let (grid, outputs) = (&self.grid, bias.len());
        let layer = FloatLayer::new(weights, bias, inputs, TAPS);
        let (pairs, mut words) = (PairLayer::new(&layer.packed, inputs), AlignedBuffer::zeros(0));
        for_each_position(grid, [inputs, outputs], x, |input, output| {
            // SAFETY: a processor with AMX has AVX-512.
            unsafe { self.tiles.apply(&layer, &pairs, grid, input, output, &mut words) };
        })
    }

    /// The gradient by the weights, `[outputs][inputs][tap]`, from the input `x`, `[position][cell][inputs]`, and the gradient
    /// by the output, `[position][cell][outputs]`.
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

    /// Adds the products of a tap that looks so far off to its sums, `[output][input]`.
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

    /// Adds to up to two by two tiles of sums.
    fn add_block(&self, block: &Block<'_>, sums: &mut [f32]) {
        let Block { row, is_tall, is_wide, .. } = *block;
        // How far the second tile of outputs is.
        let down = LANES * row;
        self.load::<0, _>(sums, row);
        if is_wide {
            self.load::<1, _>(&sums[LANES..], row);
        }
        if is_tall {
            self.load::<2, _>(&sums[down..], row);
        }
        if is_tall && is_wide {
            self.load::<3, _>(&sums[down + LANES..], row);
        }
        for word in (0..block.words).step_by(ROW) {
            let inputs = &block.inputs[word * row..];
            self.load::<6, _>(inputs, row);
            self.load::<4, _>(&block.gradients[word..], block.words);
            self.multiply::<0>();
            if is_wide {
                self.load::<7, _>(&inputs[LANES..], row);
                self.multiply::<1>();
            }
            if is_tall {
                self.load::<5, _>(&block.gradients[LANES * block.words + word..], block.words);
                self.multiply::<2>();
            }
            if is_tall && is_wide {
                self.multiply::<3>();
            }
        }
        self.store::<0>(sums, row);
        if is_wide {
            self.store::<1>(&mut sums[LANES..], row);
        }
        if is_tall {
            self.store::<2>(&mut sums[down..], row);
        }
        if is_tall && is_wide {
            self.store::<3>(&mut sums[down + LANES..], row);
        }
    }

    /// Loads sixteen rows of sixteen words, one every so many words, into a register of tiles.
    fn load<const REGISTER: usize, T: Word>(&self, words: &[T], every: usize) {
        let words = &words[..(LANES - 1) * every + LANES];
        macro_rules! into {
            ($name:literal) => {
                asm!(concat!("tileloadd ", $name, ", [{} + {}]"), in(reg) words.as_ptr(), in(reg) 4 * every,
                     options(nostack, readonly))
            };
        }
        // SAFETY: a `TileLoops` is there, so the instruction exists and the tiles are set up; 16 rows are read, of which the last
        // ends where the words do.
        unsafe {
            match REGISTER {
                0 => into!("tmm0"),
                1 => into!("tmm1"),
                2 => into!("tmm2"),
                3 => into!("tmm3"),
                4 => into!("tmm4"),
                5 => into!("tmm5"),
                6 => into!("tmm6"),
                _ => into!("tmm7"),
            }
        }
    }

    /// Adds the products of gradients, in 4 and 5, and inputs, in 6 and 7, to sums: 0 is of the first of both, 1 of the second
    /// inputs, 2 of the second gradients, 3 of the second of both.
    fn multiply<const REGISTER: usize>(&self) {
        // SAFETY: as above.
        unsafe {
            match REGISTER {
                0 => asm!("tdpbf16ps tmm0, tmm4, tmm6", options(nostack, nomem)),
                1 => asm!("tdpbf16ps tmm1, tmm4, tmm7", options(nostack, nomem)),
                2 => asm!("tdpbf16ps tmm2, tmm5, tmm6", options(nostack, nomem)),
                _ => asm!("tdpbf16ps tmm3, tmm5, tmm7", options(nostack, nomem)),
            }
        }
    }

    /// Writes sixteen rows of sixteen sums.
    fn store<const REGISTER: usize>(&self, sums: &mut [f32], every: usize) {
        let sums = &mut sums[..(LANES - 1) * every + LANES];
        macro_rules! from {
            ($name:literal) => {
                asm!(concat!("tilestored [{} + {}], ", $name), in(reg) sums.as_mut_ptr(), in(reg) 4 * every, options(nostack))
            };
        }
        // SAFETY: as above; 16 rows are written, of which the last ends where the sums do.
        unsafe {
            match REGISTER {
                0 => from!("tmm0"),
                1 => from!("tmm1"),
                2 => from!("tmm2"),
                _ => from!("tmm3"),
            }
        }
    }
}

/// A number of four bytes.
trait Word: Copy {}
impl Word for u32 {}
impl Word for f32 {}

/// Up to two by two tiles of sums, and what is added to them.
struct Block<'a> {
    /// `[output][words]`
    gradients: &'a [u32],
    words: usize,
    /// `[word][row]`
    inputs: &'a [u32],
    row: usize,
    /// Whether there are two tiles of outputs, and of inputs.
    is_tall: bool,
    is_wide: bool,
}

/// Some positions' gradients and inputs, two places to a word.
struct Operands {
    outputs: usize,
    /// Words of places of all positions, whole tiles of them.
    words: usize,
    /// Inputs of a place, padded to whole tiles.
    row: usize,
    /// Places of zeros before the first position, an even number, and as many behind the last.
    margin: usize,
    /// `[output][words]`
    gradients: Vec<u32>,
    /// `[word][row]`, the first place of a word being even, or odd.
    inputs: [Vec<u32>; 2],
    /// `[place][channel]`, what the words are made of.
    padded_gradients: Vec<f32>,
    padded_inputs: Vec<f32>,
    of_inputs: usize,
}

impl Operands {
    fn new(grid: &Grid, of_inputs: usize, outputs: usize) -> Operands {
        let words = (TOGETHER * grid.places).div_ceil(2 * ROW) * ROW;
        let row = of_inputs.next_multiple_of(LANES);
        let furthest = grid.offsets(TAPS).iter().map(|offset| offset.unsigned_abs()).max().unwrap_or(0);
        let margin = furthest.next_multiple_of(2);
        let input_words = words + margin;
        Operands {
            outputs,
            words,
            row,
            margin,
            gradients: vec![0; outputs * words],
            inputs: [vec![0; input_words * row], vec![0; input_words * row]],
            padded_gradients: vec![0.0; 2 * words * outputs],
            padded_inputs: vec![0.0; (2 * input_words + 1) * row],
            of_inputs,
        }
    }

    /// Takes over up to [`TOGETHER`] positions.
    #[target_feature(enable = "avx512f,avx512bw")]
    fn take(&mut self, grid: &Grid, x: &[f32], gradient: &[f32]) {
        let (cells, row, outputs) = (grid.cells.len(), self.row, self.outputs);
        if x.len() < TOGETHER * cells * self.of_inputs {
            // Fewer than before.
            self.padded_gradients.fill(0.0);
        }
        let positions = x.chunks_exact(cells * self.of_inputs).zip(gradient.chunks_exact(cells * outputs));
        for (index, (x, gradient)) in positions.enumerate() {
            let first = index * grid.places;
            grid.pad(outputs, gradient, &mut self.padded_gradients[first * outputs..]);
            for (cell, values) in grid.cells.iter().zip(x.chunks_exact(self.of_inputs)) {
                let place = self.margin + first + cell;
                self.padded_inputs[place * row..][..self.of_inputs].copy_from_slice(values);
            }
        }
        for (odd, words) in self.inputs.iter_mut().enumerate() {
            let places = self.padded_inputs[odd * row..].chunks_exact(2 * row);
            for (words, places) in words.chunks_exact_mut(row).zip(places) {
                let (first, second) = places.split_at(row);
                write_pairs(first, second, words);
            }
        }
        let mut square = [[0; LANES]; LANES];
        for (group, places) in self.padded_gradients.chunks_exact(2 * LANES * outputs).enumerate() {
            for output in (0..outputs).step_by(LANES) {
                for (words, places) in square.iter_mut().zip(places.chunks_exact(2 * outputs)) {
                    let (first, second) = places.split_at(outputs);
                    write_pairs(&first[output..], &second[output..], words);
                }
                transpose(&mut square);
                for (words, row) in square.iter().zip(self.gradients[output * self.words..].chunks_mut(self.words)) {
                    row[group * LANES..][..LANES].copy_from_slice(words);
                }
            }
        }
    }

    /// The inputs so far off each place, from the first word of places on.
    fn inputs_at(&self, offset: isize) -> &[u32] {
        let first = self.margin.wrapping_add_signed(offset);
        &self.inputs[first % 2][first / 2 * self.row..]
    }
}

/// Turns a square of words around its diagonal.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(square: &mut [[u32; LANES]; LANES]) {
    // SAFETY: a row has 64 bytes.
    let mut a = square.map(|row| unsafe { _mm512_loadu_si512(row.as_ptr().cast()) });
    let mut b = a;
    for i in (0..LANES).step_by(2) {
        (b[i], b[i + 1]) = (_mm512_unpacklo_epi32(a[i], a[i + 1]), _mm512_unpackhi_epi32(a[i], a[i + 1]));
    }
    for i in (0..LANES).step_by(4) {
        for half in 0..2 {
            let (upper, lower) = (b[i + half], b[i + half + 2]);
            a[i + 2 * half] = _mm512_unpacklo_epi64(upper, lower);
            a[i + 2 * half + 1] = _mm512_unpackhi_epi64(upper, lower);
        }
    }
    // Now each quarter of `a[4 i + j]` holds four words of column `j` or of one 4, 8 or 12 further on.
    for j in 0..4 {
        let even = [0, 8].map(|i| _mm512_shuffle_i32x4::<0x88>(a[i + j], a[i + 4 + j]));
        let odd = [0, 8].map(|i| _mm512_shuffle_i32x4::<0xdd>(a[i + j], a[i + 4 + j]));
        b[j] = _mm512_shuffle_i32x4::<0x88>(even[0], even[1]);
        b[4 + j] = _mm512_shuffle_i32x4::<0x88>(odd[0], odd[1]);
        b[8 + j] = _mm512_shuffle_i32x4::<0xdd>(even[0], even[1]);
        b[12 + j] = _mm512_shuffle_i32x4::<0xdd>(odd[0], odd[1]);
    }
    for (row, column) in square.iter_mut().zip(b) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), column) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_turned_around() {
        if !tiles_are_available() {
            return;
        }
        let mut square: [[u32; LANES]; LANES] = std::array::from_fn(|i| std::array::from_fn(|j| (16 * i + j) as u32));
        let before = square;
        // SAFETY: a processor with AMX has AVX-512.
        unsafe { transpose(&mut square) };
        for (i, row) in square.iter().enumerate() {
            assert!(row.iter().enumerate().all(|(j, &word)| word == before[j][i]), "row {i}");
        }
    }
}
