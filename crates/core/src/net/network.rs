//! A network's weights, laid out for inference.

use crate::board::Board;

use super::block::Block;
use super::kernel::Layer;
use super::layout::{FloatLayer, Grid, Tensors};
use super::linear::Linear;
use super::{Isa, Weights};

/// Weights laid out for inference, shared by all engines that use them.
///
/// [`Network::checked`] also compares the network's output with the one stored in training.
pub struct Network {
    isa: Isa,
    board: Board,
    pub(super) planes: usize,
    pub(super) channels: usize,
    pub(super) grid: Grid,
    pub(super) stem: Layer,
    pub(super) blocks: Vec<Block>,
    pub(super) policy: FloatLayer,
    pub(super) policy_pool: Linear,
    pub(super) policy_out: FloatLayer,
    pub(super) value_hidden: Linear,
    pub(super) value_out: Linear,
}

impl Network {
    /// Lays out weights for inference on an instruction set, or on the portable one if the
    /// processor lacks it.
    ///
    /// # Panics
    /// Panics if the tensors are not those of the architecture. [`Weights::from_bytes`] never
    /// returns such weights.
    pub fn new(weights: &Weights, isa: Isa) -> Network {
        let architecture = weights.architecture;
        let specs = architecture.tensors(weights.board);
        let mut tensors = Tensors::new(&specs, weights.tensors.iter());
        Network {
            isa: isa.or_portable(),
            board: weights.board,
            planes: architecture.planes,
            channels: architecture.channels,
            grid: Grid::new(weights.board.rows() + 1, weights.board.cols() + 1),
            // In the order of the list of tensors.
            stem: Layer::take(&mut tensors),
            blocks: (0..architecture.blocks).map(|_| Block::take(architecture.block, &mut tensors)).collect(),
            // The last layers are small, and no later layer makes up for their rounding errors:
            // they stay in f32 on every instruction set.
            policy: FloatLayer::take(&mut tensors),
            policy_pool: Linear::take(&mut tensors),
            policy_out: FloatLayer::take(&mut tensors),
            value_hidden: Linear::take(&mut tensors),
            value_out: Linear::take(&mut tensors),
        }
    }

    /// The instruction set that the network runs on.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The board that the network was trained for.
    pub fn board(&self) -> Board {
        self.board
    }
}
