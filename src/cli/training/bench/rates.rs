//! The figures of a measurement.

use std::ops::Add;

use serde::Serialize;

use super::leaves::LeafCost;

/// One rate, in the form that all parts have in common.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Rate {
    /// The part: `solver` (leaves a second), `net` (evaluations), `search` (simulations),
    /// `selfplay` (games) or `train` (training samples).
    pub what: &'static str,
    /// The engine's instruction set, or `burn flex`; `None` for a part that has no choice.
    #[serde(rename = "path")]
    pub backend: Option<String>,
    /// The number of threads.
    pub threads: usize,
    /// The number of positions, games or samples that are worked on together.
    pub batch: usize,
    /// The rate.
    pub per_second: f64,
}

/// The speed of the network's forward pass on one thread.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NetworkRate {
    /// The engine's instruction set, or `burn flex`.
    #[serde(rename = "by")]
    pub backend: String,
    /// The number of positions evaluated together.
    pub batch: usize,
    /// Positions a second.
    pub evaluations_per_second: f64,
    /// The speed of the chosen instruction set as a multiple of this one.
    pub chosen_is_faster: f64,
}

/// The speed of self-play with the config's settings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SelfPlayRate {
    /// The engine's instruction set.
    #[serde(rename = "path")]
    pub backend: String,
    /// The number of worker threads.
    pub threads: usize,
    /// Games a second.
    pub games_per_second: f64,
    /// Games a second of processor time, which other work of the machine hardly changes.
    pub games_per_processor_second: f64,
    /// Games a second as a multiple of those of one thread.
    pub of_one_thread: f64,
    /// Positions searched a second.
    pub positions_per_second: f64,
    /// Evaluations asked for a second, cached or not.
    pub evaluations_per_second: f64,
    /// The share of the workers' time in the network.
    pub share_network: f64,
    /// The share of it in the solver at roots.
    pub share_solver: f64,
    /// The share of it in the solver at leaves.
    pub share_leaves: f64,
    /// The rest of it.
    pub share_search: f64,
}

/// The speed of learning.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TrainingRate {
    /// The instruction set of convolutions, or the name of the GPU.
    #[serde(rename = "by")]
    pub backend: String,
    /// The number of threads that burn may use.
    pub threads: usize,
    /// The number of training samples of a step.
    pub batch: usize,
    /// Training samples a second.
    pub samples_per_second: f64,
    /// Training samples a second of processor time, which other work of the machine hardly changes.
    pub samples_per_processor_second: f64,
}

/// The work of one thread on the games or the labeled positions of a generation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub seconds: f64,
    /// The samples that come of it.
    pub samples: f64,
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work { seconds: self.seconds + other.seconds, samples: self.samples + other.samples }
    }
}

/// The limit of what more machines bring: the pace of the learner, which is one machine.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct LearnerLimit {
    /// The number of new samples of a generation.
    pub samples: f64,
    /// The number of samples learned, in multiples of the new ones.
    pub passes: u8,
    /// Seconds that one thread takes for the games and the labeled positions of a generation.
    pub play_seconds: f64,
    /// Seconds that the learner takes for its samples.
    pub learn_seconds: f64,
    /// The number of threads that play as fast as the learner learns.
    pub threads: f64,
}

impl LearnerLimit {
    /// Computes the limit from the work of a generation and the rate of a learner.
    pub fn new(work: Work, passes: u8, samples_per_second: f64) -> LearnerLimit {
        let learn_seconds = work.samples * passes as f64 / samples_per_second.max(1e-9);
        let threads = work.seconds / learn_seconds.max(1e-9);
        LearnerLimit { samples: work.samples, passes, play_seconds: work.seconds, learn_seconds, threads }
    }
}

/// The figures of a machine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    /// The board.
    pub board: String,
    /// The number of multiplications and additions of one forward pass.
    pub operations: u64,
    /// The engine's instruction set.
    #[serde(rename = "path")]
    pub isa: String,
    /// Forward passes. Like every part, this is empty if it was not asked for.
    pub network: Vec<NetworkRate>,
    /// Simulations a second of a search on one thread, without cache and solver.
    pub simulations_per_second: Option<f64>,
    /// The solver at leaves; empty also if the config has no solver there.
    pub leaves: Vec<LeafCost>,
    /// Self-play, by threads.
    pub selfplay: Vec<SelfPlayRate>,
    /// Learning, by threads and batch.
    pub learning: Vec<TrainingRate>,
    /// The limit that learning sets to self-play; `None` unless both were measured.
    pub learner_limit: Option<LearnerLimit>,
}

impl Measurement {
    /// Returns all figures as one list.
    pub fn rates(&self) -> Vec<Rate> {
        let rate = |what, backend: Option<&str>, threads, batch, per_second| Rate {
            what,
            backend: backend.map(str::to_string),
            threads,
            batch,
            per_second,
        };
        let chosen = Some(self.isa.as_str());
        // Leaves as they come, with few safe edges or many.
        let positions: usize = self.leaves.iter().map(|r| r.positions).sum();
        let microseconds: f64 = self.leaves.iter().map(|r| r.positions as f64 * r.microseconds).sum();
        let leaves = (positions > 0).then(|| rate("solver", None, 1, 1, 1e6 * positions as f64 / microseconds));
        let network = self.network.iter();
        let network = network.map(|r| rate("net", Some(r.backend.as_str()), 1, r.batch, r.evaluations_per_second));
        let search = self.simulations_per_second.map(|simulations| rate("search", chosen, 1, 1, simulations));
        let selfplay = self.selfplay.iter();
        let selfplay = selfplay.map(|r| rate("selfplay", Some(r.backend.as_str()), r.threads, 1, r.games_per_second));
        let learning = self.learning.iter().map(|r| rate("train", None, r.threads, r.batch, r.samples_per_second));
        leaves.into_iter().chain(network).chain(search).chain(selfplay).chain(learning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_where_learning_keeps_up_with_play() {
        let games = Work { seconds: 30.0, samples: 2_000.0 };
        let limit = LearnerLimit::new(games, 3, 1_000.0);
        assert_eq!((limit.learn_seconds, limit.threads), (6.0, 5.0));
        // Labels are quick, and are samples to learn from all the same.
        let labels = Work { seconds: 10.0, samples: 18_000.0 };
        let limit = LearnerLimit::new(games + labels, 3, 1_000.0);
        assert_eq!((limit.play_seconds, limit.learn_seconds, limit.threads), (40.0, 60.0, 40.0 / 60.0));
    }
}
