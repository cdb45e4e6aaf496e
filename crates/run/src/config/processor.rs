//! The processor that a run computes on.

use serde::{Deserialize, Serialize};

/// The processor that a config names for learning or for self-play's evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Processor {
    /// burn's `flex` for learning, the engine of [`doublecross_core::net`] for evaluations.
    #[default]
    Cpu,
    /// burn's `wgpu`, on the adapter that it prefers; needs the cargo feature `wgpu`.
    Gpu,
}
