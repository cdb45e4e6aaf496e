//! The curve of a training run.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// A line of `progress.jsonl`, as far as the figures need it.
#[derive(Deserialize)]
struct Generation {
    /// Wall-clock time since the start of the run.
    seconds: f64,
    /// Absent where the generation was not scored.
    suite_search_optimal: Option<f64>,
}

/// A score of a run on its suite.
#[derive(Debug, PartialEq)]
pub struct Score {
    pub minutes: f64,
    /// Best moves found by search, in percent of the suite.
    pub best_moves: f64,
}

/// The scores of a run, from its `progress.jsonl`.
pub fn read(path: &Path) -> Result<Vec<Score>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    parse(&text).with_context(|| path.display().to_string())
}

fn parse(text: &str) -> Result<Vec<Score>> {
    let generations = text.lines().map(serde_json::from_str).collect::<Result<Vec<Generation>, _>>()?;
    let score = |generation: Generation| {
        let best_moves = generation.suite_search_optimal? * 100.0;
        Some(Score { minutes: generation.seconds / 60.0, best_moves })
    };
    Ok(generations.into_iter().filter_map(score).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_without_a_score_are_left_out() {
        let text = concat!(
            "{\"generation\":1,\"seconds\":30.0,\"suite_search_optimal\":0.5}\n",
            "{\"generation\":2,\"seconds\":60.0}\n",
            "{\"generation\":3,\"seconds\":90.0,\"suite_search_optimal\":null}\n",
            "{\"generation\":4,\"seconds\":120.0,\"suite_search_optimal\":0.75}\n",
        );
        let scores = [Score { minutes: 0.5, best_moves: 50.0 }, Score { minutes: 2.0, best_moves: 75.0 }];
        assert_eq!(parse(text).unwrap(), scores);
    }
}
