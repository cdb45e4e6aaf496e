//! The processor that a run computes on.

use serde::{Deserialize, Serialize};

/// The processor that a config names for learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Processor {
    /// burn's `flex`, with convolutions of this program.
    #[default]
    Cpu,
    /// The first GPU of the kinds that the program was built for, by a cargo feature such as `cuda`.
    Gpu,
}
