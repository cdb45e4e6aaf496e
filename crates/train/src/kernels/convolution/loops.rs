//! The convolution and its gradient by the weights: by tiles of AMX in bf16 where they are the chosen instruction
//! set, and else by Winograd's method in f32.

use super::TAPS;
#[cfg(target_arch = "x86_64")]
use super::tiles::{self, TileLoops};
use super::winograd::{self, Winograd};
#[cfg(target_arch = "x86_64")]
use doublecross_core::net::PairLayer;
use doublecross_core::net::{Isa, LANES};

/// The numbers of channels of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Channels {
    /// A multiple of 4.
    pub inputs: usize,
    /// A multiple of [`LANES`].
    pub outputs: usize,
}

impl Channels {
    /// The inputs that are computed with, a multiple of [`LANES`]. Further ones are zeros.
    pub fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(LANES)
    }

    /// The channels of the convolution that takes gradients back to the input.
    pub fn back(self) -> Channels {
        Channels { inputs: self.outputs, outputs: self.inputs }
    }
}

/// The weights of a convolution in the form that the loops read.
#[derive(Debug)]
pub(crate) struct PackedWeights {
    channels: Channels,
    form: Form,
}

#[derive(Debug)]
enum Form {
    #[cfg(target_arch = "x86_64")]
    Pairs(PairLayer),
    /// `[block of LANES outputs][input][tap][LANES]`
    Kernels(Vec<f32>),
}

/// The sum of gradients by the weights of a convolution, in their [`GradientOrder`].
pub(crate) struct WeightGradient {
    channels: Channels,
    /// Empty until something is added.
    sums: Vec<f32>,
}

/// The order of the numbers of a gradient by the weights of a convolution.
///
/// The order that sums are added up in is kept until those of all parts of a batch are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GradientOrder {
    /// That of the weights, `[outputs][inputs][tap]`.
    Weights,
    /// `[tap][outputs][inputs]`.
    #[cfg(target_arch = "x86_64")]
    Taps(Channels),
}

impl GradientOrder {
    /// Returns the order of the gradients that [`Loops::numbers`] gives with an instruction set.
    ///
    /// # Panics
    /// Panics if the numbers of channels are no multiples of [`LANES`].
    pub fn of(isa: Isa, channels: Channels) -> GradientOrder {
        assert!(channels.padded_inputs() == channels.inputs && channels.outputs.is_multiple_of(LANES), "{channels:?}");
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Amx => GradientOrder::Taps(channels),
            _ => GradientOrder::Weights,
        }
    }

    /// Returns a gradient in the order of the weights.
    pub fn to_weights(self, gradient: Vec<f32>) -> Vec<f32> {
        match self {
            GradientOrder::Weights => gradient,
            #[cfg(target_arch = "x86_64")]
            GradientOrder::Taps(channels) => tiles::weight_gradient(channels, &gradient),
        }
    }
}

/// The loops of an instruction set over grids of one size, on one thread.
pub(crate) enum Loops {
    #[cfg(target_arch = "x86_64")]
    Tiles(TileLoops),
    Winograd(Winograd, Isa),
}

impl Loops {
    /// Returns the loops over grids of this height and width. `isa` comes from [`Isa::available`].
    pub fn new(isa: Isa, size: [usize; 2]) -> Loops {
        #[cfg(target_arch = "x86_64")]
        if let Some(tiles) = (isa == Isa::Amx).then(|| TileLoops::new(size)).flatten() {
            return Loops::Tiles(tiles);
        }
        Loops::Winograd(Winograd::new(size[0], size[1]), isa)
    }

    /// Returns the number of positions, up to `positions`, that are best computed with at a time: as many as stay in the
    /// cache, or all where each call has to prepare the weights.
    pub fn together(&self, positions: usize) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Loops::Tiles(_) => positions.min(tiles::TOGETHER),
            Loops::Winograd(..) => positions,
        }
    }

    /// Returns weights `[outputs][inputs][tap]` in the form that these loops read.
    ///
    /// # Panics
    /// Panics if there are more weights or fewer, or if the loops would leave out some channels.
    pub fn pack(&self, channels: Channels, weights: &[f32]) -> PackedWeights {
        let Channels { inputs, outputs } = channels;
        assert!(inputs.is_multiple_of(4) && outputs.is_multiple_of(LANES), "{channels:?} of a convolution");
        assert_eq!(weights.len(), outputs * inputs * TAPS, "weights of {channels:?}");
        let form = match self {
            #[cfg(target_arch = "x86_64")]
            Loops::Tiles(_) => Form::Pairs(tiles::pack(channels, weights)),
            Loops::Winograd(..) => Form::Kernels(winograd::pack(channels, weights)),
        };
        PackedWeights { channels, form }
    }

    /// Writes the convolution of `x`, `[position][cell][inputs]`, to `y`, `[position][cell][outputs]`.
    ///
    /// # Panics
    /// Panics if the numbers of positions differ, or if the weights were packed by other loops.
    pub fn convolve(&mut self, weights: &PackedWeights, bias: &[f32], x: &[f32], y: &mut [f32]) {
        let Channels { inputs, outputs } = weights.channels;
        assert_eq!((bias.len(), x.len() * outputs), (outputs, y.len() * inputs), "numbers of {:?}", weights.channels);
        match (self, &weights.form) {
            #[cfg(target_arch = "x86_64")]
            (Loops::Tiles(tiles), Form::Pairs(pairs)) => tiles.convolve(pairs, bias, x, y),
            (Loops::Winograd(winograd, isa), Form::Kernels(kernels)) => {
                winograd.convolve(*isa, weights.channels, kernels, bias, x, y);
            }
            #[cfg(target_arch = "x86_64")]
            _ => unreachable!("weights of other loops"),
        }
    }

    /// Returns a gradient to which nothing is added yet.
    pub fn gradient(&self, channels: Channels) -> WeightGradient {
        WeightGradient { channels, sums: Vec::new() }
    }

    /// Adds the gradient by the weights where the input is `x`, `[position][cell][inputs]`, and `by_output` is the
    /// gradient by the output, `[position][cell][outputs]`.
    ///
    /// # Panics
    /// Panics if the numbers of positions differ, or if the gradient is one of other loops.
    pub fn add_gradient(&mut self, gradient: &mut WeightGradient, x: &[f32], by_output: &[f32]) {
        let WeightGradient { channels, ref mut sums } = *gradient;
        assert_eq!(x.len() * channels.outputs, by_output.len() * channels.inputs, "numbers of {channels:?}");
        match self {
            #[cfg(target_arch = "x86_64")]
            Loops::Tiles(tiles) => {
                if sums.is_empty() {
                    *sums = tiles::no_sums(channels);
                }
                tiles.add_weight_gradient(channels, x, by_output, sums);
            }
            Loops::Winograd(winograd, isa) => {
                let numbers = winograd.weight_gradient(*isa, channels, x, by_output);
                if sums.is_empty() {
                    *sums = numbers;
                } else {
                    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
                }
            }
        }
    }

    /// Returns the sum of the gradients in its [`GradientOrder`].
    ///
    /// # Panics
    /// Panics if nothing was added.
    pub fn numbers(&self, gradient: WeightGradient) -> Vec<f32> {
        assert!(!gradient.sums.is_empty(), "nothing was added");
        gradient.sums
    }

    /// Returns the sum of the gradients, `[outputs][inputs][tap]`.
    ///
    /// # Panics
    /// Panics if nothing was added, or if the gradient is one of other loops.
    pub fn sum(&self, gradient: WeightGradient) -> Vec<f32> {
        let channels = gradient.channels;
        let numbers = self.numbers(gradient);
        match self {
            #[cfg(target_arch = "x86_64")]
            Loops::Tiles(_) => tiles::weight_gradient(channels, &numbers),
            Loops::Winograd(..) => numbers,
        }
    }
}

/// Returns the weights of the convolution that takes gradients back to the input,
/// `[inputs][outputs][tap]`.
///
/// They are the weights `[outputs][inputs][tap]` with every kernel rotated by half a turn.
pub(super) fn rotated(channels: Channels, weights: &[f32]) -> Vec<f32> {
    let Channels { inputs, outputs } = channels;
    let mut rotated = vec![0.0; weights.len()];
    for (output, weights) in weights.chunks_exact(inputs * TAPS).enumerate() {
        for (input, kernel) in weights.chunks_exact(TAPS).enumerate() {
            let place = &mut rotated[(input * outputs + output) * TAPS..][..TAPS];
            place.iter_mut().zip(kernel.iter().rev()).for_each(|(place, weight)| *place = *weight);
        }
    }
    rotated
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
                let mut loops = Loops::new(isa, [height, width]);
                let channels = Channels { inputs, outputs };
                let mut found = vec![f32::NAN; y.len()];
                loops.convolve(&loops.pack(channels, &weights), &bias, &x, &mut found);
                assert_close(&found, &y, isa);
                // In two parts, of which the second is no whole number of those that stay in the cache.
                let mut sum = loops.gradient(channels);
                let (head, tail) = (x.split_at(8 * cells * inputs), gradient.split_at(8 * cells * outputs));
                loops.add_gradient(&mut sum, head.0, tail.0);
                loops.add_gradient(&mut sum, head.1, tail.1);
                assert_close(&loops.sum(sum), &by_weights, isa);
            }
        }
    }
}
