//! The inner loops on bytes: quads of unsigned inputs times quads of signed weights, summed by one instruction.
//!
//! Every convolution's input is what a ReLU or the planes give, so nothing in it is negative. It is scaled so that its
//! largest value is 255, anew for each position; weights are scaled for each output so that the largest is 127.

use std::arch::x86_64::*;

use super::kernel::LANES;
use super::kernel::{Grid, Layer};

/// A layer's weights in bytes.
#[derive(Clone, Debug)]
pub(super) struct ByteLayer {
    /// Packed `[block of LANES outputs][tap][quad of inputs][LANES]`.
    quads: Vec<u32>,
    /// What a step of each output's weights is worth.
    steps: Vec<f32>,
}

impl ByteLayer {
    /// Rounds weights packed `[block of LANES outputs][tap][input][LANES]`; the number of inputs is a multiple of 4.
    pub fn new(packed: &[f32], inputs: usize, taps: usize) -> ByteLayer {
        debug_assert_eq!(inputs % 4, 0);
        let (mut quads, mut steps) = (Vec::new(), Vec::new());
        for block in packed.chunks_exact(inputs * taps * LANES) {
            let mut largest = [0f32; LANES];
            for weights in block.chunks_exact(LANES) {
                largest.iter_mut().zip(weights).for_each(|(most, w)| *most = most.max(w.abs()));
            }
            let step = largest.map(|most| if most > 0.0 { most / 127.0 } else { 1.0 });
            let byte =
                |rows: &[f32], input: usize, lane: usize| (rows[input * LANES + lane] / step[lane]).round() as i8;
            quads.extend(block.chunks_exact(4 * LANES).flat_map(|rows| -> [u32; LANES] {
                std::array::from_fn(|lane| {
                    u32::from_le_bytes(std::array::from_fn(|input| byte(rows, input, lane) as u8))
                })
            }));
            steps.extend(step);
        }
        ByteLayer { quads, steps }
    }
}

/// As [`apply`](super::kernel::apply), on bytes. No input is negative.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn apply_bytes(
    layer: &Layer,
    bytes: &ByteLayer,
    grid: &Grid,
    input: &[f32],
    output: &mut [f32],
    quads: &mut Vec<u32>,
) {
    let step = round(input, quads);
    let mut groups = grid.cells.chunks_exact(12);
    for group in &mut groups {
        let mut cells = [0; 12];
        cells.copy_from_slice(group);
        apply_group(layer, bytes, grid, &cells, (quads, step), output);
    }
    let mut pairs = groups.remainder().chunks_exact(2);
    for cells in &mut pairs {
        apply_group(layer, bytes, grid, &[cells[0], cells[1]], (quads, step), output);
    }
    for &cell in pairs.remainder() {
        apply_group(layer, bytes, grid, &[cell], (quads, step), output);
    }
}

/// Writes inputs as bytes, four to a word, and gives what a step is worth.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn round(input: &[f32], quads: &mut Vec<u32>) -> f32 {
    let mut largest = [0f32; LANES];
    for values in input.chunks_exact(LANES) {
        largest.iter_mut().zip(values).for_each(|(most, x)| *most = most.max(*x));
    }
    let rest = input.chunks_exact(LANES).remainder();
    let largest = largest.iter().chain(rest).fold(0f32, |most, x| most.max(*x));
    quads.resize(input.len() / 4, 0);
    let steps = if largest > 0.0 { 255.0 / largest } else { 0.0 };
    let scale = _mm512_set1_ps(steps);
    for (quad, values) in quads.chunks_exact_mut(LANES / 4).zip(input.chunks_exact(LANES)) {
        // SAFETY: 16 numbers are read and 16 bytes written, which is what the two chunks hold.
        unsafe {
            let rounded = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(values.as_ptr()), scale));
            _mm_storeu_si128(quad.as_mut_ptr().cast(), _mm512_cvtusepi32_epi8(rounded));
        }
    }
    for (quad, values) in quads.chunks_exact_mut(LANES / 4).into_remainder().iter_mut().zip(rest.chunks_exact(4)) {
        *quad = u32::from_le_bytes(std::array::from_fn(|i| (values[i] * steps).round_ties_even() as u8));
    }
    largest / 255.0
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn apply_group<const CELLS: usize>(
    layer: &Layer,
    bytes: &ByteLayer,
    grid: &Grid,
    cells: &[usize; CELLS],
    (input, step): (&[u32], f32),
    output: &mut [f32],
) {
    let (inputs, outputs) = (layer.inputs / 4, layer.bias.len());
    let block_size = layer.taps * inputs * LANES;
    for (block, weights) in bytes.quads.chunks_exact(block_size).enumerate() {
        let mut sums = [_mm512_setzero_si512(); CELLS];
        for (tap, &offset) in weights.chunks_exact(inputs * LANES).zip(grid.offsets(layer.taps)) {
            let mut rows: [&[u32]; CELLS] = [&[]; CELLS];
            for (row, &cell) in rows.iter_mut().zip(cells) {
                *row = &input[cell.wrapping_add_signed(offset) * inputs..][..inputs];
            }
            for (i, weights) in tap.chunks_exact(LANES).enumerate() {
                // SAFETY: a chunk has 16 quads, 64 bytes.
                let weights = unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) };
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    *sum = _mm512_dpbusd_epi32(*sum, _mm512_set1_epi32(row[i] as i32), weights);
                }
            }
        }
        let lanes = block * LANES..(block + 1) * LANES;
        // SAFETY: a block has 16 steps and 16 biases.
        let (steps, bias) = unsafe {
            (_mm512_loadu_ps(bytes.steps[lanes.clone()].as_ptr()), _mm512_loadu_ps(layer.bias[lanes].as_ptr()))
        };
        let steps = _mm512_mul_ps(steps, _mm512_set1_ps(step));
        for (sum, &cell) in sums.iter().zip(cells) {
            let place = &mut output[cell * outputs + block * LANES..][..LANES];
            // SAFETY: the place has 16 numbers.
            unsafe { _mm512_storeu_ps(place.as_mut_ptr(), _mm512_fmadd_ps(_mm512_cvtepi32_ps(*sum), steps, bias)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_for_each_output() {
        let mut packed = vec![0.0; 4 * LANES];
        (packed[0], packed[LANES], packed[2 * LANES + 1]) = (1.27, -0.5, -12.7);
        let layer = ByteLayer::new(&packed, 4, 1);
        assert_eq!(layer.quads[0].to_le_bytes().map(|b| b as i8), [127, -50, 0, 0]);
        assert_eq!(layer.quads[1].to_le_bytes().map(|b| b as i8), [0, 0, -127, 0]);
        assert!((layer.steps[0] - 0.01).abs() < 1e-6 && (layer.steps[1] - 0.1).abs() < 1e-6);
    }
}
