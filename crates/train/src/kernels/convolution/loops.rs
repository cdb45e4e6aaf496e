//! The convolution and its gradient by the weights over a batch: by tiles of AMX in bf16 where they
//! are the chosen instruction set, and else by Winograd's method in f32.

use super::TAPS;
#[cfg(target_arch = "x86_64")]
use super::tiles::TileLoops;
use super::winograd::{Channels, Winograd};
use doublecross_core::net::{Isa, LANES};

/// Returns the convolution of `x` over a grid of this height and width,
/// `[position][cell][outputs]`.
///
/// `x` is `[position][cell][inputs]`, and the weights are `[outputs][inputs][tap]`.
pub(super) fn convolve(
    isa: Isa,
    [height, width]: [usize; 2],
    inputs: usize,
    x: &[f32],
    weights: &[f32],
    bias: &[f32],
) -> Vec<f32> {
    let channels = Channels { inputs, outputs: bias.len() };
    check(channels, height * width, x);
    assert_eq!(weights.len(), channels.outputs * inputs * TAPS, "weights of {channels:?}");
    #[cfg(target_arch = "x86_64")]
    if let Some(tiles) = tile_loops(isa, height, width) {
        return tiles.convolve(inputs, x, weights, bias);
    }
    Winograd::new(height, width).convolve(isa, channels, x, weights, bias)
}

/// Returns the weights of the convolution that takes gradients back to the input,
/// `[inputs][outputs][tap]`.
///
/// They are the weights `[outputs][inputs][tap]` with every kernel rotated by half a turn.
pub(super) fn rotated(inputs: usize, outputs: usize, weights: &[f32]) -> Vec<f32> {
    let mut rotated = vec![0.0; weights.len()];
    for (output, weights) in weights.chunks_exact(inputs * TAPS).enumerate() {
        for (input, kernel) in weights.chunks_exact(TAPS).enumerate() {
            let place = &mut rotated[(input * outputs + output) * TAPS..][..TAPS];
            place.iter_mut().zip(kernel.iter().rev()).for_each(|(place, weight)| *place = *weight);
        }
    }
    rotated
}

/// Checks the numbers of channels and of inputs.
///
/// # Panics
/// Panics if the loops would leave out some channels, or if `x` has no positions or a part of one.
fn check(channels: Channels, cells: usize, x: &[f32]) {
    let Channels { inputs, outputs } = channels;
    assert!(inputs.is_multiple_of(4) && outputs.is_multiple_of(LANES), "{channels:?} of a convolution");
    assert!(!x.is_empty() && x.len().is_multiple_of(cells * inputs), "{} numbers of {channels:?}", x.len());
}

/// Returns the loops by tiles if the instruction set is [`Isa::Amx`] and the processor has it.
#[cfg(target_arch = "x86_64")]
fn tile_loops(isa: Isa, height: usize, width: usize) -> Option<TileLoops> {
    (isa == Isa::Amx).then(|| TileLoops::new(height, width)).flatten()
}

/// Returns the gradient by the weights, `[outputs][inputs][tap]`.
///
/// `x` is the input, `[position][cell][inputs]`, and `gradient` that by the output,
/// `[position][cell][outputs]`.
pub(super) fn weight_gradient(
    isa: Isa,
    [height, width]: [usize; 2],
    [inputs, outputs]: [usize; 2],
    x: &[f32],
    gradient: &[f32],
) -> Vec<f32> {
    let channels = Channels { inputs, outputs };
    check(channels, height * width, x);
    assert_eq!(gradient.len() / outputs, x.len() / inputs, "gradients of {channels:?}");
    #[cfg(target_arch = "x86_64")]
    if let Some(tiles) = tile_loops(isa, height, width) {
        return tiles.weight_gradient([inputs, outputs], x, gradient);
    }
    Winograd::new(height, width).weight_gradient(isa, channels, x, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::net::deviation;

    fn numbers(count: usize, step: f32) -> Vec<f32> {
        (0..count).map(|i| (i as f32 * step).sin()).collect()
    }

    /// Visits every product of the convolution by its definition: the indices of its input, weight
    /// and output.
    fn each_product(
        [height, width, inputs, outputs]: [usize; 4],
        positions: usize,
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        for position in 0..positions {
            for cell in 0..height * width {
                for tap in 0..TAPS {
                    let (row, col) = (cell / width + tap / 3, cell % width + tap % 3);
                    if (1..=height).contains(&row) && (1..=width).contains(&col) {
                        let other = position * height * width + (row - 1) * width + col - 1;
                        for (input, output) in (0..inputs).flat_map(|i| (0..outputs).map(move |o| (i, o))) {
                            let weight = (output * inputs + input) * TAPS + tap;
                            visit(
                                other * inputs + input,
                                weight,
                                (position * height * width + cell) * outputs + output,
                            );
                        }
                    }
                }
            }
        }
    }

    fn assert_close(found: &[f32], expected: &[f32], isa: Isa) {
        assert_eq!(found.len(), expected.len());
        let (isa, most) = if isa == Isa::Amx { (isa, 0.2) } else { (isa.in_floats(), 1e-3) };
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= most, "{isa:?}: {found} {expected}");
        }
        let off = deviation(found, expected);
        assert!(off <= isa.tolerance(), "{isa:?}: {off}");
    }

    #[test]
    fn every_instruction_set_agrees_with_the_definition() {
        for [height, width, inputs, outputs] in [
            [3, 4, 20, 16],
            [2, 2, 32, 32],
            [6, 6, 16, 48],
            [5, 5, 64, 64],
            [4, 7, 20, 16],
            [10, 9, 16, 16],
            [1, 1, 4, 16],
        ] {
            let (positions, cells) = (19, height * width);
            let (x, bias) = (numbers(positions * cells * inputs, 0.7), numbers(outputs, 0.3));
            let weights = numbers(outputs * inputs * TAPS, 1.1);
            let gradient = numbers(positions * cells * outputs, 0.9);
            let mut y: Vec<f32> = (0..positions * cells).flat_map(|_| bias.clone()).collect();
            let mut by_weights = vec![0.0; weights.len()];
            each_product([height, width, inputs, outputs], positions, |from, weight, to| {
                y[to] += x[from] * weights[weight];
                by_weights[weight] += x[from] * gradient[to];
            });
            for isa in Isa::available() {
                assert_close(&convolve(isa, [height, width], inputs, &x, &weights, &bias), &y, isa);
                let found = weight_gradient(isa, [height, width], [inputs, outputs], &x, &gradient);
                assert_close(&found, &by_weights, isa);
            }
        }
    }
}
