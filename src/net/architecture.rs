//! The shape of a network: a residual tower with global pooling in every block.

use std::fmt;

use crate::board::Board;

use super::PLANES;

/// Width and depth of the tower and width of the value head.
///
/// With C channels, every layer but the heads' last followed by ReLU:
/// a 3x3 convolution from the planes; blocks of `t = conv(x)`, `t += W [mean relu(t), max relu(t)]`, `x += conv(t)`;
/// a policy head of a 1x1 convolution, `W [mean x, max x]` added, and a 1x1 convolution to two logits a cell (its
/// horizontal and its vertical edge); a margin head of two linear layers on `[mean x, max x]`. There is no
/// normalisation: each block starts as the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Channels of the tower, a multiple of 16.
    pub channels: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Hidden units of the margin head.
    pub value_hidden: usize,
}

/// The name and shape of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// As in the weights file.
    pub name: String,
    /// Convolutions `[out, in, height, width]`, linear layers `[in, out]`, biases `[out]`.
    pub shape: Vec<usize>,
}

impl TensorSpec {
    /// How many numbers the tensor holds.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Architecture { channels, blocks, value_hidden } = self;
        write!(f, "{channels} channels, {blocks} blocks and {value_hidden} hidden units")
    }
}

impl Architecture {
    /// Checks the widths.
    ///
    /// # Errors
    /// When a width is out of range.
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

    /// Multiplications and additions of one forward pass, those of the matrices alone.
    pub fn operations(&self, board: Board) -> u64 {
        let cells = (board.rows() + 1) * (board.cols() + 1);
        let of = |spec: TensorSpec| match spec.shape[..] {
            [_, _, _, _] => 2 * spec.len() * cells,
            [_, _] => 2 * spec.len(),
            _ => 0,
        };
        self.tensors(board).into_iter().map(of).sum::<usize>() as u64
    }

    /// All tensors in the order of the weights file.
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

/// A width out of range.
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
