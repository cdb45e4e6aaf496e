//! Training samples as tensors.

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use doublecross_core::board::{Board, Edge, State, Symmetry};
use doublecross_core::net::{PLANES, PolicyCell, write_planes};
use doublecross_selfplay::Sample;

/// The mask of a logit that a softmax must leave out. Numbers of 16 bits hold it.
pub(super) const MASKED: f32 = -1e4;

/// A batch of samples, ready for the loss.
pub(crate) struct Batch {
    /// The input planes, `[batch, rows + 1, cols + 1, PLANES]`.
    pub planes: Tensor<4>,
    /// Target probabilities, `[batch, 2 * cells]`.
    pub policy: Tensor<2>,
    /// 0 where an edge is undrawn and [`MASKED`] elsewhere, `[batch, 2 * cells]`.
    pub policy_mask: Tensor<2>,
    /// 0 at the margins to aim at and [`MASKED`] elsewhere, `[batch, 2 * boxes + 1]`, for the margins
    /// -boxes..=boxes of the model's board.
    pub margins: Tensor<2>,
    /// 0 where a margin is possible and [`MASKED`] elsewhere, `[batch, 2 * boxes + 1]`.
    pub margins_mask: Tensor<2>,
    /// Edge values in boxes, 0 where they are not known, `[batch, 2 * cells]`.
    pub edge_margins: Tensor<2>,
    /// 1 where an edge value is known and 0 elsewhere, `[batch, 2 * cells]`.
    pub edges_known: Tensor<2>,
}

/// The numbers of a batch before they are on a device.
pub(crate) struct EncodedBatch {
    planes: TensorData,
    policy: TensorData,
    policy_mask: TensorData,
    margins: TensorData,
    margins_mask: TensorData,
    edge_margins: TensorData,
    edges_known: TensorData,
}

impl EncodedBatch {
    /// Encodes these samples, which are of one board, each under a symmetry and with merged twins, for a model of
    /// a board that is not smaller.
    pub fn new(of_model: Board, samples: &[(&Sample, Symmetry)]) -> EncodedBatch {
        let board = samples.first().map_or(of_model, |(sample, _)| sample.state.board());
        debug_assert!(board.boxes() <= of_model.boxes(), "{board} is larger than {of_model}");
        let (cells, boxes) = (PolicyCell::count(board), of_model.boxes());
        let margins = 2 * boxes + 1;
        let place = |edge: Edge| PolicyCell::of(board, edge).planar();
        // Searches evaluate no other states than those with merged twins.
        let images: Vec<State> = samples.iter().map(|(sample, symmetry)| sample.state.image(*symmetry)).collect();
        let states: Vec<State> = images.iter().map(|image| image.merge_twins()).collect();
        let mut policy = vec![0.0; samples.len() * 2 * cells];
        let mut policy_mask = vec![MASKED; samples.len() * 2 * cells];
        let (mut edge_margins, mut known) = (policy.clone(), policy.clone());
        let mut margin_mask = vec![MASKED; samples.len() * margins];
        let mut margin = margin_mask.clone();
        for (index, (sample, symmetry)) in samples.iter().enumerate() {
            let (image, state) = (images[index], states[index]);
            let place_of = |edge: Edge| place(image.merged_place(state, symmetry.edge(edge)));
            let (policy, mask) = (&mut policy[index * 2 * cells..], &mut policy_mask[index * 2 * cells..]);
            let total: f32 = sample.policy.iter().map(|&(_, weight)| weight as f32).sum();
            for &(edge, weight) in &sample.policy {
                policy[place_of(edge)] = weight as f32 / total;
            }
            for &(edge, margin) in &sample.edge_margins {
                let at = index * 2 * cells + place_of(edge);
                (edge_margins[at], known[at]) = (margin as f32, 1.0);
            }
            state.undrawn().iter().for_each(|edge| mask[place(edge)] = 0.0);
            let open = state.open_boxes() as i32;
            let (lower, upper) = sample.margin.range();
            for (mask, lower, upper) in [(&mut margin_mask, -open, open), (&mut margin, lower as i32, upper as i32)] {
                let first = index * margins + (boxes as i32 + lower) as usize;
                mask[first..=first + (upper - lower) as usize].iter_mut().step_by(2).for_each(|mask| *mask = 0.0);
            }
        }
        let of_each = |numbers: Vec<f32>, size: usize| TensorData::new(numbers, [samples.len(), size]);
        EncodedBatch {
            planes: planes(board, &states),
            policy: of_each(policy, 2 * cells),
            policy_mask: of_each(policy_mask, 2 * cells),
            margins: of_each(margin, margins),
            margins_mask: of_each(margin_mask, margins),
            edge_margins: of_each(edge_margins, 2 * cells),
            edges_known: of_each(known, 2 * cells),
        }
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> usize {
        self.policy.shape()[0]
    }

    /// Returns the batch on a device.
    pub fn on(self, device: &Device) -> Batch {
        Batch {
            planes: Tensor::from_data(self.planes, device),
            policy: Tensor::from_data(self.policy, device),
            policy_mask: Tensor::from_data(self.policy_mask, device),
            margins: Tensor::from_data(self.margins, device),
            margins_mask: Tensor::from_data(self.margins_mask, device),
            edge_margins: Tensor::from_data(self.edge_margins, device),
            edges_known: Tensor::from_data(self.edges_known, device),
        }
    }
}

/// The batch of a step, in parts.
pub(crate) struct StepBatch {
    pub board: Board,
    pub samples: usize,
    pub parts: Vec<EncodedBatch>,
}

/// Encodes batches while a learner takes the step of the one before.
#[derive(Clone, Copy)]
pub(crate) struct Encoder {
    /// The board of the model, which no sample's is larger than.
    pub of_model: Board,
    /// The samples in each part but the last.
    pub part: usize,
}

impl Encoder {
    /// Encodes these samples of one board, each under a symmetry.
    pub fn encode(self, samples: &[(&Sample, Symmetry)]) -> StepBatch {
        let board = samples.first().map_or(self.of_model, |(sample, _)| sample.state.board());
        let part = |part: &[(&Sample, Symmetry)]| EncodedBatch::new(self.of_model, part);
        let parts = samples.par_chunks(self.part).map(part).collect();
        StepBatch { board, samples: samples.len(), parts }
    }
}

/// Returns the input planes of these states, `[batch, rows + 1, cols + 1, PLANES]`.
pub(crate) fn planes(board: Board, states: &[State]) -> TensorData {
    let (height, width) = (board.rows() + 1, board.cols() + 1);
    let size = height * width * PLANES;
    let mut planes = vec![0.0; states.len() * size];
    for (planes, &state) in planes.chunks_exact_mut(size).zip(states) {
        write_planes(state, planes);
    }
    TensorData::new(planes, [states.len(), height, width, PLANES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::read::read;
    use doublecross_selfplay::MarginTarget;

    fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
        read(tensor.clone())
    }

    fn flags(tensor: &Tensor<2>) -> Vec<bool> {
        numbers(tensor)
            .into_iter()
            .map(|mask| {
                assert!(mask == 0.0 || mask == MASKED, "{mask}");
                mask == 0.0
            })
            .collect()
    }

    /// The numbers that differ from 0, with their places.
    fn places(numbers: &[f32]) -> Vec<(usize, f32)> {
        numbers.iter().copied().enumerate().filter(|&(_, number)| number != 0.0).collect()
    }

    fn set(places: &[usize], size: usize) -> Vec<bool> {
        (0..size).map(|place| places.contains(&place)).collect()
    }

    /// The entries of one sample of a batch.
    struct Expected {
        policy: Vec<(usize, f32)>,
        undrawn: Vec<usize>,
        edges: Vec<(usize, f32)>,
        aims: Vec<usize>,
        margins: Vec<usize>,
    }

    /// On 1x2 the edges are H0,0 H0,1 H1,0 H1,1 and V0,0 V0,1 V0,2, numbered 0 to 6. The grid has 2
    /// x 3 cells, so that the policy entry of H(r,c) is 3 r + c and that of V(r,c) is 6 + 3 r + c.
    #[test]
    fn entries_lie_at_their_places_under_every_symmetry() {
        let board = Board::new(1, 2).unwrap();
        let edge = Edge::new;
        // H0,1 is drawn. The policy is H0,0 and V0,0, and the values of V0,1 and H1,0 are known.
        let open = Sample {
            state: State::new(board).after(edge(1)),
            margin: MarginTarget::Within(-2, 0),
            policy: vec![(edge(0), 1000), (edge(4), 3000)],
            edge_margins: vec![(edge(5), -2), (edge(2), 2)],
        };
        // The left box is complete.
        let half = Sample {
            state: State::from_drawn(board, [0, 2, 4, 5].into_iter().map(edge).collect()),
            margin: MarginTarget::Exact(1),
            policy: vec![(edge(6), 65535)],
            edge_margins: Vec::new(),
        };
        let symmetries: Vec<Symmetry> = board.symmetries().collect();
        let of_open = |policy: [usize; 2], undrawn: [usize; 6], edges: [usize; 2]| Expected {
            policy: vec![(policy[0], 0.25), (policy[1], 0.75)],
            undrawn: undrawn.to_vec(),
            edges: vec![(edges[0], -2.0), (edges[1], 2.0)],
            aims: vec![0, 2],
            margins: vec![0, 2, 4],
        };
        let of_half = |policy: usize, undrawn: [usize; 3]| Expected {
            policy: vec![(policy, 1.0)],
            undrawn: undrawn.to_vec(),
            edges: Vec::new(),
            aims: vec![3],
            margins: vec![1, 3],
        };
        // Unchanged, turned left to right, turned upside down, and both. All three border edges of a box are twins: upside
        // down H1,1 is drawn, which is merged into H0,1.
        let expected = [
            (of_open([0, 6], [0, 3, 4, 6, 7, 8], [7, 3]), of_half(8, [1, 4, 8])),
            (of_open([1, 8], [1, 3, 4, 6, 7, 8], [7, 4]), of_half(6, [0, 3, 6])),
            (of_open([3, 6], [0, 3, 4, 6, 7, 8], [7, 0]), of_half(8, [1, 4, 8])),
            (of_open([4, 8], [1, 3, 4, 6, 7, 8], [7, 1]), of_half(6, [0, 3, 6])),
        ];
        let samples: Vec<(&Sample, Symmetry)> =
            symmetries.iter().flat_map(|&symmetry| [(&open, symmetry), (&half, symmetry)]).collect();
        let batch = EncodedBatch::new(board, &samples).on(&Device::flex());
        assert_eq!(batch.planes.dims(), [8, 2, 3, PLANES]);
        let (policy, policy_mask) = (numbers(&batch.policy), flags(&batch.policy_mask));
        let (margins, margins_mask) = (flags(&batch.margins), flags(&batch.margins_mask));
        let (edges, known) = (numbers(&batch.edge_margins), numbers(&batch.edges_known));
        let expected: Vec<Expected> = expected.into_iter().flat_map(|(open, half)| [open, half]).collect();
        for (index, expected) in expected.iter().enumerate() {
            let (of_edges, of_margins) = (12 * index..12 * index + 12, 5 * index..5 * index + 5);
            let mut sorted = (expected.policy.clone(), expected.edges.clone());
            sorted.0.sort_by_key(|&(place, _)| place);
            sorted.1.sort_by_key(|&(place, _)| place);
            assert_eq!(places(&policy[of_edges.clone()]), sorted.0, "sample {index}");
            assert_eq!(policy_mask[of_edges.clone()], set(&expected.undrawn, 12), "sample {index}");
            assert_eq!(places(&edges[of_edges.clone()]), sorted.1, "sample {index}");
            let is_known: Vec<bool> = known[of_edges].iter().map(|&known| known == 1.0).collect();
            let places_known: Vec<usize> = expected.edges.iter().map(|&(place, _)| place).collect();
            assert_eq!(is_known, set(&places_known, 12), "sample {index}");
            assert_eq!(margins[of_margins.clone()], set(&expected.aims, 5), "sample {index}");
            assert_eq!(margins_mask[of_margins], set(&expected.margins, 5), "sample {index}");
        }
    }

    /// A drawn twin is shown in the place of the other one, as searches see it, and what is told of that one moves along.
    #[test]
    fn twins_are_merged() {
        let board = Board::new(2, 2).unwrap();
        let [low, high] = [board.horizontal(0, 0), board.vertical(0, 0)].map(Option::unwrap);
        assert!(board.twins().contains(&(low, high)));
        let sample = Sample {
            state: State::new(board).after(high),
            margin: MarginTarget::Exact(0),
            policy: vec![(low, 65535)],
            edge_margins: vec![(low, 4)],
        };
        for symmetry in board.symmetries() {
            let image = sample.state.image(symmetry);
            let batch = EncodedBatch::new(board, &[(&sample, symmetry)]).on(&Device::flex());
            let seen = planes(board, &[image.merge_twins()]).try_to_vec::<f32>().unwrap();
            assert_eq!(numbers(&batch.planes), seen);
            let twin = image.merged_place(image.merge_twins(), symmetry.edge(low));
            assert!(!image.merge_twins().drawn().contains(twin));
            let place = PolicyCell::of(board, twin).planar();
            assert_eq!(places(&numbers(&batch.policy)), [(place, 1.0)]);
            assert_eq!(places(&numbers(&batch.edge_margins)), [(place, 4.0)]);
            assert!(flags(&batch.policy_mask)[place]);
        }
    }

    /// The first four planes of a cell are: H undrawn, V undrawn, H drawn, V drawn.
    #[test]
    fn planes_show_the_image_of_a_sample() {
        let board = Board::new(1, 2).unwrap();
        // H0,1 is drawn.
        let sample = Sample {
            state: State::new(board).after(Edge::new(1)),
            margin: MarginTarget::Played(0),
            policy: vec![(Edge::new(0), 65535)],
            edge_margins: Vec::new(),
        };
        let expected = [
            // Unchanged: H0,1 at cell 1.
            [[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]],
            // Turned left to right: H0,0 at cell 0.
            [[0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]],
            // Turned upside down: H1,1, which is merged into H0,1.
            [[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]],
        ];
        let samples: Vec<(&Sample, Symmetry)> =
            board.symmetries().map(|symmetry| (&sample, symmetry)).take(3).collect();
        let planes = numbers(&EncodedBatch::new(board, &samples).on(&Device::flex()).planes);
        for (planes, expected) in planes.chunks(6 * PLANES).zip(expected) {
            let found: Vec<[i32; 4]> =
                planes.chunks(PLANES).map(|cell| std::array::from_fn(|plane| cell[plane] as i32)).collect();
            assert_eq!(found, expected);
        }
    }
}
