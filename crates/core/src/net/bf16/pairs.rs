//! Convolutions in bf16 by AVX-512's dot products of pairs, sixteen outputs at once.

use std::arch::x86_64::*;

use super::{BEFORE, FloatLayer, Grid, LANES, PairLayer, word_count, write_words};
use crate::net::aligned::AlignedBuffer;
use crate::net::groups::{evenly, for_each_group};

/// The most cells that are computed together.
const CELLS: usize = 13;

/// Applies a layer as [`Pass::apply`](crate::net::kernel::Pass::apply) does, in bf16. Inputs may be
/// negative.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub(crate) fn apply_pairs(
    layer: &FloatLayer,
    pairs: &PairLayer,
    grid: &Grid,
    input: &[f32],
    output: &mut [f32],
    words: &mut AlignedBuffer<u32>,
) {
    words.resize(word_count(grid.places, pairs.row));
    write_words(input, layer.inputs, pairs.row, words);
    for_each_group!(&grid.cells, CELLS, cells => apply_group(layer, pairs, grid, &cells, words, output));
}

#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn apply_group<const CELLS: usize>(
    layer: &FloatLayer,
    pairs: &PairLayer,
    grid: &Grid,
    cells: &[usize; CELLS],
    input: &[u32],
    output: &mut [f32],
) {
    let (row, outputs) = (pairs.row, layer.bias.len());
    for (block, weights) in pairs.words.chunks_exact(layer.taps * row * LANES).enumerate() {
        let mut sums = [_mm512_setzero_ps(); CELLS];
        for (tap, &offset) in weights.chunks_exact(row * LANES).zip(grid.offsets(layer.taps)) {
            let mut rows: [&[u32]; CELLS] = [&[]; CELLS];
            for (place, &cell) in rows.iter_mut().zip(cells) {
                *place = &input[(BEFORE + cell).wrapping_add_signed(offset) * row..][..row];
            }
            // The words that pad a row are skipped.
            for (i, weights) in (0..layer.inputs / 2).zip(tap.chunks_exact(LANES)) {
                // SAFETY: the chunk has 16 words, 64 bytes.
                let weights: __m512i = unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) };
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    *sum = dot(*sum, row[i], weights);
                }
            }
        }
        for (sum, &cell) in sums.iter().zip(cells) {
            let place = &mut output[cell * outputs + block * LANES..][..LANES];
            let bias = &layer.bias[block * LANES..][..LANES];
            // SAFETY: both have 16 numbers.
            unsafe { _mm512_storeu_ps(place.as_mut_ptr(), _mm512_add_ps(*sum, _mm512_loadu_ps(bias.as_ptr()))) };
        }
    }
}

/// Adds to each of sixteen sums the dot product of `pair` and one of sixteen pairs, `others`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
fn dot(sums: __m512, pair: u32, others: __m512i) -> __m512 {
    // SAFETY: both types have 64 bytes, for which every bit pattern is valid.
    let [pair, others] = [_mm512_set1_epi32(pair as i32), others]
        .map(|words| unsafe { std::mem::transmute::<__m512i, __m512bh>(words) });
    _mm512_dpbf16_ps(sums, pair, others)
}
