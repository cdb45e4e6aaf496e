//! The speed of learning, by threads and batch.

use rayon::ThreadPool;

use super::measurer::Measurer;
use super::rates::TrainingRate;
use super::turns::{Turn, median, turn};
use crate::cli::terminal::stderr::print_detail;
use doublecross_run::Processor;
use doublecross_run::observer::Progress;
use doublecross_train::{Learner, Precision, ProcessorError, gpu_name};

/// The batch sizes of learning on the processor.
const BATCHES: &[usize] = &[64, 128, 256];

/// The batch sizes of learning on a GPU, which small batches leave idle.
const GPU_BATCHES: &[usize] = &[128, 256, 512, 1024, 2048];

impl Measurer {
    pub(crate) fn training_rates(
        &self,
        pools: &[ThreadPool],
        progress: &Progress<'_>,
    ) -> Result<Vec<TrainingRate>, ProcessorError> {
        let symmetries: Vec<_> = self.weights.board.symmetries().collect();
        let mut learner = Learner::new(&self.config, &self.config.learn, &self.weights, self.isa())?;
        let (backend, batches, first_pool) = match self.config.resources.learn_device {
            Processor::Cpu => (Precision::of(self.isa()).name().to_string(), BATCHES, 0),
            Processor::Gpu => (gpu_name()?, GPU_BATCHES, pools.len() - 1),
        };
        let cases = (first_pool..pools.len()).flat_map(|pool| batches.iter().map(move |&batch| (pool, batch)));
        let cases: Vec<(usize, usize)> = cases.collect();
        let mut rates = vec![Vec::new(); cases.len()];
        for _ in 0..self.rounds {
            for (&(pool, batch), rate) in cases.iter().zip(&mut rates) {
                let samples = self.samples.iter().zip(symmetries.iter().copied().cycle()).cycle();
                let samples: Vec<_> = samples.take(batch).collect();
                let threads = pools[pool].current_num_threads();
                let turn = pools[pool].install(|| {
                    turn(|| {
                        learner.step(&self.config.learn, &samples, 0.5);
                        // A GPU computes until it is asked.
                        learner.take_metrics();
                        batch
                    })
                });
                // A GPU may take longer to compile its kernels than anybody waits.
                let per_second = turn.per_second;
                print_detail(format_args!("batch {batch}, threads {threads}: {per_second:.0} samples/s"));
                rate.push(turn);
            }
            progress.advance(1);
        }
        let finish = |((pool, batch), rate): ((usize, usize), Vec<Turn>)| TrainingRate {
            backend: backend.clone(),
            threads: pools[pool].current_num_threads(),
            batch,
            samples_per_second: median(rate.iter().map(|turn| turn.per_second).collect()),
            samples_per_processor_second: median(rate.iter().map(|turn| turn.per_processor_second).collect()),
        };
        Ok(cases.into_iter().zip(rates).map(finish).collect())
    }
}
