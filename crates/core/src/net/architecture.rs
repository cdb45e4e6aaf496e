//! The shape of a network: a residual tower with global pooling in every block.

use std::fmt;

use crate::board::Board;

use super::{PLANES, PolicyCell};

/// Width and depth of the tower, and width of the margin head.
///
/// The network has no normalisation layers; each block starts as the identity. Means and maxima are
/// taken over all cells. A ReLU follows every layer except the last one of each head:
///
/// * **stem**: a 3x3 convolution of the input planes to `channels`;
/// * **block**, `blocks` times: `t = conv(x)`, `t += W [mean relu(t), max relu(t)]`,
///   `x += conv(t)`, with 3x3 convolutions;
/// * **policy head**: a 1x1 convolution, to which `W [mean x, max x]` is added, and a 1x1
///   convolution to two logits for each cell, its horizontal and its vertical edge;
/// * **margin head**: two linear layers on `[mean x, max x]`, with `value_hidden` units between
///   them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Channels of the tower: a multiple of 16 from 16 to 512.
    pub channels: usize,
    /// Residual blocks, 0 to 64.
    pub blocks: usize,
    /// Hidden units of the margin head, 1 to 1024.
    pub value_hidden: usize,
}

/// The name and shape of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// The tensor's name, as in `block0.conv1.weight`.
    pub name: String,
    /// `[out, in, height, width]` of a convolution, `[in, out]` of a linear layer, `[out]` of a
    /// bias.
    pub shape: Vec<usize>,
}

impl TensorSpec {
    /// The number of elements of the tensor.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns `true` if the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Architecture { channels, blocks, value_hidden } = self;
        let blocks_word = if *blocks == 1 { "block" } else { "blocks" };
        write!(f, "{channels} channels, {blocks} {blocks_word} and {value_hidden} hidden units")
    }
}

impl Architecture {
    /// Checks that every size is within its range.
    ///
    /// # Errors
    /// Returns an error if a size is out of range.
    pub fn validate(&self) -> Result<(), ArchitectureError> {
        let range = |what, value, low, high| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(ArchitectureError { what, value, low, high }) }
        };
        range("channels", self.channels, 16, 512)?;
        if !self.channels.is_multiple_of(16) {
            let low = self.channels / 16 * 16;
            return Err(ArchitectureError { what: "channels", value: self.channels, low, high: low + 16 });
        }
        range("blocks", self.blocks, 0, 64)?;
        range("value_hidden", self.value_hidden, 1, 1024)
    }

    /// The number of multiplications and additions of one forward pass, without those of biases,
    /// pooling and ReLUs.
    pub fn operations(&self, board: Board) -> u64 {
        let cells = PolicyCell::count(board);
        let of = |spec: TensorSpec| match spec.shape[..] {
            [_, _, _, _] => 2 * spec.len() * cells,
            [_, _] => 2 * spec.len(),
            _ => 0,
        };
        self.tensors(board).into_iter().map(of).sum::<usize>() as u64
    }

    /// The names and shapes of all tensors, in the order of the weights file.
    pub fn tensors(&self, board: Board) -> Vec<TensorSpec> {
        let (c, margins) = (self.channels, 2 * board.boxes() + 1);
        let mut specs = Vec::new();
        let mut add = |name: &str, shape: &[usize]| specs.push(TensorSpec { name: name.into(), shape: shape.into() });
        add("stem.weight", &[c, PLANES, 3, 3]);
        add("stem.bias", &[c]);
        for block in 0..self.blocks {
            add(&format!("block{block}.conv1.weight"), &[c, c, 3, 3]);
            add(&format!("block{block}.conv1.bias"), &[c]);
            add(&format!("block{block}.pool.weight"), &[2 * c, c]);
            add(&format!("block{block}.conv2.weight"), &[c, c, 3, 3]);
            add(&format!("block{block}.conv2.bias"), &[c]);
        }
        add("policy.conv.weight", &[c, c, 1, 1]);
        add("policy.conv.bias", &[c]);
        add("policy.pool.weight", &[2 * c, c]);
        add("policy.out.weight", &[2, c, 1, 1]);
        add("policy.out.bias", &[2]);
        add("value.hidden.weight", &[2 * c, self.value_hidden]);
        add("value.hidden.bias", &[self.value_hidden]);
        add("value.out.weight", &[self.value_hidden, margins]);
        add("value.out.bias", &[margins]);
        specs
    }
}

/// A size that is out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchitectureError {
    what: &'static str,
    value: usize,
    low: usize,
    high: usize,
}

impl fmt::Display for ArchitectureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArchitectureError { what, value, low, high } = self;
        if *what == "channels" && (*low..*high).contains(value) {
            return write!(f, "network.channels = {value} is not a multiple of 16; expected {low} or {high}");
        }
        write!(f, "network.{what} = {value} is out of range; expected {low} to {high}")
    }
}

impl std::error::Error for ArchitectureError {}
