//! A residual tower with global pooling, and its heads.

use burn::tensor::activation::{relu, softmax};
use burn::tensor::{Tensor, TensorData};
use doublecross::net::PLANES;
use doublecross::train::{Precision, convolve};

use crate::line::MOST_CHAINS;
use crate::told::Told;

/// The next parameter and its shape.
type Take<'a> = dyn FnMut() -> (Tensor<1>, Vec<usize>) + 'a;

pub struct Tower {
    pub channels: usize,
    pub blocks: usize,
    /// Edge places of a cell.
    pub policy: usize,
    pub margins: usize,
    /// Whether it reckons the number of long chains in between and hands its parity to the margin.
    pub reckons_chains: bool,
    /// What a head that only learning has is told: owners or replies.
    pub head: Option<Told>,
}

/// Logits.
pub struct Ends {
    /// `[batch, height, width, planes]`
    pub policy: Tensor<4>,
    pub margins: Tensor<2>,
    /// Of what the tower may be told.
    pub told: Option<Tensor<2>>,
}

impl Tower {
    /// Shapes of the parameters in the order of use; `false` for those that begin at zero. Those of a head that only
    /// learning has come last, so that all others begin as they do without it, and play can leave them off.
    pub fn specs(&self, add: &mut dyn FnMut(&[usize], bool)) {
        let c = self.channels;
        add(&[c, PLANES, 3, 3], true);
        add(&[c], false);
        for _ in 0..self.blocks {
            add(&[c, c, 3, 3], true);
            add(&[c], false);
            add(&[2 * c, c], false);
            add(&[c, c, 3, 3], false);
            add(&[c], false);
        }
        add(&[2 * c, c], false);
        add(&[self.policy, c, 1, 1], false);
        add(&[self.policy], false);
        add(&[2 * c, 64], true);
        add(&[64], false);
        if self.reckons_chains {
            add(&[64, MOST_CHAINS + 1], false);
            add(&[MOST_CHAINS + 1], false);
            add(&[66, 64], true);
            add(&[64], false);
        }
        add(&[64, self.margins], false);
        add(&[self.margins], false);
        match self.head {
            Some(Told::Owners) => {
                add(&[2 * c, c], false);
                add(&[1, c, 1, 1], false);
                add(&[1], false);
            }
            Some(Told::Reply) => {
                add(&[self.policy, c, 1, 1], false);
                add(&[self.policy], false);
            }
            _ => {}
        }
    }

    /// Of inputs `[batch, height, width, planes]`, and of whether the number of undrawn edges is odd: what the parity
    /// of the number of chains meets.
    pub fn forward(&self, take: &mut Take, x: Tensor<4>, parity: Tensor<2>) -> Ends {
        let mut x = relu(convolution(x, take));
        for _ in 0..self.blocks {
            let t = convolution(x.clone(), take);
            let t = relu(t.clone() + self.spread(pool(relu(t)), take));
            x = relu(x + convolution(t, take));
        }
        let pooled = pool(x.clone());
        let q = relu(x.clone() + self.spread(pooled.clone(), take));
        let policy = convolution(q.clone(), take);
        let mut hidden = relu(dense(pooled.clone(), take));
        let mut told = None;
        if self.reckons_chains {
            let (chains, inner) = reckon_chains(hidden, parity, take);
            (told, hidden) = (Some(chains), inner);
        }
        let margins = dense(hidden, take);
        let told = match self.head {
            // Who takes a box depends on who is in control, so the head meets the whole board once more.
            Some(Told::Owners) => Some(convolution(relu(x + self.spread(pooled, take)), take)),
            Some(Told::Reply) => Some(convolution(q, take)),
            _ => None,
        }
        .map_or(told, |head| Some(by_plane(head)));
        Ends { policy, margins, told }
    }

    /// What the whole board says, for every cell alike.
    fn spread(&self, pooled: Tensor<2>, take: &mut Take) -> Tensor<4> {
        let (batch, c) = (pooled.dims()[0], self.channels);
        pooled.matmul(take().0.reshape([2 * c, c])).reshape([batch, 1, 1, c])
    }
}

/// Logits of the number of long chains, and the margin's hidden layer that has met their parity.
fn reckon_chains(hidden: Tensor<2>, parity: Tensor<2>, take: &mut Take) -> (Tensor<2>, Tensor<2>) {
    let chains = dense(hidden.clone(), take);
    let odd: Vec<f32> = (0..=MOST_CHAINS).map(|n| (n % 2) as f32).collect();
    let odd = Tensor::<2>::from_data(TensorData::new(odd, [1, MOST_CHAINS + 1]), &parity.device());
    let odd = (softmax(chains.clone(), 1) * odd).sum_dim(1);
    // Whether the parities differ, from -1 to 1, if the numbers of chains are as likely as the network says.
    let differs = (parity.mul_scalar(2.0) - 1.0) * (odd.mul_scalar(-2.0) + 1.0);
    let inner = Tensor::cat(vec![hidden, differs.clone(), differs.neg()], 1);
    (chains, relu(dense(inner, take)))
}

/// Of one cell, or of three times three by the trainer's own operation.
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

/// The cells of one plane after those of another.
pub fn by_plane(x: Tensor<4>) -> Tensor<2> {
    x.permute([0, 3, 1, 2]).flatten::<2>(1, 3)
}

fn dense(x: Tensor<2>, take: &mut Take) -> Tensor<2> {
    let ((weight, shape), (bias, _)) = (take(), take());
    x.matmul(weight.reshape([shape[0], shape[1]])) + bias.reshape([1, shape[1]])
}

/// Mean and largest of each channel.
fn pool(x: Tensor<4>) -> Tensor<2> {
    let [batch, height, width, channels] = x.dims();
    let cells = x.reshape([batch, height * width, channels]);
    let mean = cells.clone().mean_dim(1).reshape([batch, channels]);
    Tensor::cat(vec![mean, cells.max_dim(1).reshape([batch, channels])], 1)
}
