//! The figures of a network on a run's suite.

use serde::{Deserialize, Serialize};

/// The figures of a network on a run's suite, defined as those of a [`Band`](crate::eval::Band).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteScore {
    /// The share of positions where the policy's likeliest edge is optimal.
    #[serde(rename = "suite_policy_optimal")]
    pub policy_optimal: f64,
    /// The share of positions where the searched edge is optimal.
    #[serde(rename = "suite_search_optimal")]
    pub search_optimal: f64,
    /// The mean distance of the expected margin from the exact one, in boxes.
    #[serde(rename = "suite_margin_error")]
    pub margin_error: f64,
    /// The share of positions where the expected margin has the exact one's sign, among those where
    /// that is not 0; `None` if there are none.
    #[serde(rename = "suite_sign_agreement", default, skip_serializing_if = "Option::is_none")]
    pub sign_agreement: Option<f64>,
}
