//! A residual tower with global pooling, and its heads.

use burn::tensor::activation::{relu, softmax};
use burn::tensor::{Tensor, TensorData};
use doublecross::net::{Isa, PLANES};
use doublecross::train::{Precision, convolve};

use crate::attention::{self, Scope, attend};
use crate::auxiliary::Auxiliary;
use crate::playout::MOST_CHAINS;

/// A source of the next parameter and its shape.
pub type Take<'a> = dyn FnMut() -> (Tensor<1>, Vec<usize>) + 'a;

pub struct Tower {
    pub channels: usize,
    pub blocks: usize,
    /// Edge places of a cell.
    pub policy: usize,
    pub margins: usize,
    /// `true` if a layer counts the long chains and hands the parity of their number to the margin head.
    pub counts_chains: bool,
    /// Cells that each cell asks after the middle block and after the last one.
    pub attention: Option<Scope>,
    /// The target of a head that serves learning alone: owners or replies.
    pub head: Option<Auxiliary>,
}

/// The logits of a batch.
pub struct Ends {
    /// `[batch, height, width, planes]`
    pub policy: Tensor<4>,
    pub margins: Tensor<2>,
    /// Of the auxiliary target.
    pub auxiliary: Option<Tensor<2>>,
}

impl Tower {
    /// Adds the shapes of the parameters in the order of use, `false` for those that begin at zero. The parameters of a head
    /// that serves learning alone come last: all others begin as they do without it, and play can leave it out.
    pub fn specs(&self, add: &mut dyn FnMut(&[usize], bool)) {
        let c = self.channels;
        add(&[c, PLANES, 3, 3], true);
        add(&[c], false);
        for block in 0..self.blocks {
            add(&[c, c, 3, 3], true);
            add(&[c], false);
            add(&[2 * c, c], false);
            add(&[c, c, 3, 3], false);
            add(&[c], false);
            if self.attends_after(block) {
                attention::specs(c, add);
            }
        }
        add(&[2 * c, c], false);
        add(&[self.policy, c, 1, 1], false);
        add(&[self.policy], false);
        add(&[2 * c, 64], true);
        add(&[64], false);
        if self.counts_chains {
            add(&[64, MOST_CHAINS + 1], false);
            add(&[MOST_CHAINS + 1], false);
            add(&[66, 64], true);
            add(&[64], false);
        }
        add(&[64, self.margins], false);
        add(&[self.margins], false);
        match self.head {
            Some(Auxiliary::Owners) => {
                add(&[2 * c, c], false);
                add(&[1, c, 1, 1], false);
                add(&[1], false);
            }
            Some(Auxiliary::Reply) => {
                add(&[self.policy, c, 1, 1], false);
                add(&[self.policy], false);
            }
            _ => {}
        }
    }

    /// Evaluates inputs `[batch, height, width, planes]`. `parity` is 1 where the number of undrawn edges is odd; it is
    /// combined with the parity of the number of chains. `mask` says which cells may be asked.
    pub fn forward(&self, take: &mut Take, x: Tensor<4>, parity: Tensor<2>, mask: Option<Tensor<2>>) -> Ends {
        let mut x = relu(convolution(x, take));
        for block in 0..self.blocks {
            let t = convolution(x.clone(), take);
            let t = relu(t.clone() + self.spread(pool(relu(t)), take));
            x = relu(x + convolution(t, take));
            if self.attends_after(block) {
                x = relu(attend(x, mask.clone(), take));
            }
        }
        let pooled = pool(x.clone());
        let q = relu(x.clone() + self.spread(pooled.clone(), take));
        let policy = convolution(q.clone(), take);
        let mut hidden = relu(dense(pooled.clone(), take));
        let mut auxiliary = None;
        if self.counts_chains {
            let (chains, inner) = count_chains(hidden, parity, take);
            (auxiliary, hidden) = (Some(chains), inner);
        }
        let margins = dense(hidden, take);
        let auxiliary = match self.head {
            // The owner of a box depends on who is in control, so the head sees the whole board once more.
            Some(Auxiliary::Owners) => Some(convolution(relu(x + self.spread(pooled, take)), take)),
            Some(Auxiliary::Reply) => Some(convolution(q, take)),
            _ => None,
        }
        .map_or(auxiliary, |head| Some(by_plane(head)));
        Ends { policy, margins, auxiliary }
    }

    fn attends_after(&self, block: usize) -> bool {
        self.attention.is_some() && (block + 1 == self.blocks || block + 1 == self.blocks / 2)
    }

    /// The number of layers of attention.
    pub fn attentions(&self) -> usize {
        (0..self.blocks).filter(|&block| self.attends_after(block)).count()
    }

    /// The same number for every cell, from the pooled channels of the whole board.
    fn spread(&self, pooled: Tensor<2>, take: &mut Take) -> Tensor<4> {
        let (batch, c) = (pooled.dims()[0], self.channels);
        pooled.matmul(take().0.reshape([2 * c, c])).reshape([batch, 1, 1, c])
    }
}

/// Logits of the number of long chains, and the margin head's hidden layer with their parity.
fn count_chains(hidden: Tensor<2>, parity: Tensor<2>, take: &mut Take) -> (Tensor<2>, Tensor<2>) {
    let chains = dense(hidden.clone(), take);
    let odd: Vec<f32> = (0..=MOST_CHAINS).map(|n| (n % 2) as f32).collect();
    let odd = Tensor::<2>::from_data(TensorData::new(odd, [1, MOST_CHAINS + 1]), &parity.device());
    let odd = (softmax(chains.clone(), 1) * odd).sum_dim(1);
    // The expected difference of the parities, from -1 (equal) to 1, under the network's own distribution of chains.
    let differs = (parity.mul_scalar(2.0) - 1.0) * (odd.mul_scalar(-2.0) + 1.0);
    let inner = Tensor::cat(vec![hidden, differs.clone(), differs.neg()], 1);
    (chains, relu(dense(inner, take)))
}

/// A convolution of one cell by a matrix product, or of 3x3 cells by the trainer's own operation.
fn convolution(x: Tensor<4>, take: &mut Take) -> Tensor<4> {
    let ((weight, shape), (bias, _)) = (take(), take());
    let [batch, height, width, _] = x.dims();
    let (outputs, inputs) = (shape[0], shape[1]);
    if shape[2] == 3 {
        return convolve(Precision::of(Isa::fastest()), x, weight.reshape([outputs, inputs, 3, 3]), bias);
    }
    let weight = weight.reshape([outputs, inputs]).transpose();
    let y = x.reshape([batch * height * width, inputs]).matmul(weight) + bias.reshape([1, outputs]);
    y.reshape([batch, height, width, outputs])
}

/// Flattens a batch plane by plane.
pub fn by_plane(x: Tensor<4>) -> Tensor<2> {
    x.permute([0, 3, 1, 2]).flatten::<2>(1, 3)
}

fn dense(x: Tensor<2>, take: &mut Take) -> Tensor<2> {
    let ((weight, shape), (bias, _)) = (take(), take());
    x.matmul(weight.reshape([shape[0], shape[1]])) + bias.reshape([1, shape[1]])
}

/// Mean and maximum of each channel.
fn pool(x: Tensor<4>) -> Tensor<2> {
    let [batch, height, width, channels] = x.dims();
    let cells = x.reshape([batch, height * width, channels]);
    let mean = cells.clone().mean_dim(1).reshape([batch, channels]);
    Tensor::cat(vec![mean, cells.max_dim(1).reshape([batch, channels])], 1)
}
