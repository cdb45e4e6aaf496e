//! Muon: momentum whose updates move a matrix by the same length in every direction.
//!
//! Jordan et al., *Muon: An optimizer for hidden layers in neural networks*, 2024; the scale that
//! lets it share AdamW's learning rate is that of Liu et al., *Muon is Scalable for LLM Training*,
//! 2025 (equation 4). burn's own Muon exposes its momentum in records only, and iterates on the
//! matrix instead of its smaller square.

use burn::tensor::Tensor;

use crate::kernels::orthogonal::{ITERATIONS, LEAST_NORM, QUINTIC};
use doublecross_core::net::TensorSpec;

/// The share of the velocity that is kept at each step.
pub(super) const MOMENTUM: f32 = 0.95;

/// The root mean square of the numbers of an update, which is about that of AdamW's.
const SCALE: f64 = 0.2;

/// Returns the factor of the nearly orthogonal matrix of this shape in an update at a learning rate of 1.
pub(super) fn scale([rows, columns]: [usize; 2]) -> f64 {
    SCALE * (rows.max(columns) as f64).sqrt()
}

/// Returns the shape of a hidden layer's weights as a matrix, with a convolution's inputs and taps as columns.
///
/// Returns `None` for other parameters.
pub(super) fn matrix_shape(spec: &TensorSpec) -> Option<[usize; 2]> {
    spec.role.is_hidden_weight().then(|| [spec.shape[0], spec.len() / spec.shape[0]])
}

/// Returns the velocity after this gradient, and the update at a learning rate of 1, of matrices of this shape, one
/// after the other.
pub(super) fn muon(gradient: Tensor<1>, velocity: Option<Tensor<1>>, shape: [usize; 2]) -> (Tensor<1>, Tensor<1>) {
    let velocity = match velocity {
        Some(velocity) => velocity.mul_scalar(MOMENTUM) + gradient.clone(),
        None => gradient.clone(),
    };
    // This is Nesterov's momentum.
    let direction = velocity.clone().mul_scalar(MOMENTUM) + gradient;
    let ([rows, columns], [numbers]) = (shape, direction.dims());
    let change = orthogonal(direction.reshape([numbers / (rows * columns), rows, columns]));
    (velocity, change.reshape([numbers]).mul_scalar(scale(shape)))
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
            let (_, change) = muon(tensor(&matrix(shape)).mul_scalar(1e-3), None, shape);
            let burns = read(change);
            for isa in Isa::available() {
                let mut ours: Vec<f32> = matrix(shape).iter().map(|number| 1e-3 * number).collect();
                make_orthogonal(isa, &mut ours, shape, scale(shape) as f32);
                for (ours, burns) in ours.iter().zip(&burns) {
                    assert!((ours - burns).abs() < 1e-3, "{isa:?} {shape:?}: {ours} {burns}");
                }
            }
        }
    }

    #[test]
    fn velocity_accumulates_gradients() {
        let (first, _) = muon(tensor(&matrix([2, 3])), None, [2, 3]);
        let (second, _) = muon(tensor(&matrix([2, 3])), Some(first), [2, 3]);
        for (velocity, gradient) in read(second).into_iter().zip(matrix([2, 3])) {
            assert!((velocity - 1.95 * gradient).abs() < 1e-5);
        }
    }

    #[test]
    fn hidden_layers_are_those_between_the_first_and_the_last() {
        let (board, architecture) = (Board::new(2, 2).unwrap(), Architecture::new(16, 1, 8));
        let specs = [architecture.tensors(board), architecture.edge_head(board)].concat();
        let hidden: Vec<&str> = specs.iter().filter(|s| matrix_shape(s).is_some()).map(|s| s.name.as_str()).collect();
        let of_block = ["block0.conv1.weight", "block0.pool.weight", "block0.conv2.weight"];
        let of_heads = ["policy.conv.weight", "policy.pool.weight", "value.hidden.weight"];
        assert_eq!(hidden, [of_block, of_heads].concat());
        assert_eq!(matrix_shape(&specs[2]), Some([16, 16 * 9]));
    }
}
