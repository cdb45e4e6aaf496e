use std::sync::Arc;

use rand::RngExt;

use super::*;
use crate::Precision;
use crate::learn::canaries::canaries;
use doublecross_arena::random::{Purpose, stream};
use doublecross_core::board::State;
use doublecross_core::net::{BlockKind, Canary, Engine, Isa, Network, Weights, deviation};
use doublecross_run::load_weights;

/// Returns tensors of an architecture, none of whose numbers is zero.
fn random_tensors(board: Board, architecture: Architecture, seed: u64) -> Vec<Vec<f32>> {
    let mut rng = stream(seed, 0, 0, Purpose::Weights);
    let mut random = |spec: &TensorSpec| (0..spec.len()).map(|_| rng.random_range(-0.2..0.2)).collect();
    architecture.tensors(board).iter().map(&mut random).collect()
}

/// The inference engine and burn implement one architecture: every instruction set agrees, on
/// random weights with blocks of each kind, all input planes or fewer, and on trained ones.
#[test]
fn the_engine_agrees_with_burn() {
    let board = Board::new(3, 4).unwrap();
    let of = |block, planes| Architecture { block, planes, ..Architecture::new(16, 2, 12) };
    for architecture in BlockKind::ALL.into_iter().flat_map(|block| [PLANES, 13].map(|planes| of(block, planes))) {
        let tensors = random_tensors(board, architecture, 5);
        assert_agreement(&Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() });
    }
    for checkpoint in ["3x3", "5x5"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checkpoints").join(checkpoint);
        assert_agreement(&load_weights(&path).unwrap());
    }
}

fn assert_agreement(weights: &Weights) {
    let Weights { board, architecture, tensors, .. } = weights;
    let model = Model::new(*board, *architecture, tensors, &Device::flex().autodiff());
    assert_eq!(&model.tensors(), tensors);
    let network = Arc::new(Network::new(weights, Isa::Portable));
    let mut engines: Vec<_> = Isa::available().into_iter().map(|isa| Engine::with_isa(network.clone(), isa)).collect();
    let mut rng = stream(6, 0, 0, Purpose::Weights);
    let state = |_| {
        let mut state = State::new(*board);
        for _ in 0..rng.random_range(0..board.edges()) {
            let edge = board.all().iter().nth(rng.random_range(0..board.edges())).unwrap();
            if state.after(edge).is_capture_free() {
                state = state.after(edge);
            }
        }
        state
    };
    let states: Vec<State> = (0..100).map(state).collect();
    for Canary { state, policy, margins } in canaries(&model, &states) {
        let largest = policy.iter().chain(&margins).fold(0f32, |a, b| a.max(b.abs()));
        for (engine, isa) in engines.iter_mut().zip(Isa::available()) {
            let output = engine.forward(state);
            for (found, expected) in [(output.policy, &policy), (output.margins, &margins)] {
                let off = deviation(found, expected);
                assert!(off <= isa.tolerance(), "{isa:?} {board}: {off}");
                let most = found.iter().zip(expected).fold(0f32, |most, (a, b)| most.max((a - b).abs()));
                assert!(!isa.is_float() || most <= 1e-4 * largest, "{isa:?} {board}: {most}");
            }
        }
    }
}

/// Outputs and gradients are the same with this crate's convolutions and with burn's.
#[test]
fn own_convolutions_agree_with_burn() {
    for block in BlockKind::ALL {
        assert_own_convolutions(Architecture { block, ..Architecture::new(32, 2, 12) });
    }
    assert_own_convolutions(Architecture { planes: 13, ..Architecture::new(32, 1, 12) });
}

fn assert_own_convolutions(architecture: Architecture) {
    // No whole number of those that are computed together.
    const POSITIONS: usize = 19;
    let board = Board::new(3, 4).unwrap();
    let mut tensors = random_tensors(board, architecture, 7);
    let edge_head = architecture.edge_head(board);
    tensors.extend(edge_head.iter().map(|spec| (0..spec.len()).map(|i| 0.2 * (i as f32).cos()).collect::<Vec<_>>()));
    let device = Device::flex().autodiff();
    let mut rng = stream(8, 0, 0, Purpose::Weights);
    let planes: Vec<f32> = (0..POSITIONS * 4 * 5 * PLANES).map(|_| rng.random_range(0.0..1.0)).collect();
    let numbers_of = |precision: Option<Precision>| {
        let model = Model::new(board, architecture, &tensors, &device);
        let convolutions = precision.map_or(Convolutions::Burn, |precision| model.packed(precision, board));
        let planes = Tensor::from_data(TensorData::new(planes.clone(), [POSITIONS, 4, 5, PLANES]), &device);
        let logits = model.forward(planes, &convolutions);
        // Every logit has its own weight, so that a wrong order shows.
        let weigh = |logits: Tensor<2>| {
            let weights: Vec<f32> = (0..logits.dims()[1]).map(|i| (i as f32).sin()).collect();
            let size = [1, weights.len()];
            (logits.square() * Tensor::from_data(TensorData::new(weights, size), &device)).sum()
        };
        let loss = weigh(logits.policy) + weigh(logits.margins) + weigh(logits.edge_margins.unwrap());
        let mut numbers = vec![read(loss.clone().inner())];
        let gradients = model.gradients(&loss).into_iter().zip(model.specs());
        numbers.extend(gradients.map(|(gradient, spec)| match precision {
            Some(precision) => precision.gradient_order(spec).to_weights(read(gradient)),
            None => read(gradient),
        }));
        numbers
    };
    let burns = numbers_of(None);
    for precision in Isa::available().into_iter().map(Precision::of) {
        let (ours, isa) = (numbers_of(Some(precision)), precision.isa());
        // Rounded to bf16, some units fall on the other side of their ReLU's kink.
        let most = if isa.is_float() { 1e-4 } else { 0.2 };
        for (index, (ours, burns)) in ours.iter().zip(&burns).enumerate() {
            let largest = burns.iter().fold(0f32, |most, x| most.max(x.abs()));
            assert!(largest > 0.0 && ours.len() == burns.len());
            let off = deviation(ours, burns);
            assert!(off <= most, "{isa:?}, tensor {index}: {off}");
            for (a, b) in ours.iter().zip(burns).filter(|_| isa.is_float()) {
                assert!((a - b).abs() <= 1e-4 * largest, "{isa:?}, tensor {index}: {a} {b}");
            }
        }
    }
}
