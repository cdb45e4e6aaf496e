//! The growth of a network into a larger one with the same outputs.
//!
//! A network grows in width and depth. Its weights are kept, those from new channels and hidden
//! units to old ones are zero, and new blocks start as the identity. Weights into new channels are
//! those of a fresh network, so that the channels differ and learning can use them. Chen,
//! Goodfellow and Shlens (2016) copy old channels instead and divide their outputs.

use crate::learn::model::{initial_edge_head, initial_tensors};
use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, TensorSpec, Weights};

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
            if spec.name.starts_with("value.out.") {
                tensor.fill(0.0);
            }
        }
    }
    begun
}

/// Returns a network of `architecture` with the same logits as these weights to within rounding.
///
/// New channels depend on `seed`. A larger network has no canaries. Returns `None` if
/// `architecture` is smaller in any size.
///
/// ```
/// use doublecross_core::board::Board;
/// use doublecross_core::net::Architecture;
/// use doublecross_train::{grow, initial_weights};
/// let board = Board::new(2, 2).unwrap();
/// let small = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
/// let large = Architecture { channels: 32, blocks: 3, value_hidden: 8 };
/// let weights = initial_weights(board, small, 1);
/// assert_eq!(grow(&weights, large, 2).unwrap().architecture, large);
/// assert!(grow(&weights, Architecture { blocks: 0, ..large }, 2).is_none());
/// ```
pub fn grow(weights: &Weights, architecture: Architecture, seed: u64) -> Option<Weights> {
    let (board, small) = (weights.board, weights.architecture);
    let is_smaller = |size: fn(Architecture) -> usize| size(architecture) < size(small);
    if is_smaller(|a| a.channels) || is_smaller(|a| a.blocks) || is_smaller(|a| a.value_hidden) {
        return None;
    }
    if architecture == small {
        return Some(weights.clone());
    }
    let old_specs = small.tensors(board);
    let mut tensors = initial_tensors(board, architecture, seed);
    for (spec, tensor) in architecture.tensors(board).iter().zip(&mut tensors) {
        if let Some(index) = old_specs.iter().position(|old| old.name == spec.name) {
            take_over(&Layer::of(&old_specs[index]), &weights.tensors[index], &Layer::of(spec), tensor);
        }
    }
    let other_boards = weights.other_boards.clone();
    Some(Weights { board, other_boards, architecture, tensors, canaries: Vec::new() })
}

/// Returns an edge head for more channels with the same outputs: it does not see the new ones.
pub(crate) fn grow_edge_head(edge_head: &[Vec<f32>], architecture: Architecture) -> Vec<Vec<f32>> {
    let mut grown = initial_edge_head(architecture);
    let [weight, bias] = &mut grown[..] else { unreachable!("an edge head is a weight and a bias") };
    let channels = edge_head[0].len() / bias.len();
    for (new, old) in weight.chunks_exact_mut(architecture.channels).zip(edge_head[0].chunks_exact(channels)) {
        new[..channels].copy_from_slice(old);
    }
    bias.copy_from_slice(&edge_head[1]);
    grown
}

/// The layout of a tensor.
struct Layer {
    outputs: usize,
    /// The number of inputs of one kind.
    inputs: usize,
    /// The number of kinds: two for layers on pooled channels, which are means and maxima, and one
    /// for others.
    kinds: usize,
    /// The number of weights of one input and output.
    taps: usize,
    is_linear: bool,
}

impl Layer {
    fn of(spec: &TensorSpec) -> Layer {
        let kinds = if spec.name.ends_with("pool.weight") || spec.name == "value.hidden.weight" { 2 } else { 1 };
        match spec.shape[..] {
            [outputs, inputs, height, width] => {
                Layer { outputs, inputs, kinds, taps: height * width, is_linear: false }
            }
            [inputs, outputs] => Layer { outputs, inputs: inputs / kinds, kinds, taps: 1, is_linear: true },
            // A bias is the weight of an input that is always one.
            _ => Layer { outputs: spec.len(), inputs: 1, kinds, taps: 1, is_linear: false },
        }
    }

    /// Returns the range of the weights of an input and an output.
    fn at(&self, kind: usize, input: usize, output: usize) -> std::ops::Range<usize> {
        let input = kind * self.inputs + input;
        let inputs = self.kinds * self.inputs;
        let index = if self.is_linear { input * self.outputs + output } else { output * inputs + input };
        index * self.taps..(index + 1) * self.taps
    }
}

/// Copies the old weights into a fresh tensor. Weights from new inputs to old outputs become zero.
fn take_over(old: &Layer, from: &[f32], new: &Layer, to: &mut [f32]) {
    for output in 0..old.outputs {
        for kind in 0..new.kinds {
            for input in 0..new.inputs {
                let place = &mut to[new.at(kind, input, output)];
                if input < old.inputs {
                    place.copy_from_slice(&from[old.at(kind, input, output)]);
                } else {
                    place.fill(0.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::{Board, State};
    use doublecross_core::net::{Engine, Isa, Network, deviation};
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
        let Architecture { channels, blocks, value_hidden } = weights.architecture;
        let before = logits(&weights);
        assert!(before.len() > 4);
        for (more_channels, more_blocks, more_hidden) in [(0, 0, 0), (16, 0, 0), (0, 2, 0), (0, 0, 9), (32, 1, 64)] {
            let architecture = Architecture {
                channels: channels + more_channels,
                blocks: blocks + more_blocks,
                value_hidden: value_hidden + more_hidden,
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
        let small = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let weights = crate::initial_weights(board, small, 1);
        let large = Architecture { channels: 32, ..small };
        let grown = grow(&weights, large, 2).unwrap();
        let index = large.tensors(board).iter().position(|spec| spec.name == "block0.conv1.weight").unwrap();
        let outputs: Vec<&[f32]> = grown.tensors[index].chunks(32 * 9).skip(16).collect();
        for (i, output) in outputs.iter().enumerate() {
            assert!(output.iter().all(|&weight| weight != 0.0));
            assert!(outputs[..i].iter().all(|other| other != output));
        }
    }
}
