//! The figures of a generation: a line of `progress.jsonl`.

use serde::{Deserialize, Serialize};

use crate::suite_score::SuiteScore;

/// The figures of one generation: a line of `progress.jsonl`.
///
/// Counters cover the whole run so far. Losses, the policy's entropy, the learning rate and the gradient's norm are
/// those of the newest generation that took a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The number of generations finished.
    pub generation: u64,
    /// The board of the generation's games in a run of several boards, otherwise empty. The rates and
    /// `margin_error` are of these games.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub board: String,
    /// The number of learning steps done.
    pub steps: u64,
    /// The number of games played.
    pub games: u64,
    /// The number of training samples written.
    pub samples: u64,
    /// The number of these whose margin is that of a game's end; the others have exact answers.
    #[serde(default)]
    pub played_samples: u64,
    /// The number of positions searched.
    pub positions: u64,
    /// The number of evaluations that searches asked for.
    pub evaluations: u64,
    /// Seconds of work by the clock.
    pub seconds: f64,
    /// Seconds of processor time of the learning process, of all its threads, without those of scores on suites unless
    /// games are played beside them (`selfplay.lag`).
    #[serde(default)]
    pub processor_seconds: f64,
    /// The mean policy loss, in nats.
    pub policy_loss: f64,
    /// The mean margin loss, in nats.
    pub margin_loss: f64,
    /// The mean loss of the edge values, in squares of four boxes; `None` where they are not
    /// learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_loss: Option<f64>,
    /// The mean entropy of the policy, in nats.
    pub policy_entropy: f64,
    /// The mean distance, in boxes, of the expected margin from the proved margins of the newest games and labeled
    /// positions, before the network learns from them; `None` where nothing was proved.
    pub margin_error: Option<f64>,
    /// The network's figures on the run's suite; `None` for a generation after which no scores were
    /// taken.
    #[serde(flatten)]
    pub suite: Option<SuiteScore>,
    /// The speed of the generation; `None` for one whose games outlived a kill.
    #[serde(flatten)]
    pub rates: Option<GenerationRates>,
    /// The number of training samples in the window.
    pub window_samples: u64,
    /// The number of these whose margin is that of a game's end.
    #[serde(default)]
    pub window_played: u64,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// The mean norm of the gradient before clipping.
    pub gradient_norm: f64,
}

/// The speed of one generation, and the shares of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationRates {
    /// Games in a second of self-play.
    pub games_per_second: f64,
    /// Positions searched in a second of self-play.
    pub positions_per_second: f64,
    /// Evaluations asked for in a second of self-play.
    pub evaluations_per_second: f64,
    /// The share of evaluations that the cache answered.
    pub cache_hits: f64,
    /// The share of the generation's time in self-play's network.
    pub share_network: f64,
    /// The share of it in the solver at roots.
    pub share_solver: f64,
    /// The share of it in the solver at leaves.
    pub share_leaves: f64,
    /// The share of it in the search itself.
    pub share_search: f64,
    /// The share of it in labeling positions with the solver.
    pub share_labeling: f64,
    /// The share of it in learning.
    pub share_learning: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_rates_reads_as_none() {
        let mut record = Record { generation: 3, samples: 70, window_samples: 50, ..Record::default() };
        let line = serde_json::to_string(&record).unwrap();
        assert!(line.contains(r#""samples":70"#) && line.contains(r#""window_samples":50"#), "{line}");
        assert!(!line.contains("per_second") && !line.contains("share_") && !line.contains("cache_hits"), "{line}");
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
        record.rates = Some(GenerationRates { games_per_second: 2.5, share_labeling: 0.25, ..Default::default() });
        let line = serde_json::to_string(&record).unwrap();
        assert!(line.contains(r#""games_per_second":2.5"#) && line.contains(r#""share_labeling":0.25"#), "{line}");
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
    }
}
