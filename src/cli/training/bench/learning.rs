//! The speed of learning, by threads and batch.

use rayon::ThreadPool;

use super::measurer::Measurer;
use super::rates::TrainingRate;
use super::turns::{Turn, median, turn};
use doublecross_run::observer::Progress;
use doublecross_train::Learner;
use doublecross_train::ProcessorError;

/// The batch sizes of learning.
const BATCHES: [usize; 3] = [64, 128, 256];

impl Measurer {
    pub(crate) fn training_rates(
        &self,
        pools: &[ThreadPool],
        progress: &Progress<'_>,
    ) -> Result<Vec<TrainingRate>, ProcessorError> {
        let symmetries: Vec<_> = self.weights.board.symmetries().collect();
        let mut learner = Learner::new(&self.config, &self.config.learn, &self.weights, self.isa())?;
        let cases: Vec<(usize, usize)> = (0..pools.len()).flat_map(|pool| BATCHES.map(|batch| (pool, batch))).collect();
        let mut rates = vec![Vec::new(); cases.len()];
        for _ in 0..self.rounds {
            for (&(pool, batch), rate) in cases.iter().zip(&mut rates) {
                let samples = self.samples.iter().zip(symmetries.iter().copied().cycle()).cycle();
                let samples: Vec<_> = samples.take(batch).collect();
                rate.push(pools[pool].install(|| {
                    turn(|| {
                        learner.step(&self.config.learn, &samples, 0.5);
                        // A GPU computes until it is asked.
                        learner.take_metrics();
                        batch
                    })
                }));
            }
            progress.advance(1);
        }
        let finish = |((pool, batch), rate): ((usize, usize), Vec<Turn>)| TrainingRate {
            threads: pools[pool].current_num_threads(),
            batch,
            samples_per_second: median(rate.iter().map(|turn| turn.per_second).collect()),
            samples_per_processor_second: median(rate.iter().map(|turn| turn.per_processor_second).collect()),
        };
        Ok(cases.into_iter().zip(rates).map(finish).collect())
    }
}
