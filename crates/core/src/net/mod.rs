//! Inference: the network's input planes, the weights file and the forward pass on a CPU.
//!
//! Start with [`Weights`], the file that training writes; [`Network::checked`] makes it ready to
//! play, and an [`Engine`] evaluates positions with it.
//!
//! The network sees a board as a grid of `(rows + 1) x (cols + 1)` cells, one for each dot. Cell
//! (r, c) carries the edges `H(r, c)` and `V(r, c)` and the box (r, c), so that a board of 5x5
//! boxes has 36 cells.
//!
//! This module belongs to the bot core: it uses [`board`](crate::board) and the standard library
//! alone, and reads no files, no clock and no environment. `unsafe` code is limited to the files
//! that use instructions of one processor family.

mod aligned;
mod architecture;
#[cfg(target_arch = "x86_64")]
mod bf16;
mod block;
mod canary;
mod cell;
mod cellwise;
mod engine;
mod groups;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
mod int8;
mod isa;
mod kernel;
mod layout;
mod linear;
mod network;
mod other_board;
mod planes;
mod tensor_spec;
mod weights;

pub use aligned::AlignedBuffer;
pub use architecture::{Architecture, ArchitectureError, BlockKind};
#[cfg(target_arch = "x86_64")]
pub use bf16::tiles::are_available as tiles_are_available;
#[cfg(target_arch = "x86_64")]
pub use bf16::{PairLayer, ROW, tiles::Tiles, write_pairs};
pub use canary::{Canary, CanaryError, deviation};
pub use cell::PolicyCell;
pub use engine::{Engine, Output};
pub use isa::{Isa, UnknownIsa};
#[cfg(target_arch = "x86_64")]
pub use layout::{FloatLayer, Grid};
pub use layout::{LANES, pad_inputs};
pub use network::Network;
pub use planes::{PLANES, write_planes};
pub use tensor_spec::{Axis, Init, LayerParameters, Parameters, Role, TensorSpec};
pub use weights::{Weights, WeightsError};

pub use crate::mix::checksum;
