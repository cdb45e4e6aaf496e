//! Canaries: burn's output for a few states, kept with the weights.

use burn::tensor::{Device, Tensor};
use rand::RngExt;

use crate::learn::batch::planes;
use crate::learn::model::{Convolutions, Model};
use crate::learn::read::read;
use doublecross_arena::random::{Purpose, stream};
use doublecross_core::board::{Board, Edge, State};
use doublecross_core::net::{Canary, PolicyCell, Weights};

/// The number of canaries. They are the empty board, and states with more and more edges drawn.
const CANARIES: usize = 4;

/// Returns the weights with burn's output for a few states, which
/// [`Network::checked`](doublecross_core::net::Network::checked) compares.
pub fn with_canaries(weights: Weights) -> Weights {
    let Weights { board, architecture, tensors, .. } = &weights;
    let model = Model::fixed(*board, *architecture, tensors, &Device::flex());
    Weights { canaries: canaries(&model, &states(*board)), ..weights }
}

/// Returns a model's output for these states, laid out as that of the engine.
pub(crate) fn canaries(model: &Model, states: &[State]) -> Vec<Canary> {
    let board = model.board();
    let cells = PolicyCell::count(board);
    let logits =
        model.forward(Tensor::from_data(planes(board, states), &model.parameters[0].device()), &Convolutions::Burn);
    let (policy, margins) = (read(logits.policy), read(logits.margins));
    let canary = |((state, policy), margins): ((&State, &[f32]), &[f32])| Canary {
        state: *state,
        policy: (0..cells).flat_map(|cell| [policy[cell], policy[cells + cell]]).collect(),
        margins: margins.to_vec(),
    };
    let margins = margins.chunks_exact(2 * board.boxes() + 1);
    states.iter().zip(policy.chunks_exact(2 * cells)).zip(margins).map(canary).collect()
}

/// Returns the states of the canaries, which are capture-free.
fn states(board: Board) -> Vec<State> {
    let mut rng = stream(0, 0, 0, Purpose::Weights);
    let state = |share: usize| {
        let mut state = State::new(board);
        for _ in 0..board.edges() * share / CANARIES {
            let edges: Vec<Edge> = state.undrawn().iter().collect();
            let edge = edges[rng.random_range(0..edges.len())];
            if state.after(edge).is_capture_free() {
                state = state.after(edge);
            }
        }
        state
    };
    (0..CANARIES).map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::net::{Architecture, CanaryError, Isa, Network};
    use doublecross_run::initial_weights;

    #[test]
    fn the_engine_reproduces_canaries_and_detects_damage() {
        let board = Board::new(3, 2).unwrap();
        let architecture = Architecture::new(16, 1, 8);
        let mut tensors = initial_weights(board, architecture, 3).tensors;
        tensors.iter_mut().flatten().enumerate().for_each(|(i, x)| *x += 0.1 * (i as f32).sin());
        let isa = Isa::fastest();
        let mut weights =
            with_canaries(Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() });
        assert_eq!(weights.canaries.len(), CANARIES);
        assert!(weights.canaries[CANARIES - 1].state.drawn().len() > 4);
        assert!(Network::checked(&weights, isa).is_ok());
        weights.tensors.last_mut().unwrap()[3] += 0.05;
        let error = Network::checked(&weights, isa).err().unwrap();
        assert!(matches!(error, CanaryError::Differs { .. }), "{error}");
        assert!(error.to_string().contains("3x2:0x"), "{error}");
        // A logit that is not a number is an error too.
        let mut weights = with_canaries(weights);
        weights.canaries[1].policy[0] = f32::NAN;
        assert!(Network::checked(&weights, isa).is_err());
    }
}
