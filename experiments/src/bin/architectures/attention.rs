//! Attention between the cells of a board: each cell asks others for what they know.

use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use doublecross::board::State;
use doublecross::net::PolicyCell;

use crate::tower::Take;

/// Cells that a cell may ask.
#[derive(Clone, Copy, PartialEq)]
pub enum Scope {
    /// All cells of the board.
    Board,
    /// The cells of its own chain or loop.
    Chain,
}

/// The number of questions that a cell asks at once.
const HEADS: usize = 4;

/// The logit of a cell that may not be asked.
const UNASKED: f32 = -1e9;

/// Keeps the mean square of a cell's channels from zero.
const EPSILON: f32 = 1e-5;

/// Adds the shapes of a layer's parameters, `false` for those that begin at zero: at first a layer changes nothing.
pub fn specs(channels: usize, add: &mut dyn FnMut(&[usize], bool)) {
    for is_random in [true, true, true, false] {
        add(&[channels, channels, 1, 1], is_random);
    }
}

/// Operations of a layer besides those of its matrices.
pub fn operations(cells: usize, channels: usize) -> usize {
    4 * cells * cells * channels
}

/// Adds to each cell of `[batch, height, width, channels]` what it hears. `mask` is added to the logits of the cells that it
/// may ask, `[batch, cells * cells]`.
pub fn attend(x: Tensor<4>, mask: Option<Tensor<2>>, take: &mut Take) -> Tensor<4> {
    let [batch, height, width, channels] = x.dims();
    let (cells, size) = (height * width, channels / HEADS);
    let tokens = x.clone().reshape([batch * cells, channels]);
    let length = (tokens.clone().powi_scalar(2).mean_dim(1) + EPSILON).sqrt();
    let tokens = tokens / length;
    let mut matrix = |tokens: Tensor<2>| tokens.matmul(take().0.reshape([channels, channels]).transpose());
    let heads = |tokens: Tensor<2>| tokens.reshape([batch, cells, HEADS, size]).swap_dims(1, 2);
    let [asked, known, told] = [(); 3].map(|()| heads(matrix(tokens.clone())));
    let mut logits = asked.matmul(known.swap_dims(2, 3)) / (size as f32).sqrt();
    if let Some(mask) = mask {
        logits = logits + mask.reshape([batch, 1, cells, cells]);
    }
    let heard = softmax(logits, 3).matmul(told).swap_dims(1, 2).reshape([batch * cells, channels]);
    x + matrix(heard).reshape([batch, height, width, channels])
}

/// Writes the mask by which each cell asks the boxes of its own chain or loop alone, or itself.
pub fn write_chains(state: State, mask: &mut [f32]) {
    let board = state.board();
    let cells = PolicyCell::count(board);
    let width = board.cols() + 1;
    let boxes = board.boxes();
    let sides: Vec<_> = (0..boxes).map(|b| state.undrawn_sides(b)).collect();
    // Boxes of one chain have the number of the lowest of them.
    let mut chain: Vec<usize> = (0..boxes).collect();
    let is_link = |b: usize| sides[b].len() <= 2 && !sides[b].is_empty();
    for _ in 0..boxes {
        for (a, b) in (0..boxes).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let joins = !sides[a].intersection(sides[b]).is_empty();
            if joins && is_link(a) && is_link(b) {
                let lowest = chain[a].min(chain[b]);
                (chain[a], chain[b]) = (lowest, lowest);
            }
        }
    }
    let box_at = |cell: usize| {
        let (row, col) = (cell / width, cell % width);
        (row < board.rows() && col < board.cols()).then(|| row * board.cols() + col)
    };
    for asking in 0..cells {
        for asked in 0..cells {
            let is_same = match (box_at(asking), box_at(asked)) {
                (Some(a), Some(b)) => chain[a] == chain[b],
                _ => false,
            };
            mask[asking * cells + asked] = if asking == asked || is_same { 0.0 } else { UNASKED };
        }
    }
}
