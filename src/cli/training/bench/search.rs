//! The speed of a search on one thread.

use super::measurer::Measurer;
use super::turns::{median, turn};
use doublecross_core::board::MAX_EDGES;
use doublecross_core::search::{NetworkEvaluator, Search, Settings};
use doublecross_run::observer::Progress;

impl Measurer {
    pub(crate) fn simulations_per_second(&self, progress: &Progress<'_>) -> f64 {
        let settings = Settings { solver_undrawn: 0, ..self.config.selfplay.search() };
        let mut search = Search::new(self.weights.board, settings);
        let mut evaluator = NetworkEvaluator::new(self.network.clone());
        let mut rates = Vec::new();
        for _ in 0..self.rounds {
            let mut samples = self.samples.iter().cycle();
            let turn = turn(|| {
                let sample = samples.next().expect("self-play gives samples");
                // This is the search's own count: it may end before its last simulation.
                search.run(sample.state, 0, &[0.0; MAX_EDGES], &mut evaluator, None).simulations
            });
            rates.push(turn.per_second);
            progress.advance(1);
        }
        median(rates)
    }
}
