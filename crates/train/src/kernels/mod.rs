//! The loops of learning on the CPU: convolutions, residual blocks and pooling with their gradients, as operations of
//! burn, and the products of matrices that Muon needs.

pub(crate) mod block;
mod buffer;
pub(crate) mod convolution;
mod lanes;
pub(crate) mod orthogonal;
pub(crate) mod pooling;
mod products;
