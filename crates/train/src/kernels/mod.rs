//! Convolutions, residual blocks and pooling with their gradients on the CPU, as operations of burn.

pub(crate) mod block;
mod buffer;
pub(crate) mod convolution;
pub(crate) mod pooling;
