//! The speed of self-play, by threads.

use std::time::Duration;

use rayon::ThreadPool;

use super::measurer::Measurer;
use super::rates::{SelfPlayRate, Work};
use super::turns::median;
use doublecross_proof::Books;
use doublecross_run::observer::Progress;
use doublecross_run::{Elapsed, Stopwatch};
use doublecross_selfplay::{Costs, DataSet, DataSetError, Orders, Session, play_all};

impl Measurer {
    /// Returns the rates, and the mean number of samples of a game.
    pub(crate) fn selfplay_rates(&self, pools: &[ThreadPool], progress: &Progress<'_>) -> (Vec<SelfPlayRate>, f64) {
        // Labeled positions are no games.
        let mut config = self.config.clone();
        (config.selfplay.games, config.labeled.positions) = (self.games, 0);
        let (mut samples, mut all) = (0, 0);
        let mut played: Vec<Vec<(Costs, Elapsed)>> = vec![Vec::new(); pools.len()];
        for round in 0..self.rounds as u64 {
            for (pool, played) in pools.iter().zip(&mut played) {
                let weights = self.weights.clone();
                let orders = Orders::new(&config, 2 + round, weights, Vec::new(), &Books::default());
                let session = Session::new(orders);
                let stopwatch = Stopwatch::start();
                let collected = pool.install(|| play_all(session));
                let mut costs = Costs::default();
                for game in &collected.items {
                    costs.add(&game.costs);
                    samples += game.samples.len();
                }
                all += collected.items.len();
                played.push((costs, stopwatch.elapsed()));
            }
            progress.advance(1);
        }
        let alone = &played[0];
        let rate = |(pool, played): (&ThreadPool, &Vec<(Costs, Elapsed)>)| {
            self.selfplay_rate(pool.current_num_threads(), played, alone)
        };
        (pools.iter().zip(&played).map(rate).collect(), samples as f64 / all.max(1) as f64)
    }

    /// Measures the work of one thread on the labeled positions of a generation. Those of a data set take no time.
    ///
    /// # Errors
    /// Returns an error if the data set cannot be opened.
    pub(crate) fn label_work(&self) -> Result<Work, DataSetError> {
        let mut config = self.config.clone();
        let all = config.labeled.positions;
        if let Some(folder) = &config.labeled.data {
            let data_set = DataSet::open(folder.as_ref())?;
            let samples = data_set.samples() as f64 / data_set.shards().max(1) as f64;
            return Ok(Work { seconds: 0.0, samples });
        }
        if all == 0 {
            return Ok(Work::default());
        }
        // As many as belong to the games of a round.
        let measured = (all * self.games).div_ceil(config.selfplay.games.max(self.games));
        (config.selfplay.games, config.labeled.positions) = (0, measured);
        let orders = Orders::new(&config, 2, self.weights.clone(), Vec::new(), &Books::default());
        let stopwatch = Stopwatch::start();
        let samples: usize = play_all(Session::new(orders)).items.iter().map(|item| item.samples.len()).sum();
        let times = all as f64 / measured as f64;
        Ok(Work { seconds: times * stopwatch.elapsed().seconds, samples: times * samples as f64 })
    }

    /// The rate of so many threads from the costs and times of their rounds, beside those of the
    /// first pool.
    fn selfplay_rate(&self, threads: usize, played: &[(Costs, Elapsed)], alone: &[(Costs, Elapsed)]) -> SelfPlayRate {
        let games = self.games as f64;
        let over_rounds = |figure: &dyn Fn(&Costs, f64) -> f64| {
            median(played.iter().map(|(costs, elapsed)| figure(costs, elapsed.seconds)).collect())
        };
        let share = |part: &dyn Fn(&Costs) -> Duration| {
            over_rounds(&|costs, _| part(costs).as_secs_f64() / costs.total.as_secs_f64().max(1e-9))
        };
        SelfPlayRate {
            backend: self.isa().name().into(),
            threads,
            games_per_second: over_rounds(&|_, seconds| games / seconds),
            games_per_processor_second: median(
                played.iter().map(|(_, elapsed)| games / elapsed.processor_seconds.max(1e-9)).collect(),
            ),
            of_one_thread: median(alone.iter().zip(played).map(|((_, a), (_, b))| a.seconds / b.seconds).collect()),
            positions_per_second: over_rounds(&|costs, seconds| costs.searches as f64 / seconds),
            evaluations_per_second: over_rounds(&|costs, seconds| costs.evaluations as f64 / seconds),
            share_network: share(&|costs| costs.network),
            share_solver: share(&|costs| costs.solver),
            share_leaves: share(&|costs| costs.leaves),
            share_search: share(&|costs| costs.search()),
        }
    }
}
