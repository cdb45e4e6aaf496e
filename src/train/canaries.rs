//! What burn says of a few positions, kept with the weights.

use burn::tensor::{Device, Tensor};
use rand::RngExt;

use super::batch::planes;
use super::{Convolutions, Model};
use crate::board::{Board, Edge, Edges};
use crate::net::{Canary, Weights};
use crate::random::{Purpose, stream};

/// How many canaries there are: the empty board, and positions with ever more edges drawn.
const CANARIES: usize = 4;

/// The weights with what burn says of a few positions, for [`Network::checked`](crate::net::Network::checked).
pub fn with_canaries(weights: Weights) -> Weights {
    let Weights { board, architecture, tensors, .. } = &weights;
    let model = Model::fixed(*board, *architecture, tensors, &Device::flex());
    Weights { canaries: canaries(&model, &positions(*board)), ..weights }
}

/// What a model says of these positions, laid out as the engine's answers are.
pub(super) fn canaries(model: &Model, positions: &[Edges]) -> Vec<Canary> {
    let board = model.board();
    let cells = (board.rows() + 1) * (board.cols() + 1);
    let logits = model.forward(planes(board, positions, &model.parameters[0].device()), Convolutions::Burn);
    let numbers = |logits: Tensor<2>| logits.into_data().try_to_vec::<f32>().expect("logits are f32");
    let (policy, margins) = (numbers(logits.policy), numbers(logits.margins));
    let canary = |((drawn, policy), margins): ((&Edges, &[f32]), &[f32])| Canary {
        drawn: *drawn,
        policy: (0..cells).flat_map(|cell| [policy[cell], policy[cells + cell]]).collect(),
        margins: margins.to_vec(),
    };
    let margins = margins.chunks_exact(2 * board.boxes() + 1);
    positions.iter().zip(policy.chunks_exact(2 * cells)).zip(margins).map(canary).collect()
}

/// Positions without a box on offer.
fn positions(board: Board) -> Vec<Edges> {
    let mut rng = stream(0, 0, 0, Purpose::Weights);
    let position = |share: usize| {
        let mut drawn = Edges::EMPTY;
        for _ in 0..board.edges() * share / CANARIES {
            let edges: Vec<Edge> = board.undrawn(drawn).iter().collect();
            let edge = edges[rng.random_range(0..edges.len())];
            if board.is_capture_free(drawn.with(edge)) {
                drawn.insert(edge);
            }
        }
        drawn
    };
    (0..CANARIES).map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::super::model::initial_tensors;
    use super::*;
    use crate::net::{Architecture, CanaryError, Network, Path};

    #[test]
    fn the_engine_sings_along_and_damage_is_heard() {
        let board = Board::new(3, 2).unwrap();
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let mut tensors = initial_tensors(board, architecture, 3);
        tensors.iter_mut().flatten().enumerate().for_each(|(i, x)| *x += 0.1 * (i as f32).sin());
        let path = Path::chosen().unwrap();
        let mut weights = with_canaries(Weights { board, architecture, tensors, canaries: Vec::new() });
        assert_eq!(weights.canaries.len(), CANARIES);
        assert!(weights.canaries[CANARIES - 1].drawn.len() > 4);
        assert!(Network::checked(&weights, path).is_ok());
        weights.tensors.last_mut().unwrap()[3] += 0.05;
        let error = Network::checked(&weights, path).err().unwrap();
        assert!(matches!(error, CanaryError::Differs { .. }), "{error}");
        assert!(error.to_string().contains("3x2:0x"), "{error}");
        // A logit that is not a number differs, in whichever of the two heads it is.
        let mut weights = with_canaries(weights);
        weights.canaries[1].policy[0] = f32::NAN;
        assert!(Network::checked(&weights, path).is_err());
    }
}
