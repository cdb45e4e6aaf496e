//! The optimizers that a config names.

use serde::{Deserialize, Serialize};

/// The optimizer of the weights of hidden layers.
///
/// AdamW updates those of the first layer and of the heads' last layers, and all biases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// AdamW, which updates everything else too.
    #[default]
    AdamW,
    /// Muon, whose updates are orthogonal matrices.
    Muon,
}
