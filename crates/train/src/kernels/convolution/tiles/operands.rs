//! The operands of the gradient's products: bf16 halves of places, two to a word.

use std::arch::x86_64::*;

use super::TOGETHER;
use crate::kernels::convolution::TAPS;
use crate::kernels::convolution::loops::Channels;
use doublecross_core::net::{LANES, ROW, write_pairs};

/// The place of a border, which is no cell.
const BORDER: usize = usize::MAX;

/// The gradients and inputs of some positions, two places to a word.
///
/// The places of a row of cells are followed by one place of border, which is also that to the left of the next row,
/// and the rows of a position by one row of border, which is also that above the next position.
pub(super) struct Operands {
    /// Height and width of the grids.
    pub size: [usize; 2],
    pub channels: Channels,
    /// The number of words for the places of all positions, rounded up to whole tiles.
    pub words: usize,
    /// The number of inputs of a place, rounded up to whole tiles.
    pub row: usize,
    /// The number of places of border before the first position, which is even, and after the last.
    margin: usize,
    /// The distance in places from a cell to each tap.
    offsets: [isize; TAPS],
    /// The cell of each place, counted through all positions, or [`BORDER`]; margins included.
    cells: Vec<usize>,
    /// `[output][words]`
    pub gradients: Vec<u32>,
    /// `[word][row]`, with words that begin at even places and at odd ones.
    inputs: [Vec<u32>; 2],
}

impl Operands {
    /// Creates operands of zeros for grids of this height and width.
    pub fn new(size: [usize; 2], channels: Channels) -> Operands {
        let [height, width] = size;
        let (pitch, places) = (width + 1, (width + 1) * (height + 1));
        let words = (TOGETHER * places).div_ceil(2 * ROW) * ROW;
        let row = channels.padded_inputs();
        let margin = (pitch + 1).next_multiple_of(2);
        let mut cells = vec![BORDER; 2 * (words + margin) + 1];
        for index in 0..TOGETHER * height * width {
            let (position, cell) = (index / (height * width), index % (height * width));
            cells[margin + position * places + cell / width * pitch + cell % width] = index;
        }
        let mut offsets = [0; TAPS];
        for (tap, offset) in offsets.iter_mut().enumerate() {
            *offset = (tap as isize / 3 - 1) * pitch as isize + tap as isize % 3 - 1;
        }
        let inputs = vec![0; (words + margin) * row];
        let gradients = vec![0; channels.outputs * words];
        Operands { size, channels, words, row, margin, offsets, cells, gradients, inputs: [inputs.clone(), inputs] }
    }

    /// Converts up to [`TOGETHER`] positions.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn take(&mut self, x: &[f32], gradient: &[f32]) {
        let Channels { inputs, outputs } = self.channels;
        let zeros = vec![0.0; inputs.max(outputs)];
        for (odd, words) in self.inputs.iter_mut().enumerate() {
            for (words, places) in words.chunks_exact_mut(self.row).zip(self.cells[odd..].chunks_exact(2)) {
                let [first, second] = [places[0], places[1]].map(|place| numbers_of(x, inputs, place, &zeros));
                write_pairs(first, second, words);
            }
        }
        let mut square = [[0; LANES]; LANES];
        for (group, places) in self.cells[self.margin..].chunks_exact(2 * LANES).take(self.words / LANES).enumerate() {
            for output in (0..outputs).step_by(LANES) {
                for (words, places) in square.iter_mut().zip(places.chunks_exact(2)) {
                    let [first, second] =
                        [places[0], places[1]].map(|place| numbers_of(gradient, outputs, place, &zeros));
                    write_pairs(&first[output..], &second[output..], words);
                }
                transpose(&mut square);
                for (words, row) in square.iter().zip(self.gradients[output * self.words..].chunks_mut(self.words)) {
                    row[group * LANES..][..LANES].copy_from_slice(words);
                }
            }
        }
    }

    /// Returns the inputs that a tap reads from each place, from the first word of places on.
    pub fn inputs_of(&self, tap: usize) -> &[u32] {
        let first = self.margin.wrapping_add_signed(self.offsets[tap]);
        &self.inputs[first % 2][first / 2 * self.row..]
    }
}

/// Returns the numbers of a place, zeros where it is border or of a position that is missing.
#[inline(always)]
fn numbers_of<'a>(numbers: &'a [f32], channels: usize, cell: usize, zeros: &'a [f32]) -> &'a [f32] {
    let start = cell.saturating_mul(channels);
    if start < numbers.len() { &numbers[start..start + channels] } else { &zeros[..channels] }
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
