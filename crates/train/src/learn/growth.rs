//! The growth of a network into a larger one with the same outputs.
//!
//! A network grows in width, depth and input planes. Its weights are kept, those from new inputs to
//! old outputs are zero, and new blocks start as the identity. Weights into new channels are
//! those of a fresh network, so that the channels differ and learning can use them. Chen,
//! Goodfellow and Shlens (2016) copy old channels instead and divide their outputs.

use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, Axis, TensorSpec, Weights};
use doublecross_run::{initial_edge_head, initial_weights};

/// Returns weights with which learning on another board begins.
///
/// A network of one board knows nothing of the margins of others, and is sure of them nevertheless:
/// the last layer of its margin head begins afresh. So does one of several boards where the board is
/// larger than all of them.
pub(crate) fn begin_on(weights: &Weights, board: Board) -> Weights {
    let mut begun = weights.on(board);
    if weights.other_boards.is_empty() || board.boxes() > weights.board.boxes() {
        let specs = begun.architecture.tensors(board);
        for (spec, tensor) in specs.iter().zip(&mut begun.tensors) {
            if spec.role.output() == Axis::Margins {
                tensor.fill(0.0);
            }
        }
    }
    begun
}

/// Returns a network of `architecture` with the same logits as these weights to within rounding.
///
/// New channels depend on `seed`. A larger network has no canaries. Returns `None` if
/// `architecture` is smaller in any size or has other blocks.
///
/// ```
/// use doublecross_core::board::Board;
/// use doublecross_core::net::Architecture;
/// use doublecross_run::initial_weights;
/// use doublecross_train::grow;
/// let board = Board::new(2, 2).unwrap();
/// let small = Architecture::new(16, 1, 8);
/// let large = Architecture::new(32, 3, 8);
/// let weights = initial_weights(board, small, 1);
/// assert_eq!(grow(&weights, large, 2).unwrap().architecture, large);
/// assert!(grow(&weights, Architecture { blocks: 0, ..large }, 2).is_none());
/// ```
pub fn grow(weights: &Weights, architecture: Architecture, seed: u64) -> Option<Weights> {
    let (board, small) = (weights.board, weights.architecture);
    let is_smaller = |size: fn(Architecture) -> usize| size(architecture) < size(small);
    let sizes: [fn(Architecture) -> usize; 4] = [|a| a.channels, |a| a.blocks, |a| a.value_hidden, |a| a.planes];
    if sizes.into_iter().any(is_smaller) || architecture.block != small.block {
        return None;
    }
    if architecture == small {
        return Some(weights.clone());
    }
    let mut tensors = initial_weights(board, architecture, seed).tensors;
    take_over(&small.tensors(board), &weights.tensors, &architecture.tensors(board), &mut tensors);
    let other_boards = weights.other_boards.clone();
    Some(Weights { board, other_boards, architecture, tensors, canaries: Vec::new() })
}

/// Returns an edge head for a larger network with the same outputs.
pub(crate) fn grow_edge_head(
    board: Board,
    from: Architecture,
    edge_head: &[Vec<f32>],
    to: Architecture,
) -> Vec<Vec<f32>> {
    let mut grown = initial_edge_head(board, to);
    take_over(&from.edge_head(board), edge_head, &to.edge_head(board), &mut grown);
    grown
}

/// Copies the old tensors into fresh ones of the same names. Weights from new inputs to old outputs
/// become zero.
fn take_over(old_specs: &[TensorSpec], old_tensors: &[Vec<f32>], specs: &[TensorSpec], tensors: &mut [Vec<f32>]) {
    for (new, to) in specs.iter().zip(tensors) {
        let of_name = old_specs.iter().zip(old_tensors).find(|(old, _)| old.name == new.name);
        let Some((old, from)) = of_name else { continue };
        for output in 0..old.outputs() {
            for input in 0..new.inputs() {
                let earlier = |axis: Axis| axis.earlier(input, new.inputs(), old.inputs());
                let place = &mut to[new.at(input, output)];
                // A bias has one input.
                match new.role.input().map_or(Some(0), earlier) {
                    Some(earlier) => place.copy_from_slice(&from[old.at(earlier, output)]),
                    None => place.fill(0.0),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::{Board, State};
    use doublecross_core::net::{BlockKind, Engine, Isa, Network, deviation};
    use doublecross_run::load_weights;
    use std::sync::Arc;

    /// Returns the logits of some states on [`Isa::Portable`].
    fn logits(weights: &Weights) -> Vec<Vec<f32>> {
        let board = weights.board;
        let mut engine = Engine::new(Arc::new(Network::new(weights, Isa::Portable)));
        let state = |index: usize| State::from_drawn(board, board.all().iter().step_by(5 + index).collect());
        let mut logits = Vec::new();
        for state in (0..6).map(state).filter(|state| state.is_capture_free()) {
            let output = engine.forward(state);
            logits.extend([output.policy.to_vec(), output.margins.to_vec()]);
        }
        logits
    }

    #[test]
    fn a_grown_network_has_the_same_logits() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checkpoints/3x3");
        let weights = load_weights(&path).unwrap();
        let small = weights.architecture;
        let before = logits(&weights);
        assert!(before.len() > 4);
        for (more_channels, more_blocks, more_hidden) in [(0, 0, 0), (16, 0, 0), (0, 2, 0), (0, 0, 9), (32, 1, 64)] {
            let architecture = Architecture {
                channels: small.channels + more_channels,
                blocks: small.blocks + more_blocks,
                value_hidden: small.value_hidden + more_hidden,
                ..small
            };
            let grown = grow(&weights, architecture, 3).unwrap();
            assert_eq!(grown.architecture, architecture);
            for (after, before) in logits(&grown).iter().zip(&before) {
                assert!(deviation(after, before) < 1e-4, "{architecture:?}");
            }
            assert_eq!(grown == weights, architecture == weights.architecture);
        }
    }

    /// New channels that were equal or zero would stay so.
    #[test]
    fn new_channels_differ_and_have_inputs() {
        let board = Board::new(2, 2).unwrap();
        let small = Architecture::new(16, 1, 8);
        let weights = doublecross_run::initial_weights(board, small, 1);
        let large = Architecture { channels: 32, ..small };
        let grown = grow(&weights, large, 2).unwrap();
        let index = large.tensors(board).iter().position(|spec| spec.name == "block0.conv1.weight").unwrap();
        let outputs: Vec<&[f32]> = grown.tensors[index].chunks(32 * 9).skip(16).collect();
        for (i, output) in outputs.iter().enumerate() {
            assert!(output.iter().all(|&weight| weight != 0.0));
            assert!(outputs[..i].iter().all(|other| other != output));
        }
    }

    /// Learning can use a new plane: its weights are zero only to old channels.
    #[test]
    fn a_network_grows_into_new_planes_with_the_same_logits() {
        BlockKind::ALL.into_iter().for_each(assert_growth_into_planes);
    }

    fn assert_growth_into_planes(block: BlockKind) {
        let board = Board::new(2, 2).unwrap();
        let few = Architecture { planes: 14, block, ..Architecture::new(16, 1, 8) };
        let mut weights = doublecross_run::initial_weights(board, few, 1);
        weights.tensors.iter_mut().flatten().enumerate().for_each(|(i, x)| *x += 0.1 * (i as f32).sin());
        let all = Architecture { block, ..Architecture::new(32, 2, 8) };
        let grown = grow(&weights, all, 2).unwrap();
        for (after, before) in logits(&grown).iter().zip(logits(&weights)) {
            assert!(deviation(after, &before) < 1e-4);
        }
        let stem: Vec<&[f32]> = grown.tensors[0].chunks(all.planes * 9).collect();
        assert!(stem[..16].iter().all(|output| output[14 * 9..].iter().all(|&weight| weight == 0.0)));
        assert!(stem[16..].iter().all(|output| output[14 * 9..].iter().all(|&weight| weight != 0.0)));
        assert!(grow(&grown, Architecture { planes: 14, ..all }, 2).is_none());
    }

    #[test]
    fn an_edge_head_does_not_see_new_channels() {
        let board = Board::new(1, 1).unwrap();
        let [small, large] = [16, 32].map(|channels| Architecture::new(channels, 0, 8));
        let edge_head = [(0..32).map(|i| i as f32).collect(), vec![100.0, 200.0]];
        let grown = grow_edge_head(board, small, &edge_head, large);
        let row = |first: usize| (first..first + 16).map(|i| i as f32).chain([0.0; 16]);
        assert_eq!(grown, [row(0).chain(row(16)).collect(), vec![100.0, 200.0]]);
    }
}
