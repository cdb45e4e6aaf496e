//! A phase: keys that change from a generation on.

use serde::{Deserialize, Serialize};
use toml::Table;

/// The name of the array of phases in a config file.
pub(super) const PHASES: &str = "phase";

/// A phase of a run: keys of the config with the values that they have from a generation on, until
/// a later phase changes them again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// The first generation of the phase.
    pub from: u64,
    /// The keys that change, in their tables.
    #[serde(flatten)]
    pub keys: Table,
}
