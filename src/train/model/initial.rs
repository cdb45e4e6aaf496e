//! The initial parameters of a network.

use rand::RngExt;

use crate::board::Board;
use crate::net::{Architecture, TensorSpec, Weights};
use crate::random::{Purpose, stream};

/// Returns fresh weights, which depend on the seed alone.
pub fn initial_weights(board: Board, architecture: Architecture, seed: u64) -> Weights {
    Weights { board, architecture, tensors: initial_tensors(board, architecture, seed), canaries: Vec::new() }
}

/// Returns fresh tensors: He-normal weights for most layers, and zeros for some.
///
/// Zeros are the biases, the weights of pooled terms, the second convolution of each block, so that
/// a block starts as the identity, and the heads' last layers, so that the first policy is uniform.
pub(in crate::train) fn initial_tensors(board: Board, architecture: Architecture, seed: u64) -> Vec<Vec<f32>> {
    let mut rng = stream(seed, 0, 0, Purpose::Weights);
    let mut normal = move || {
        // Box-Muller.
        let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
        (radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()) as f32
    };
    let init = |spec: TensorSpec| {
        let inputs: usize = match spec.shape[..] {
            [_, inputs, height, width] => inputs * height * width,
            [inputs, _] => inputs,
            _ => 0,
        };
        let zero = ["bias", "pool.weight", "conv2.weight", "out.weight"].iter().any(|end| spec.name.ends_with(end));
        let scale = (2.0 / inputs.max(1) as f32).sqrt();
        (0..spec.len()).map(|_| if zero { 0.0 } else { scale * normal() }).collect()
    };
    architecture.tensors(board).into_iter().map(init).collect()
}

/// Returns the tensors of an edge head: like the policy's last layer, it gives a number for each
/// edge.
///
/// It serves learning alone and is not in weights files.
pub(super) fn edge_head(architecture: Architecture) -> [TensorSpec; 2] {
    let tensor = |name: &str, shape: &[usize]| TensorSpec { name: name.into(), shape: shape.into() };
    [tensor("edges.out.weight", &[2, architecture.channels, 1, 1]), tensor("edges.out.bias", &[2])]
}

/// Returns the initial parameters of an edge head, which are zeros.
pub(in crate::train) fn initial_edge_head(architecture: Architecture) -> Vec<Vec<f32>> {
    edge_head(architecture).iter().map(|spec| vec![0.0; spec.len()]).collect()
}
