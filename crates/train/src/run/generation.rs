//! One generation of a run: games, learning, scores, checkpoint and logs.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Training;
use super::counts::Counts;
use super::error::{RunError, file_error};
use super::folder::parts_path;
use super::margin_error::margin_error;
use super::orders::orders;
use crate::learn::metrics::StepMetrics;
use crate::run::context::RunContext;
use crate::run::scoring::Scoring;
use crate::with_canaries;
use doublecross_core::net::Weights;
use doublecross_core::shell::shell_word;
use doublecross_run::checkpoint::{Checkpoint, RunState};
use doublecross_run::config::Course;
use doublecross_run::config::GenerationConfig;
use doublecross_run::layout::shard_path;
use doublecross_run::observer::{Event, Observer, Progress, Task};
use doublecross_run::workers::{Workers, workers_path, write_workers};
use doublecross_run::{Elapsed, GenerationRates, Stopwatch};
use doublecross_selfplay::{Collected, Costs, GenerationProgress, Origin, PartFile, Session, Shard};

/// The time between two reports of how far the games are.
const REPORT: Duration = Duration::from_millis(100);

/// The cost of a generation's samples.
#[derive(Default)]
struct SampleCosts {
    /// The cost of the games.
    games: Costs,
    /// The cost of the labeled positions.
    labeled: Costs,
    /// Seconds that the learner waited for them.
    waited: f64,
    /// Seconds from the first item's beginning to the last one's end; `None` where some outlived a
    /// kill.
    playing: Option<f64>,
}

impl Training {
    /// Runs the next generation. Its games are read instead of played if a kill left their shard
    /// behind.
    pub(super) fn run_generation(&mut self) -> Result<(), RunError> {
        let generation = self.record.generation + 1;
        let path = shard_path(&self.folder, generation);
        self.enter(generation)?;
        self.open_generations(generation)?;
        let (shard, costs) = if path.exists() {
            let shard = Shard::read_of(&path, generation, self.config.board_of(generation));
            (shard.map_err(RunError::of_unlearned)?, None)
        } else {
            let (shard, costs) = self.make_shard(generation, &path)?;
            (shard, Some(costs))
        };
        let observer = self.context.observer.clone();
        self.record.games += shard.games;
        self.record.samples += shard.samples.len() as u64;
        self.record.played_samples += shard.kinds().played as u64;
        if shard.samples.is_empty() {
            observer.report(Event::NoSamples { generation });
        }
        self.window.push(shard, &self.present.learn);
        // Before learning: the weights that played these games have not seen their answers.
        let isa = self.config.isa();
        let share_done = Course::at(&self.config, generation).share_done(generation);
        let played_error = margin_error(&self.learner.ema_weights(), isa, self.window.newest());
        let stop = &self.context.stop;
        let metrics = self.learner.learn(&self.present.learn, &self.window, generation, share_done, &*observer, stop);
        self.check_stop()?;
        let diverged = || RunError::Diverged { path: shell_word(&self.folder), generation };
        if !(metrics.is_finite() && self.learner.is_finite()) {
            return Err(diverged());
        }
        let weights = self.learner.ema_weights();
        // Finite weights may still give evaluations that are not numbers.
        if margin_error(&weights, isa, self.window.newest()).is_some_and(|error| !error.is_finite()) {
            return Err(diverged());
        }
        self.record_metrics(generation, &metrics, played_error);
        self.record_costs(generation, costs);
        self.score(&weights)?;
        let steps = self.learner.steps();
        let checkpoint = Checkpoint {
            state: RunState {
                generation,
                steps: steps.taken,
                steps_before_course: steps.before_course,
                record: self.record.clone(),
                config: self.config.to_toml(),
            },
            ema: with_canaries(weights),
            weights: self.learner.weights(),
            optimizer: self.learner.optimizer_bytes(),
        };
        checkpoint.write(&self.folder)?;
        Counts::remove(&self.folder, generation);
        self.logs.write(&self.record, &*observer).map_err(|error| file_error(self.logs.progress(), error))?;
        observer.report(Event::GenerationFinished { record: &self.record, generations: self.config.generations });
        Ok(())
    }

    /// Enters the phase of a generation, if one begins there.
    fn enter(&mut self, generation: u64) -> Result<(), RunError> {
        let next = self.config.at(generation);
        self.learner.reconfigure(&self.present, &next)?;
        self.present = next;
        if Course::at(&self.config, generation).first == generation {
            self.learner.begin_course();
        }
        if let Some(number) = self.config.phases.iter().position(|phase| phase.from == generation) {
            let phase = &self.config.phases[number];
            self.context.observer.report(Event::PhaseBegun { number: number + 1, phase });
        }
        Ok(())
    }

    /// Opens the games of a generation, and of those that self-play may be ahead.
    fn open_generations(&mut self, generation: u64) -> Result<(), RunError> {
        let last = (generation + self.config.selfplay.lag).min(self.config.generations);
        for generation in generation.max(self.opened + 1)..=last {
            self.opened = generation;
            let path = shard_path(&self.folder, generation);
            if path.exists() {
                continue;
            }
            let orders = orders(&self.folder, &self.config, generation, &self.context.books)?;
            let board = orders.board;
            let session = Session::new(orders);
            let path = parts_path(&self.folder, generation);
            let parts = PartFile::open(path.clone(), session.sealed.id, board, session.orders.items());
            let (parts, saved) = parts.map_err(|error| file_error(&path, error))?;
            if !saved.is_empty() {
                self.context.observer.report(Event::GamesKept { generation, count: saved.len() });
            }
            self.exchange.open(Arc::new(session), Some(parts), saved);
        }
        Ok(())
    }

    /// Waits for a generation's games and labeled positions, and writes their samples to `path`.
    fn make_shard(&mut self, generation: u64, path: &Path) -> Result<(Shard, SampleCosts), RunError> {
        let start = Instant::now();
        let (waited, Collected { items, playing, parts }) = loop {
            self.wait_for_items(generation)?;
            let waited = start.elapsed().as_secs_f64();
            // Some are missing again if a worker was banned at this moment.
            if let Some(collected) = self.exchange.collect(generation, waited) {
                break (waited, collected);
            }
        };
        let games = self.present.selfplay.games;
        let playing = playing.map(|playing| playing.as_secs_f64());
        let mut costs = SampleCosts { waited, playing, ..SampleCosts::default() };
        let mut workers = Workers::new();
        for item in &items {
            let is_game = (item.number as usize) < games;
            if is_game { &mut costs.games } else { &mut costs.labeled }.add(&item.costs);
            if let Origin::Worker(name) = &item.origin {
                workers.entry(name.to_string()).or_default().push((item.number, item.digest()));
            }
        }
        let mut shard = Shard::new(self.config.board_of(generation), generation, games as u64, items);
        if let Some(data_set) = &self.data_set {
            shard.append(data_set.shard_of(generation)?);
        }
        let shard = self.held_out.without(shard);
        // Other shards may have samples.
        let is_last = generation == self.config.generations;
        let may_come = !is_last && self.data_set.as_ref().is_some_and(|data_set| data_set.samples() > 0);
        if shard.samples.is_empty() && self.window.is_empty() && !may_come {
            let games = shard.games;
            return Err(if games == 0 { RunError::NoLabels } else { RunError::NoSamples { games } });
        }
        // First what the shard does not say.
        write_workers(&self.folder, generation, &workers)
            .map_err(|error| file_error(&workers_path(&self.folder, generation), error))?;
        costs.counts().write(&self.folder, generation)?;
        shard.write(path).map_err(|error| file_error(path, error))?;
        if let Some(parts) = parts {
            PartFile::remove(&parts);
        }
        Ok((shard, costs))
    }

    /// Checks that no game that was learned from is a fake.
    fn check_fakes(&self) -> Result<(), RunError> {
        self.exchange.first_fake().map_or(Ok(()), |generation| Err(RunError::Fakes { generation }))
    }

    /// Waits until a generation's items are all there, and reports how far they are.
    fn wait_for_items(&mut self, generation: u64) -> Result<(), RunError> {
        let observer = self.context.observer.clone();
        let mut progress = ItemProgress::new(&*observer, generation, &self.present);
        loop {
            let standing = self.exchange.wait(generation, REPORT).ok_or(RunError::PlayerPanicked)?;
            self.check_fakes()?;
            self.check_stop()?;
            progress.report(standing);
            if standing.is_whole {
                return Ok(());
            }
            if let Some(error) = self.exchange.take_save_failure() {
                return Err(self.cannot_save(error));
            }
        }
    }

    /// Saves what was played of the open generations.
    pub(super) fn save_parts(&self) -> Result<(), RunError> {
        self.exchange.save().map_err(|error| self.cannot_save(error))
    }

    fn cannot_save(&self, error: io::Error) -> RunError {
        file_error(&self.folder.join("shards"), error)
    }

    /// Returns the time since the last call, or since the run began.
    fn lap(&mut self) -> Elapsed {
        std::mem::replace(&mut self.clock, Stopwatch::start()).elapsed()
    }

    /// Scores the weights on the run's suite, if scores are due. The processor time of scores counts only where it
    /// cannot be told from that of games which are played beside them.
    fn score(&mut self, weights: &Weights) -> Result<(), RunError> {
        let generation = self.record.generation;
        let is_last = generation == self.config.generations || self.is_out_of_time();
        let due = self.scoring.as_ref().filter(|scoring| is_last || scoring.is_due(generation));
        let (isa, RunContext { observer, stop, .. }) = (self.config.isa(), &self.context);
        let score = |scoring: &Scoring| scoring.score(weights, isa, &**observer, stop).ok_or(RunError::Stopped);
        self.record.suite = due.map(score).transpose()?;
        let Elapsed { seconds, processor_seconds } = self.lap();
        self.record.seconds += seconds;
        if self.config.selfplay.lag > 0 {
            self.record.processor_seconds += processor_seconds;
        }
        Ok(())
    }

    fn record_metrics(&mut self, generation: u64, metrics: &StepMetrics, margin_error: Option<f64>) {
        let record = &mut self.record;
        record.generation = generation;
        let board = self.config.mixture.as_ref().map(|mixture| mixture.board_of(generation).to_string());
        record.board = board.unwrap_or_default();
        record.steps = self.learner.steps().taken;
        if metrics.steps > 0 {
            record.policy_loss = metrics.policy_loss;
            record.margin_loss = metrics.margin_loss;
            record.edge_loss = self.present.learn.learns_edges().then_some(metrics.edge_loss);
            record.policy_entropy = metrics.policy_entropy;
            record.gradient_norm = metrics.gradient_norm;
            record.learning_rate = metrics.learning_rate;
        }
        record.margin_error = margin_error;
        let window = self.window.kinds();
        (record.window_samples, record.window_played) = (window.sum() as u64, window.played as u64);
    }

    /// Records the generation's time, and its rates unless its games outlived a kill.
    fn record_costs(&mut self, generation: u64, costs: Option<SampleCosts>) {
        let Elapsed { seconds, processor_seconds } = self.lap();
        self.record.seconds += seconds;
        self.record.processor_seconds += processor_seconds;
        let counts = match &costs {
            Some(costs) => Some(costs.counts()),
            None => Counts::read(&self.folder, generation),
        };
        let Counts { positions, evaluations } = counts.unwrap_or_default();
        self.record.positions += positions;
        self.record.evaluations += evaluations;
        self.record.rates = costs.and_then(|costs| costs.rates(self.present.selfplay.games, seconds));
    }
}

impl SampleCosts {
    /// The counts of the games.
    fn counts(&self) -> Counts {
        Counts { positions: self.games.searches, evaluations: self.games.evaluations }
    }

    /// The rates of a generation of so many games that took so many seconds in all, of which the
    /// shares are those of the learner's time.
    fn rates(&self, games: usize, seconds: f64) -> Option<GenerationRates> {
        let SampleCosts { games: costs, labeled, waited, playing } = self;
        let [in_games, in_labels] = [costs, labeled].map(|costs| costs.total.as_secs_f64());
        let worked = (in_games + in_labels).max(1e-9);
        // Without games there is no rate of them.
        if self.games.total.is_zero() {
            return None;
        }
        let share = |part: f64| part / worked * waited / seconds;
        let playing = (*playing)? * in_games.max(1e-9) / worked;
        Some(GenerationRates {
            games_per_second: games as f64 / playing,
            positions_per_second: costs.searches as f64 / playing,
            evaluations_per_second: costs.evaluations as f64 / playing,
            cache_hits: 1.0 - costs.computed as f64 / costs.evaluations.max(1) as f64,
            share_network: share(costs.network.as_secs_f64()),
            share_solver: share(costs.solver.as_secs_f64()),
            share_leaves: share(costs.leaves.as_secs_f64()),
            share_search: share(costs.search().as_secs_f64()),
            share_labeling: share(in_labels),
            share_learning: (seconds - waited) / seconds,
        })
    }
}

/// The progress of a generation's games, and then of its labeled positions.
struct ItemProgress<'a> {
    observer: &'a dyn Observer,
    generation: u64,
    games: usize,
    labeled: usize,
    reported: usize,
    is_labeling: bool,
    progress: Option<Progress<'a>>,
}

impl<'a> ItemProgress<'a> {
    fn new(observer: &'a dyn Observer, generation: u64, config: &GenerationConfig) -> ItemProgress<'a> {
        let (games, labeled) = (config.selfplay.games, config.labeled.positions);
        let progress = Some(Progress::new(observer, Task::Games { generation }, games));
        ItemProgress { observer, generation, games, labeled, reported: 0, is_labeling: false, progress }
    }

    fn report(&mut self, standing: GenerationProgress) {
        if !self.is_labeling {
            self.set(standing.games);
            if standing.games < self.games || self.labeled == 0 {
                return;
            }
            // The end of the games is reported before the positions begin.
            self.progress = None;
            let task = Task::Labeling { generation: self.generation };
            self.progress = Some(Progress::new(self.observer, task, self.labeled));
            (self.is_labeling, self.reported) = (true, 0);
        }
        self.set(standing.labeled);
    }

    /// Reports how many are done, which are fewer than before where a worker was banned.
    fn set(&mut self, done: usize) {
        if let Some(progress) = self.progress.as_ref().filter(|_| done != self.reported) {
            progress.set(done);
            self.reported = done;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Notes the tasks' names and what is done of how many.
    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);

    impl Observer for Log {
        fn report(&self, event: Event<'_>) {
            self.0.lock().unwrap().push(match event {
                Event::Progress { task: Task::Games { .. }, done, total } => format!("games {done}/{total}"),
                Event::Progress { task: Task::Labeling { .. }, done, total } => format!("labels {done}/{total}"),
                Event::Ended(_) => "ended".into(),
                event => panic!("{event:?}"),
            });
        }
    }

    /// A worker is banned after 40 of 60 games, and another one once all are there.
    #[test]
    fn rejected_games_are_not_counted_twice() {
        let mut config = GenerationConfig::default();
        (config.selfplay.games, config.labeled.positions) = (60, 8);
        let log = Log::default();
        let mut progress = ItemProgress::new(&log, 1, &config);
        for (games, labeled) in [(40, 0), (21, 0), (21, 0), (60, 0), (50, 2), (60, 7), (60, 3), (60, 8)] {
            let items = config.selfplay.games + config.labeled.positions;
            progress.report(GenerationProgress { games, labeled, items, ..GenerationProgress::default() });
        }
        drop(progress);
        let games = ["games 0/60", "games 40/60", "games 21/60", "games 60/60", "ended"];
        let labels = ["labels 0/8", "labels 2/8", "labels 7/8", "labels 3/8", "labels 8/8", "ended"];
        assert_eq!(*log.0.lock().unwrap(), [&games[..], &labels[..]].concat());
    }
}
