//! Training samples as tensors.

use burn::tensor::{Device, Tensor, TensorData};

use super::Sample;
use crate::board::{Board, Edge, State, Symmetry};
use crate::net::{PLANES, PolicyCell, write_planes};

/// The mask of a logit that a softmax must leave out.
const MASKED: f32 = -1e9;

/// A batch of samples, ready for the loss.
pub(super) struct Batch {
    /// The input planes, `[batch, rows + 1, cols + 1, PLANES]`.
    pub planes: Tensor<4>,
    /// Target probabilities, `[batch, 2 * cells]`.
    pub policy: Tensor<2>,
    /// 0 where an edge is undrawn and [`MASKED`] elsewhere, `[batch, 2 * cells]`.
    pub policy_mask: Tensor<2>,
    /// 1 at the margin to aim at and 0 elsewhere, `[batch, 2 * boxes + 1]`.
    pub margins: Tensor<2>,
    /// 0 where a margin is possible and [`MASKED`] elsewhere, `[batch, 2 * boxes + 1]`.
    pub margins_mask: Tensor<2>,
    /// Edge values in boxes, 0 where they are not known, `[batch, 2 * cells]`.
    pub edge_margins: Tensor<2>,
    /// 1 where an edge value is known and 0 elsewhere, `[batch, 2 * cells]`.
    pub edges_known: Tensor<2>,
}

impl Batch {
    /// Creates the batch of these samples, each under a symmetry.
    pub fn new(board: Board, samples: &[(&Sample, Symmetry)], device: &Device) -> Batch {
        let (cells, boxes) = ((board.rows() + 1) * (board.cols() + 1), board.boxes());
        let margins = 2 * boxes + 1;
        let place = |edge: Edge| PolicyCell::of(board, edge).planar();
        let states: Vec<State> = samples.iter().map(|(sample, symmetry)| sample.state.image(*symmetry)).collect();
        let mut policy = vec![0.0; samples.len() * 2 * cells];
        let mut policy_mask = vec![MASKED; samples.len() * 2 * cells];
        let (mut edge_margins, mut known) = (policy.clone(), policy.clone());
        let mut margin = vec![0.0; samples.len() * margins];
        let mut margin_mask = vec![MASKED; samples.len() * margins];
        for (index, (sample, symmetry)) in samples.iter().enumerate() {
            let state = states[index];
            let (policy, mask) = (&mut policy[index * 2 * cells..], &mut policy_mask[index * 2 * cells..]);
            let total: f32 = sample.policy.iter().map(|&(_, weight)| weight as f32).sum();
            for &(edge, weight) in &sample.policy {
                policy[place(symmetry.edge(edge))] = weight as f32 / total;
            }
            for &(edge, margin) in &sample.edge_margins {
                let at = index * 2 * cells + place(symmetry.edge(edge));
                (edge_margins[at], known[at]) = (margin as f32, 1.0);
            }
            state.undrawn().iter().for_each(|edge| mask[place(edge)] = 0.0);
            margin[index * margins + (boxes as i32 + sample.margin as i32) as usize] = 1.0;
            let open = state.open_boxes();
            (boxes - open..=boxes + open).step_by(2).for_each(|m| margin_mask[index * margins + m] = 0.0);
        }
        let batch = samples.len();
        let tensor = |data: Vec<f32>, size: usize| Tensor::<2>::from_data(TensorData::new(data, [batch, size]), device);
        Batch {
            planes: planes(board, &states, device),
            policy: tensor(policy, 2 * cells),
            policy_mask: tensor(policy_mask, 2 * cells),
            margins: tensor(margin, margins),
            margins_mask: tensor(margin_mask, margins),
            edge_margins: tensor(edge_margins, 2 * cells),
            edges_known: tensor(known, 2 * cells),
        }
    }
}

/// Returns the input planes of these states, `[batch, rows + 1, cols + 1, PLANES]`.
pub(super) fn planes(board: Board, states: &[State], device: &Device) -> Tensor<4> {
    let (height, width) = (board.rows() + 1, board.cols() + 1);
    let size = height * width * PLANES;
    let mut planes = vec![0.0; states.len() * size];
    for (planes, &state) in planes.chunks_exact_mut(size).zip(states) {
        write_planes(state, planes);
    }
    let data = TensorData::new(planes, [states.len(), height, width, PLANES]);
    Tensor::from_data(data, device)
}
