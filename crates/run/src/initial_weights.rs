//! The initial parameters of a network.

use rand::RngExt;

use doublecross_arena::random::{Purpose, stream};
use doublecross_core::board::Board;
use doublecross_core::float::ln_f64;
use doublecross_core::net::{Architecture, Init, TensorSpec, Weights};

/// Returns fresh weights, which depend on the seed alone.
pub fn initial_weights(board: Board, architecture: Architecture, seed: u64) -> Weights {
    let tensors = initial_values(&architecture.tensors(board), seed);
    Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() }
}

/// Returns fresh parameters of an edge head.
pub fn initial_edge_head(board: Board, architecture: Architecture) -> Vec<Vec<f32>> {
    initial_values(&architecture.edge_head(board), 0)
}

/// Returns the initial values that the specs ask for.
fn initial_values(specs: &[TensorSpec], seed: u64) -> Vec<Vec<f32>> {
    let mut rng = stream(seed, 0, 0, Purpose::Weights);
    let mut normal = move || {
        // Box-Muller.
        let radius = (-2.0 * ln_f64(1.0 - rng.random::<f64>())).sqrt();
        (radius * cos_of_turns(rng.random())) as f32
    };
    let mut init = |spec: &TensorSpec| match spec.init {
        Init::Zeros => vec![0.0; spec.len()],
        Init::He => {
            let scale = (2.0 / spec.fan_in() as f32).sqrt();
            (0..spec.len()).map(|_| scale * normal()).collect()
        }
    };
    specs.iter().map(&mut init).collect()
}

/// Returns the cosine of an angle in turns, from 0 up to 1, with the same bits on every machine.
///
/// The polynomials are those of `__kernel_sin` and `__kernel_cos` in FDLIBM (Sun Microsystems,
/// 1993), for angles within an eighth of a turn.
fn cos_of_turns(turns: f64) -> f64 {
    let quarters = (4.0 * turns + 0.5) as u32;
    let x = std::f64::consts::TAU * (turns - quarters as f64 / 4.0);
    let z = x * x;
    let polynomial = |coefficients: [f64; 6]| coefficients.iter().rev().fold(0.0, |sum, c| sum * z + c);
    let sin = || {
        x + x
            * z
            * polynomial([
                -0.16666666666666632,
                0.00833333333332249,
                -0.0001984126982985795,
                2.7557313707070068e-06,
                -2.5050760253406863e-08,
                1.58969099521155e-10,
            ])
    };
    let cos = || {
        1.0 - 0.5 * z
            + z * z
                * polynomial([
                    0.0416666666666666,
                    -0.001388888888887411,
                    2.480158728947673e-05,
                    -2.7557314351390663e-07,
                    2.087572321298175e-09,
                    -1.1359647557788195e-11,
                ])
    };
    match quarters % 4 {
        0 => cos(),
        1 => -sin(),
        2 => -cos(),
        _ => sin(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_of_turns_is_that_of_the_angle() {
        for turns in (0..100_000).map(|i| i as f64 / 100_000.0) {
            let (found, expected) = (cos_of_turns(turns), (std::f64::consts::TAU * turns).cos());
            assert!((found - expected).abs() < 1e-15, "{turns}: {found} {expected}");
        }
        assert_eq!([0.0, 0.25, 0.5, 0.75].map(cos_of_turns), [1.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn initial_values_are_those_of_the_list() {
        let board = Board::new(2, 2).unwrap();
        let architecture = Architecture::new(32, 1, 64);
        let tensors = initial_weights(board, architecture, 1).tensors;
        for (spec, tensor) in architecture.tensors(board).iter().zip(&tensors) {
            let variance = tensor.iter().map(|x| x * x).sum::<f32>() / tensor.len() as f32;
            let expected = match spec.init {
                Init::Zeros => 0.0,
                Init::He => 2.0 / spec.fan_in() as f32,
            };
            assert!((variance - expected).abs() <= 0.1 * expected, "{}: {variance} {expected}", spec.name);
        }
        // The stem sums over 20 planes and 9 taps.
        assert_eq!(architecture.tensors(board)[0].fan_in(), 9 * architecture.planes);
        assert_eq!(initial_edge_head(board, architecture), [vec![0.0; 64], vec![0.0; 2]]);
    }

    #[test]
    fn they_depend_on_the_seed() {
        let weights = |seed| initial_weights(Board::new(2, 2).unwrap(), Architecture::new(32, 1, 64), seed);
        assert_eq!(weights(3), weights(3));
        assert_ne!(weights(3), weights(4));
    }
}
