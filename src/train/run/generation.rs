//! One generation of a run: games, learning, scores, checkpoint and logs.

use std::path::Path;
use std::time::Instant;

use super::Training;
use super::error::{RunError, file_error};
use super::folder::shard_path;
use super::margin_error::margin_error;
use crate::board::State;
use crate::net::Weights;
use crate::train::checkpoint::{Checkpoint, RunState};
use crate::train::costs::Costs;
use crate::train::labelled::label_positions;
use crate::train::metrics::StepMetrics;
use crate::train::observer::{Event, Progress, Task};
use crate::train::record::GenerationRates;
use crate::train::scoring::Scoring;
use crate::train::selfplay::{inference, play_games};
use crate::train::shard::Shard;
use crate::train::with_canaries;

/// The cost of a generation's samples.
struct SampleCosts {
    /// The cost of the games.
    games: Costs,
    /// Seconds of self-play by the clock.
    playing: f64,
    /// Seconds of labelling positions by the clock.
    labelling: f64,
}

impl Training {
    /// Runs the next generation. Its games are read instead of played if a kill left their shard
    /// behind.
    pub(super) fn run_generation(&mut self) -> Result<(), RunError> {
        let generation = self.record.generation + 1;
        let start = Instant::now();
        let path = shard_path(&self.folder, generation);
        let (shard, costs) = if path.exists() {
            (Shard::read_of(&path, Some(generation), self.board)?, None)
        } else {
            let (shard, costs) = self.make_shard(generation, &path)?;
            (shard, Some(costs))
        };
        let observer = self.environment.observer.clone();
        self.record.games += shard.games;
        self.record.samples += shard.samples.len() as u64;
        if shard.samples.is_empty() {
            observer.report(Event::NoSamples { generation });
        }
        self.replay.push(shard, &self.config.learn);
        // Before learning: the weights that played these games have not seen their answers.
        let isa = self.config.isa();
        let surprise = margin_error(&self.learner.ema_weights(), isa, self.replay.newest());
        let metrics = self.learner.learn(&self.config, &self.replay, generation, &*observer);
        let diverged = || RunError::Diverged { path: self.folder.display().to_string(), generation };
        if !(metrics.is_finite() && self.learner.is_finite()) {
            return Err(diverged());
        }
        let weights = self.learner.ema_weights();
        // Finite weights may still give evaluations that are not numbers.
        if margin_error(&weights, isa, self.replay.newest()).is_some_and(|error| !error.is_finite()) {
            return Err(diverged());
        }
        self.record_metrics(generation, &metrics, surprise);
        self.record_costs(start.elapsed().as_secs_f64(), costs);
        self.score(&weights);
        let checkpoint = Checkpoint {
            state: RunState {
                generation,
                steps: self.learner.steps(),
                record: self.record.clone(),
                config: Some(self.config.to_toml()),
            },
            ema: with_canaries(weights),
            weights: self.learner.weights(),
            optimizer: self.learner.optimizer_bytes(),
        };
        checkpoint.write(&self.folder)?;
        self.logs.write(&self.record, &*observer).map_err(|error| file_error(&self.folder, error))?;
        observer.report(Event::GenerationFinished { record: &self.record, generations: self.config.generations });
        Ok(())
    }

    /// Plays a generation's games, labels its positions, and writes their samples to `path`.
    fn make_shard(&self, generation: u64, path: &Path) -> Result<(Shard, SampleCosts), RunError> {
        let start = Instant::now();
        let observer = &*self.environment.observer;
        let inference = inference(&self.config, self.learner.ema_weights(), self.config.isa())?;
        let games = self.config.selfplay.games;
        // There is most to learn where the solver did not settle the last generation's games.
        let unsettled = self.replay.newest().iter().filter(|sample| !sample.is_exact);
        let starts: Vec<State> = unsettled.map(|sample| sample.state).collect();
        let progress = Progress::new(observer, Task::Games { generation }, games);
        let (mut samples, costs) = play_games(&self.config, self.board, &inference, generation, &starts, &progress);
        drop(progress);
        let playing = start.elapsed().as_secs_f64();
        let positions = self.config.labelled.positions;
        if positions > 0 {
            let progress = Progress::new(observer, Task::Labelling { generation }, positions);
            samples.extend(label_positions(&self.config, self.board, generation, &progress));
        }
        let labelling = start.elapsed().as_secs_f64() - playing;
        let shard = Shard { board: self.board, generation, games: games as u64, samples };
        let shard = without_suite(shard, &self.scoring);
        if shard.samples.is_empty() && self.replay.len() == 0 {
            return Err(RunError::NoSamples { games: games as u64 });
        }
        shard.write(path).map_err(|error| file_error(path, error))?;
        Ok((shard, SampleCosts { games: costs, playing, labelling }))
    }

    /// Scores the weights on the run's suite, if scores are due.
    fn score(&mut self, weights: &Weights) {
        let start = Instant::now();
        let generation = self.record.generation;
        let is_last = generation == self.config.generations || self.is_out_of_time();
        let due = self.scoring.as_ref().filter(|scoring| is_last || scoring.is_due(generation));
        let (isa, observer) = (self.config.isa(), &*self.environment.observer);
        self.record.suite = due.map(|scoring| scoring.score(weights, isa, observer));
        self.record.seconds += start.elapsed().as_secs_f64();
    }

    fn record_metrics(&mut self, generation: u64, metrics: &StepMetrics, margin_error: Option<f64>) {
        let record = &mut self.record;
        record.generation = generation;
        record.steps = self.learner.steps();
        record.policy_loss = metrics.policy_loss;
        record.margin_loss = metrics.margin_loss;
        record.edge_loss = self.config.learn.learns_edges().then_some(metrics.edge_loss);
        record.policy_entropy = metrics.policy_entropy;
        record.gradient_norm = metrics.gradient_norm;
        record.learning_rate = metrics.learning_rate;
        record.margin_error = margin_error;
        record.window_samples = self.replay.len() as u64;
    }

    /// Records the generation's seconds, and its rates unless its games outlived a kill.
    fn record_costs(&mut self, seconds: f64, costs: Option<SampleCosts>) {
        self.record.seconds += seconds;
        if let Some(costs) = &costs {
            self.record.positions += costs.games.searches;
            self.record.evaluations += costs.games.evaluations;
        }
        self.record.rates = costs.map(|costs| costs.rates(self.config.selfplay.games, seconds));
    }
}

impl SampleCosts {
    /// The rates of a generation of so many games that took so many seconds in all.
    fn rates(&self, games: usize, seconds: f64) -> GenerationRates {
        let SampleCosts { games: costs, playing, labelling } = self;
        let worked = costs.total.as_secs_f64().max(1e-9);
        let share = |part: f64| part / worked * playing / seconds;
        GenerationRates {
            games_per_second: games as f64 / playing,
            positions_per_second: costs.searches as f64 / playing,
            evaluations_per_second: costs.evaluations as f64 / playing,
            cache_hits: 1.0 - costs.computed as f64 / costs.evaluations.max(1) as f64,
            share_network: share(costs.network.as_secs_f64()),
            share_solver: share(costs.solver.as_secs_f64()),
            share_leaves: share(costs.leaves.as_secs_f64()),
            share_search: share(costs.search().as_secs_f64()),
            share_labelling: labelling / seconds,
            share_learning: (seconds - playing - labelling) / seconds,
        }
    }
}

/// Removes the positions of the run's suite from a shard.
pub(super) fn without_suite(mut shard: Shard, scoring: &Option<Scoring>) -> Shard {
    if let Some(scoring) = scoring {
        shard.samples.retain(|sample| !scoring.holds(sample.state));
    }
    shard
}
