//! The operands of the gradient's products: bf16 halves of places, two to a word.

use std::arch::x86_64::*;

use crate::kernels::convolution::TAPS;
use doublecross_core::net::{Grid, LANES, ROW, write_pairs};

/// The number of positions whose gradients are summed before the sums go back to memory: as many as
/// stay in the cache.
pub(super) const TOGETHER: usize = 4;

/// The gradients and inputs of some positions, two places to a word.
pub(super) struct Operands {
    pub outputs: usize,
    /// The number of words for the places of all positions, rounded up to whole tiles.
    pub words: usize,
    /// The number of inputs of a place, rounded up to whole tiles.
    pub row: usize,
    /// The number of places of zeros before the first position, which is even, and after the last.
    margin: usize,
    /// `[output][words]`
    pub gradients: Vec<u32>,
    /// `[word][row]`, with words that begin at even places and at odd ones.
    inputs: [Vec<u32>; 2],
    /// `[place][channel]`, the numbers that the words hold.
    padded_gradients: Vec<f32>,
    padded_inputs: Vec<f32>,
    of_inputs: usize,
}

impl Operands {
    /// Creates operands of zeros.
    pub fn new(grid: &Grid, of_inputs: usize, outputs: usize) -> Operands {
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

    /// Converts up to [`TOGETHER`] positions.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn take(&mut self, grid: &Grid, x: &[f32], gradient: &[f32]) {
        let (cells, row, outputs) = (grid.cells.len(), self.row, self.outputs);
        if x.len() < TOGETHER * cells * self.of_inputs {
            // The positions that are missing must not keep their gradients.
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

    /// Returns the inputs at this offset from each place, from the first word of places on.
    pub fn inputs_at(&self, offset: isize) -> &[u32] {
        let first = self.margin.wrapping_add_signed(offset);
        &self.inputs[first % 2][first / 2 * self.row..]
    }
}

/// Transposes a square of words.
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
    // Each quarter of `a[4 i + j]` now holds four words of column `j`, or of the column 4, 8 or 12
    // after it.
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
    use doublecross_core::net::tiles_are_available;

    #[test]
    fn a_square_is_transposed() {
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
