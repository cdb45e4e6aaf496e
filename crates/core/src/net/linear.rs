//! Linear layers.

use super::layout::{FloatLayer, LANES, Tensors, lanes, lanes_mut};

/// A linear layer, packed like a convolution with one tap.
pub(super) struct Linear(FloatLayer);

impl Linear {
    /// Packs the next layer.
    pub fn take(tensors: &mut Tensors) -> Linear {
        let layer = tensors.next_layer();
        let (inputs, outputs) = (layer.spec.inputs(), layer.spec.outputs());
        let number = |output: usize, input: usize| layer.weights[layer.spec.at(input, output)][0];
        let by_output = |output: usize| (0..inputs).map(move |input| number(output, input));
        let weights: Vec<f32> = (0..outputs).flat_map(by_output).collect();
        let bias = layer.bias.map_or_else(|| vec![0.0; outputs], Vec::clone);
        Linear(FloatLayer::new(&weights, &bias, inputs, 1))
    }

    /// The number of outputs, padding included.
    pub fn outputs(&self) -> usize {
        self.0.bias.len()
    }

    /// Writes `bias + sum over inputs` of each output.
    #[inline(always)]
    pub fn apply(&self, input: &[f32], output: &mut [f32]) {
        let FloatLayer { packed, bias, inputs, .. } = &self.0;
        let blocks = packed.chunks_exact(inputs * LANES);
        for ((output, bias), weights) in lanes_mut(output).zip(lanes(bias)).zip(blocks) {
            let mut sums = *bias;
            for (x, weights) in input[..*inputs].iter().zip(lanes(weights)) {
                sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum += x * w);
            }
            *output = sums;
        }
    }
}
