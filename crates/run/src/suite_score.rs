//! The figures of a network on a run's suite.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The figures of a network on a run's suite, defined as those of a [`Band`](doublecross_arena::suite::Band).
///
/// Those of a run of several boards are means over the boards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// `search_optimal` on each board of a run of several; otherwise empty.
    #[serde(rename = "suite_boards", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub boards: BTreeMap<String, f64>,
}

impl SuiteScore {
    /// Returns the means of the figures of several suites.
    pub fn mean<'a>(scores: impl Iterator<Item = &'a SuiteScore> + Clone) -> SuiteScore {
        let mean = |figure: &dyn Fn(&SuiteScore) -> Option<f64>| {
            let figures: Vec<f64> = scores.clone().filter_map(figure).collect();
            (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
        };
        SuiteScore {
            policy_optimal: mean(&|score| Some(score.policy_optimal)).unwrap_or_default(),
            search_optimal: mean(&|score| Some(score.search_optimal)).unwrap_or_default(),
            margin_error: mean(&|score| Some(score.margin_error)).unwrap_or_default(),
            sign_agreement: mean(&|score| score.sign_agreement),
            boards: BTreeMap::new(),
        }
    }
}
