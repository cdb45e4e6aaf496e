//! Muon: momentum whose updates move a matrix by the same length in every direction.
//!
//! Jordan et al., *Muon: An optimizer for hidden layers in neural networks*, 2024; the scale that
//! lets it share AdamW's learning rate is that of Liu et al., *Muon is Scalable for LLM Training*,
//! 2025 (equation 4). burn's own Muon exposes its momentum in records only, and iterates on the
//! matrix instead of its smaller square.

use burn::tensor::Tensor;

/// The share of the velocity that is kept at each step.
const MOMENTUM: f32 = 0.95;

/// The coefficients of the quintic `a x + b x^3 + c x^5`, which takes singular values towards 1.
const QUINTIC: (f32, f32, f32) = (3.4445, -4.775, 2.0315);

/// The number of times that the quintic is applied.
const ITERATIONS: usize = 5;

/// The root mean square of the numbers of an update, which is about that of AdamW's.
const SCALE: f64 = 0.2;

/// Returns the velocity after this gradient, and the update of the matrix `[rows, columns]` at a
/// learning rate of 1.
///
/// Both are flat.
pub(crate) fn muon(gradient: Tensor<1>, velocity: Option<Tensor<1>>, shape: [usize; 2]) -> (Tensor<1>, Tensor<1>) {
    let velocity = match velocity {
        Some(velocity) => velocity.mul_scalar(MOMENTUM) + gradient.clone(),
        None => gradient.clone(),
    };
    // This is Nesterov's momentum.
    let direction = velocity.clone().mul_scalar(MOMENTUM) + gradient;
    let [rows, columns] = shape;
    let change = orthogonal(direction.reshape(shape)).reshape([rows * columns]);
    (velocity, change.mul_scalar(SCALE * (rows.max(columns) as f64).sqrt()))
}

/// Returns the matrix with its singular values taken to about 1, by the iteration of Newton and
/// Schulz.
///
/// They end between 0.7 and 1.2, except for the smallest. The factor of the matrix is computed from
/// its square alone, which is smaller.
fn orthogonal(matrix: Tensor<2>) -> Tensor<2> {
    let [rows, columns] = matrix.dims();
    if rows > columns {
        return orthogonal(matrix.transpose()).transpose();
    }
    let norm = matrix.clone().square().sum().sqrt().clamp_min(1e-7);
    let matrix = matrix / norm.reshape([1, 1]);
    let mut square = matrix.clone().matmul(matrix.clone().transpose());
    let identity = Tensor::<2>::eye(rows, &matrix.device());
    let (a, b, c) = QUINTIC;
    let step_of = |square: &Tensor<2>| {
        let fourth = square.clone().matmul(square.clone());
        identity.clone().mul_scalar(a) + square.clone().mul_scalar(b) + fourth.mul_scalar(c)
    };
    let mut step = step_of(&square);
    let mut factor = step.clone();
    for _ in 1..ITERATIONS {
        square = step.clone().matmul(square).matmul(step);
        step = step_of(&square);
        factor = step.clone().matmul(factor);
    }
    factor.matmul(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn matrix(rows: usize, columns: usize) -> Tensor<1> {
        let numbers: Vec<f32> = (0..rows * columns).map(|i| (i * i * 31 % 101) as f32 / 101.0 - 0.4).collect();
        Tensor::from_data(TensorData::new(numbers, [rows * columns]), &Device::flex())
    }

    /// The update of a wide or a tall matrix is nearly orthogonal along its shorter side, whatever
    /// the gradient's size.
    #[test]
    fn updates_are_nearly_orthogonal() {
        for (rows, columns) in [(6, 20), (20, 6)] {
            let (_, change) = muon(matrix(rows, columns).mul_scalar(1e-3), None, [rows, columns]);
            let change = change.mul_scalar(1.0 / (SCALE * 20f64.sqrt())).reshape([rows, columns]);
            let wide = if rows > columns { change.transpose() } else { change };
            let square: Vec<f32> = wide.clone().matmul(wide.transpose()).into_data().try_to_vec().unwrap();
            for (index, &number) in square.iter().enumerate() {
                let expected = if index % 7 == 0 { 1.0 } else { 0.0 };
                assert!((number - expected).abs() < 0.5, "{rows}x{columns}, {index}: {number}");
            }
        }
    }

    /// Along `u v^T`, a matrix of one singular value, the update is `u v^T` up to its length.
    #[test]
    fn the_update_of_a_single_direction_is_parallel_to_it() {
        let (u, v) = ([0.6f32, -0.8], [2.0f32, -1.0, 2.0]);
        let outer: Vec<f32> = u.iter().flat_map(|u| v.iter().map(move |v| u * v)).collect();
        let gradient = Tensor::from_data(TensorData::new(outer.clone(), [6]), &Device::flex());
        let (velocity, change) = muon(gradient, None, [2, 3]);
        assert_eq!(velocity.into_data().try_to_vec::<f32>().unwrap(), outer);
        let change: Vec<f32> = change.into_data().try_to_vec().unwrap();
        let ratio = change[0] / outer[0];
        assert!(change.iter().zip(&outer).all(|(c, o)| (c - ratio * o).abs() < 1e-5), "{change:?}");
        // The length of u v^T is 3, and that of the update 0.2 sqrt(3), within the accuracy of the
        // quintic.
        assert!((0.6..1.3).contains(&(ratio * 3.0 / (0.2 * 3f32.sqrt()))), "{ratio}");
    }

    #[test]
    fn velocity_accumulates_gradients() {
        let numbers = |tensor: Tensor<1>| tensor.into_data().try_to_vec::<f32>().unwrap();
        let (first, _) = muon(matrix(2, 3), None, [2, 3]);
        let (second, _) = muon(matrix(2, 3), Some(first), [2, 3]);
        for (velocity, gradient) in numbers(second).into_iter().zip(numbers(matrix(2, 3))) {
            assert!((velocity - 1.95 * gradient).abs() < 1e-5);
        }
    }
}
