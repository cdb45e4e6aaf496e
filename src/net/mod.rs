//! The network's playing side: input planes, the weights file and the CPU inference engine.
//!
//! The grid is packed: cell (r, c) of `(rows + 1) x (cols + 1)` cells is a dot and carries the edges `H(r, c)` and
//! `V(r, c)` and the box (r, c), so a board of 5x5 boxes has 36 cells. The weights file is the interface between
//! learning and playing.

mod aligned;
mod architecture;
#[cfg(target_arch = "x86_64")]
mod bf16;
mod canary;
mod cell;
mod engine;
mod groups;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
mod int8;
mod isa;
mod kernel;
mod layout;
mod planes;
mod weights;

#[cfg(all(target_arch = "x86_64", feature = "trainer"))]
pub(crate) use aligned::AlignedBuffer;
pub use architecture::{Architecture, ArchitectureError, TensorSpec};
#[cfg(target_arch = "x86_64")]
pub(crate) use bf16::tiles::are_available as tiles_are_available;
#[cfg(all(target_arch = "x86_64", feature = "trainer"))]
pub(crate) use bf16::{PairLayer, ROW, pairs::apply_pairs, pairs::dot, tiles::Tiles, write_pairs};
pub use canary::{Canary, CanaryError, deviation};
pub use cell::PolicyCell;
pub use engine::{Engine, Network, Output};
pub use isa::{Isa, UnknownIsa};
#[cfg(feature = "trainer")]
pub(crate) use kernel::apply_floats;
#[cfg(feature = "trainer")]
pub(crate) use layout::{FloatLayer, Grid, LANES, unpacked};
pub use planes::{ENCODING, PLANES, write_planes};
pub use weights::{Weights, WeightsError, checksum};
