//! Rows as tensors.

use burn::tensor::{Device, Tensor, TensorData};

use super::Sample;
use crate::board::{Board, Edge, State, Symmetry};
use crate::net::{PLANES, PolicyCell, write_planes};

/// What keeps a logit out of a softmax.
const IMPOSSIBLE: f32 = -1e9;

/// A batch, ready for the loss.
pub(super) struct Batch {
    /// `[batch, rows + 1, cols + 1, PLANES]`
    pub planes: Tensor<4>,
    /// Probabilities `[batch, 2 * cells]`.
    pub policy: Tensor<2>,
    /// 0 where an edge can be drawn, else very low: `[batch, 2 * cells]`.
    pub policy_mask: Tensor<2>,
    /// 1 at the margin, `[batch, 2 * boxes + 1]`.
    pub margins: Tensor<2>,
    /// What edges are worth in boxes, 0 where that is not known: `[batch, 2 * cells]`.
    pub edge_margins: Tensor<2>,
    /// 1 where it is known, else 0: `[batch, 2 * cells]`.
    pub edges_known: Tensor<2>,
    /// 0 where a margin is possible, else very low: `[batch, 2 * boxes + 1]`.
    pub margins_mask: Tensor<2>,
}

impl Batch {
    /// The batch of these rows, each seen under a symmetry.
    pub fn new(board: Board, rows: &[(&Sample, Symmetry)], device: &Device) -> Batch {
        let (cells, boxes) = ((board.rows() + 1) * (board.cols() + 1), board.boxes());
        let margins = 2 * boxes + 1;
        let place = |edge: Edge| PolicyCell::of(board, edge).planar();
        let states: Vec<State> = rows.iter().map(|(row, symmetry)| row.state.image(*symmetry)).collect();
        let mut policy = vec![0.0; rows.len() * 2 * cells];
        let mut policy_mask = vec![IMPOSSIBLE; rows.len() * 2 * cells];
        let (mut edge_margins, mut known) = (policy.clone(), policy.clone());
        let mut margin = vec![0.0; rows.len() * margins];
        let mut margin_mask = vec![IMPOSSIBLE; rows.len() * margins];
        for (index, (row, symmetry)) in rows.iter().enumerate() {
            let state = states[index];
            let (policy, mask) = (&mut policy[index * 2 * cells..], &mut policy_mask[index * 2 * cells..]);
            let total: f32 = row.policy.iter().map(|&(_, weight)| weight as f32).sum();
            for &(edge, weight) in &row.policy {
                policy[place(symmetry.edge(edge))] = weight as f32 / total;
            }
            for &(edge, margin) in &row.edge_margins {
                let at = index * 2 * cells + place(symmetry.edge(edge));
                (edge_margins[at], known[at]) = (margin as f32, 1.0);
            }
            state.undrawn().iter().for_each(|edge| mask[place(edge)] = 0.0);
            margin[index * margins + (boxes as i32 + row.margin as i32) as usize] = 1.0;
            let open = state.open_boxes();
            (boxes - open..=boxes + open).step_by(2).for_each(|m| margin_mask[index * margins + m] = 0.0);
        }
        let batch = rows.len();
        let pairs = |data: Vec<f32>, size: usize| Tensor::<2>::from_data(TensorData::new(data, [batch, size]), device);
        Batch {
            planes: planes(board, &states, device),
            policy: pairs(policy, 2 * cells),
            policy_mask: pairs(policy_mask, 2 * cells),
            edge_margins: pairs(edge_margins, 2 * cells),
            edges_known: pairs(known, 2 * cells),
            margins: pairs(margin, margins),
            margins_mask: pairs(margin_mask, margins),
        }
    }
}

/// The planes of these states, `[batch, rows + 1, cols + 1, PLANES]`.
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
