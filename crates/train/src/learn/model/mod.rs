//! The network in burn, for learning. [`Architecture`] describes the layers.
//!
//! Parameters are flat leaf tensors in the weights file's order, and get their shapes in the
//! forward pass. Weights, gradients and the optimizer's moments are therefore lists in one order.

mod layers;
#[cfg(test)]
mod tests;

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};

use crate::kernels::convolution::Precision;
use crate::learn::read::read;
use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, PLANES, TensorSpec};

pub use layers::Convolutions;
use layers::{Layers, Packed};

/// A network as burn tensors.
pub struct Model {
    board: Board,
    architecture: Architecture,
    pub(crate) specs: Vec<TensorSpec>,
    pub(crate) parameters: Vec<Tensor<1>>,
}

/// The network's outputs for a batch.
pub struct Logits {
    /// `[batch, 2 * cells]`: the horizontal edges of all cells, then the vertical ones.
    pub policy: Tensor<2>,
    /// `[batch, 2 * boxes + 1]`, for the margins -boxes..=boxes.
    pub margins: Tensor<2>,
    /// Edge values in units of four boxes, laid out as `policy`; `None` for a model without an edge
    /// head.
    pub edge_margins: Option<Tensor<2>>,
}

impl Model {
    /// Creates a model with these tensors, in [`Architecture::tensors`] order, on a device that
    /// differentiates.
    ///
    /// Two more tensors are those of an edge head, which predicts edge values.
    ///
    /// # Panics
    /// Panics if the tensors do not have the architecture's sizes.
    pub fn new(board: Board, architecture: Architecture, tensors: &[Vec<f32>], device: &Device) -> Model {
        let model = Model::fixed(board, architecture, tensors, device);
        Model { parameters: model.parameters.into_iter().map(Tensor::require_grad).collect(), ..model }
    }

    /// Creates a model that is not differentiated, on any device.
    ///
    /// # Panics
    /// Panics if [`Model::new`] does.
    pub fn fixed(board: Board, architecture: Architecture, tensors: &[Vec<f32>], device: &Device) -> Model {
        let mut specs = architecture.tensors(board);
        if tensors.len() > specs.len() {
            specs.extend(architecture.edge_head(board));
        }
        assert!(specs.iter().map(TensorSpec::len).eq(tensors.iter().map(Vec::len)), "tensors of other sizes");
        let leaf = |tensor: &Vec<f32>| Tensor::<1>::from_data(TensorData::new(tensor.clone(), [tensor.len()]), device);
        Model { board, architecture, parameters: tensors.iter().map(leaf).collect(), specs }
    }

    /// Returns a model with the same parameters and its own gradients, for another thread.
    pub(crate) fn replica(&self) -> Model {
        let leaf = |parameter: &Tensor<1>| Tensor::from_inner(parameter.clone().inner()).require_grad();
        let (board, architecture, specs) = (self.board, self.architecture, self.specs.clone());
        Model { board, architecture, specs, parameters: self.parameters.iter().map(leaf).collect() }
    }

    /// Returns the gradient of a loss by each parameter.
    ///
    /// # Panics
    /// Panics if the loss does not depend on all of them.
    pub fn gradients(&self, loss: &Tensor<1>) -> Vec<Tensor<1>> {
        let mut gradients = loss.backward();
        let mut gradient = |parameter: &Tensor<1>| parameter.grad_remove(&mut gradients);
        self.parameters.iter().map(|parameter| gradient(parameter).expect("a loss depends on all parameters")).collect()
    }

    /// Returns all parameters, in [`Architecture::tensors`] order, those of an edge head last.
    pub fn tensors(&self) -> Vec<Vec<f32>> {
        self.parameters.iter().cloned().map(read).collect()
    }

    /// Returns the board that the network is for.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the network's shape.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Returns the names and shapes of the parameters.
    pub fn specs(&self) -> &[TensorSpec] {
        &self.specs
    }

    /// Returns the parameters of the edge head, which are not in weights files; empty if there is
    /// none.
    pub(crate) fn edge_head(&self) -> &[Tensor<1>] {
        &self.parameters[self.architecture.tensors(self.board).len()..]
    }

    /// Returns the layers that this crate computes itself, with the present parameters, for samples of a board.
    pub fn packed(&self, precision: Precision, board: Board) -> Convolutions {
        let size = [board.rows() + 1, board.cols() + 1];
        Convolutions::Own(Packed::new(precision, size, self.architecture, &self.specs, &self.parameters))
    }

    /// Evaluates a batch of planes, `[batch, rows + 1, cols + 1, PLANES]`.
    pub fn forward(&self, planes: Tensor<4>, convolutions: &Convolutions) -> Logits {
        let mut layers = Layers::new(&self.specs, &self.parameters, convolutions);
        let planes = match self.architecture.planes {
            PLANES => planes,
            first => planes.narrow(3, 0, first),
        };
        let mut x = relu(layers.stem(planes));
        for index in 0..self.architecture.blocks {
            x = layers.block(self.architecture.block, index, x);
        }
        let pooled = layers.pool(x.clone());
        let q = layers.convolution(x);
        let q = relu(q + layers.spread(pooled.clone()));
        let policy = layers.edges(q.clone());
        let hidden = relu(layers.linear(pooled));
        let margins = layers.linear(hidden);
        Logits { policy, margins, edge_margins: layers.has_more().then(|| layers.edges(q)) }
    }
}
