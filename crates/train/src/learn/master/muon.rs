//! Muon: momentum whose updates move a matrix by the same length in every direction.
//!
//! Jordan et al., *Muon: An optimizer for hidden layers in neural networks*, 2024; the scale that
//! lets it share AdamW's learning rate is that of Liu et al., *Muon is Scalable for LLM Training*,
//! 2025 (equation 4). burn's own Muon exposes its momentum in records only, and iterates on the
//! matrix instead of its smaller square.

use burn::tensor::Tensor;

use crate::kernels::orthogonal::{ITERATIONS, LEAST_NORM, QUINTIC};
use doublecross_core::net::{Axis, TensorSpec};

/// The share of the velocity that is kept at each step.
pub(super) const MOMENTUM: f32 = 0.95;

/// The root mean square of the numbers of an update, which is about that of AdamW's.
const SCALE: f64 = 0.2;

/// The factor of updates of the weights of means over the cells. A mean varies far less than what it is of, and where
/// a network counts, one more moves it by one over the number of cells.
const MEANS: f64 = 8.0;

/// A hidden layer's weights as matrices, one after the other.
///
/// Those of a convolution are one matrix, with inputs and taps as columns. Those of pooled channels are two, that of the
/// means and that of the maxima.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Matrices {
    /// The rows and the columns of each matrix.
    pub shape: [usize; 2],
    are_pooled: bool,
}

impl Matrices {
    /// Returns `None` for parameters that are not a hidden layer's weights.
    pub fn of(spec: &TensorSpec) -> Option<Matrices> {
        let (rows, columns) = (spec.shape[0], spec.len() / spec.shape[0]);
        let are_pooled = spec.role.input() == Some(Axis::Pooled);
        let shape = [if are_pooled { rows / 2 } else { rows }, columns];
        spec.role.is_hidden_weight().then_some(Matrices { shape, are_pooled })
    }

    /// The number of weights of a matrix.
    pub fn len(self) -> usize {
        self.shape[0] * self.shape[1]
    }

    /// The factors of the nearly orthogonal matrices in an update at a learning rate of 1.
    pub fn lengths(self) -> impl Iterator<Item = f64> + Clone {
        let length = SCALE * (self.shape[0].max(self.shape[1]) as f64).sqrt();
        self.are_pooled.then_some(MEANS * length).into_iter().chain([length])
    }
}

/// Returns the velocity after this gradient, and the update at a learning rate of 1, of the weights of layers with such
/// matrices.
pub(super) fn muon(gradient: Tensor<1>, velocity: Option<Tensor<1>>, matrices: Matrices) -> (Tensor<1>, Tensor<1>) {
    let velocity = match velocity {
        Some(velocity) => velocity.mul_scalar(MOMENTUM) + gradient.clone(),
        None => gradient.clone(),
    };
    // This is Nesterov's momentum.
    let direction = velocity.clone().mul_scalar(MOMENTUM) + gradient;
    let ([rows, columns], [numbers]) = (matrices.shape, direction.dims());
    let change = orthogonal(direction.reshape([numbers / matrices.len(), rows, columns]));
    let lengths: Vec<f32> = matrices.lengths().map(|length| length as f32).collect();
    let of_layer = lengths.len();
    let lengths = Tensor::<1>::from_data(&lengths[..], &change.device()).reshape([1, of_layer, 1]);
    let change = change.reshape([numbers / (of_layer * matrices.len()), of_layer, matrices.len()]) * lengths;
    (velocity, change.reshape([numbers]))
}

/// Does what [`make_orthogonal`](crate::kernels::orthogonal::make_orthogonal) does with each of some matrices,
/// `[matrix, row, column]`, on any device.
fn orthogonal(matrices: Tensor<3>) -> Tensor<3> {
    let [count, rows, columns] = matrices.dims();
    if rows > columns {
        return orthogonal(matrices.transpose()).transpose();
    }
    let squares = matrices.clone().square().reshape([count, rows * columns]).sum_dim(1);
    let matrices = matrices / squares.sqrt().clamp_min(LEAST_NORM).reshape([count, 1, 1]);
    let mut square = matrices.clone().matmul(matrices.clone().transpose());
    let identity = Tensor::<2>::eye(rows, &matrices.device()).reshape([1, rows, rows]);
    let (a, b, c) = QUINTIC;
    let step_of = |square: &Tensor<3>| {
        let fourth = square.clone().matmul(square.clone());
        square.clone().mul_scalar(b) + fourth.mul_scalar(c) + identity.clone().mul_scalar(a)
    };
    let mut step = step_of(&square);
    let mut factor = step.clone();
    for _ in 1..ITERATIONS {
        square = step.clone().matmul(square).matmul(step);
        step = step_of(&square);
        factor = step.clone().matmul(factor);
    }
    factor.matmul(matrices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::orthogonal::make_orthogonal;
    use crate::kernels::orthogonal::tests::matrix;
    use crate::learn::read::read;
    use burn::tensor::{Device, TensorData};
    use doublecross_core::board::Board;
    use doublecross_core::net::{Architecture, Isa};

    fn tensor(numbers: &[f32]) -> Tensor<1> {
        Tensor::from_data(TensorData::new(numbers.to_vec(), [numbers.len()]), &Device::flex())
    }

    /// Operations of burn and the loops of each instruction set agree.
    #[test]
    fn matrices_are_those_of_the_loops() {
        for shape in [[6, 20], [20, 6], [16, 144]] {
            let matrices = Matrices { shape, are_pooled: false };
            let (_, change) = muon(tensor(&matrix(shape)).mul_scalar(1e-3), None, matrices);
            let burns = read(change);
            for isa in Isa::available() {
                let mut ours: Vec<f32> = matrix(shape).iter().map(|number| 1e-3 * number).collect();
                make_orthogonal(isa, &mut ours, shape, matrices.lengths().next().unwrap() as f32);
                for (ours, burns) in ours.iter().zip(&burns) {
                    assert!((ours - burns).abs() < 1e-3, "{isa:?} {shape:?}: {ours} {burns}");
                }
            }
        }
    }

    #[test]
    fn velocity_accumulates_gradients() {
        let matrices = Matrices { shape: [2, 3], are_pooled: false };
        let (first, _) = muon(tensor(&matrix([2, 3])), None, matrices);
        let (second, _) = muon(tensor(&matrix([2, 3])), Some(first), matrices);
        for (velocity, gradient) in read(second).into_iter().zip(matrix([2, 3])) {
            assert!((velocity - 1.95 * gradient).abs() < 1e-5);
        }
    }

    #[test]
    fn hidden_layers_are_those_between_the_first_and_the_last() {
        let (board, architecture) = (Board::new(2, 2).unwrap(), Architecture::new(16, 1, 8));
        let specs = [architecture.tensors(board), architecture.edge_head(board)].concat();
        let hidden: Vec<&str> = specs.iter().filter(|s| Matrices::of(s).is_some()).map(|s| s.name.as_str()).collect();
        let of_block = ["block0.conv1.weight", "block0.pool.weight", "block0.conv2.weight"];
        let of_heads = ["policy.conv.weight", "policy.pool.weight", "value.hidden.weight"];
        assert_eq!(hidden, [of_block, of_heads].concat());
        let shape = |index: usize| Matrices::of(&specs[index]).unwrap().shape;
        assert_eq!((shape(2), shape(4)), ([16, 16 * 9], [16, 16]));
    }

    /// The weights of means and of maxima change independently of each other, those of means by longer steps.
    #[test]
    fn means_move_farther_than_maxima() {
        let (pooled, plain) =
            (Matrices { shape: [4, 4], are_pooled: true }, Matrices { shape: [4, 4], are_pooled: false });
        let numbers = matrix([8, 4]);
        let (_, both) = muon(tensor(&numbers), None, pooled);
        let (both, halves) = (read(both), numbers.chunks(16).map(|half| read(muon(tensor(half), None, plain).1)));
        for ((change, alone), factor) in both.chunks(16).zip(halves).zip([MEANS as f32, 1.0]) {
            for (change, alone) in change.iter().zip(alone) {
                assert!((change - factor * alone).abs() < 1e-4 * factor, "{change} {alone}");
            }
        }
    }
}
