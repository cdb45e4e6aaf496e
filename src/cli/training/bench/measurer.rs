//! The speed of this machine at each part of a run.
//!
//! Alternatives are measured in turns, round after round, so that any other load of the machine
//! slows all of them alike. Figures are medians over the rounds.

use std::sync::Arc;

use rayon::ThreadPool;

use super::leaves::leaf_costs;
use super::rates::{LearnerLimit, Measurement, SelfPlayRate, TrainingRate, Work};

use doublecross_core::board::State;
use doublecross_core::net::{Isa, Network, Weights};
use doublecross_proof::Books;
use doublecross_run::observer::{Observer, Progress, Task};
use doublecross_run::{Config, LearnConfig};
use doublecross_selfplay::{MarginTarget, Orders, Sample, Session, play_all};
use doublecross_train::RunError;

/// A part of a run that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BenchPart {
    /// The solver at leaves.
    Solver,
    /// The network's forward pass.
    Net,
    /// Search without cache and solver.
    Search,
    /// Games of self-play.
    SelfPlay,
    /// Steps of learning.
    Train,
}

impl BenchPart {
    /// All parts.
    pub const ALL: [BenchPart; 5] =
        [BenchPart::Solver, BenchPart::Net, BenchPart::Search, BenchPart::SelfPlay, BenchPart::Train];
}

/// Measures a config with weights of its board.
pub(crate) struct Measurer {
    pub config: Config,
    pub weights: Weights,
    pub network: Arc<Network>,
    pub samples: Vec<Sample>,
    pub parts: Vec<BenchPart>,
    pub rounds: usize,
    /// The number of games that are measured with, where the config has those of a generation.
    pub games: usize,
    pub observer: Arc<dyn Observer>,
}

impl Measurer {
    /// Prepares to measure these parts in so many rounds, with so many games each.
    ///
    /// The config's games are played once, without the solver and with little search, for samples
    /// to measure with.
    pub fn new(
        config: Config,
        weights: Weights,
        observer: Arc<dyn Observer>,
        parts: &[BenchPart],
        rounds: usize,
        games: usize,
    ) -> Measurer {
        // All measurements are on the board of the weights.
        let config = Config { board: weights.board, mixture: None, phases: Vec::new(), ..config };
        let network = Arc::new(Network::new(&weights, config.isa()));
        let mut quick = config.clone();
        (quick.selfplay.simulations, quick.selfplay.root_nodes, quick.selfplay.leaf_nodes) = (4, 0, 0);
        (quick.selfplay.games, quick.labeled.positions) = (games, 0);
        let orders = Orders::new(&quick, 1, weights.clone(), Vec::new(), &Books::default());
        let played = play_all(Session::new(orders)).items;
        let mut samples: Vec<Sample> = played.into_iter().flat_map(|played| played.samples).collect();
        if samples.is_empty() {
            // On the smallest boards a random opening may leave nothing to search.
            let policy = Sample::quantize(weights.board.all().iter().map(|edge| (edge, 1.0)));
            samples.push(Sample {
                state: State::new(weights.board),
                margin: MarginTarget::Played(0),
                policy,
                edge_margins: Vec::new(),
            });
        }
        Measurer { config, weights, network, samples, parts: parts.to_vec(), rounds: rounds.max(1), games, observer }
    }

    /// Measures the parts, on 1, 2, 4... up to `most_threads` threads.
    ///
    /// # Errors
    /// Returns an error if worker threads cannot be started, if the config asks for a GPU and there is
    /// none, or if its labels cannot be opened.
    pub fn run(self, most_threads: usize) -> Result<Measurement, RunError> {
        let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut counts: Vec<usize> = (0..).map(|n| 1 << n).take_while(|&n| n < most_threads).collect();
        counts.push(most_threads.max(1));
        let pools: Vec<ThreadPool> = counts.iter().map(|&threads| pool(threads)).collect::<Result<_, _>>()?;
        let is_asked = |part: BenchPart| self.parts.contains(&part);
        // The solver has no rounds: it gets every leaf that searches meet, once.
        let parts_in_rounds = self.parts.iter().filter(|&&part| part != BenchPart::Solver).count();
        let progress = Progress::new(&*self.observer, Task::Measuring, parts_in_rounds * self.rounds);
        let network =
            if is_asked(BenchPart::Net) { pools[0].install(|| self.network_rates(&progress)) } else { Vec::new() };
        let simulations_per_second = is_asked(BenchPart::Search).then(|| self.simulations_per_second(&progress));
        let leaves = if is_asked(BenchPart::Solver) {
            leaf_costs(&self.config, &self.network, &self.samples)
        } else {
            Vec::new()
        };
        let (selfplay, samples_per_game) =
            if is_asked(BenchPart::SelfPlay) { self.selfplay_rates(&pools, &progress) } else { (Vec::new(), 0.0) };
        let learning = if is_asked(BenchPart::Train) { self.training_rates(&pools, &progress)? } else { Vec::new() };
        let learner_limit = pools[0].install(|| self.learner_limit(&selfplay, samples_per_game, &learning))?;
        Ok(Measurement {
            board: self.weights.board.to_string(),
            operations: self.weights.architecture.operations(self.weights.board),
            isa: self.isa().name().into(),
            network,
            simulations_per_second,
            leaves,
            selfplay,
            learning,
            learner_limit,
        })
    }

    /// Returns the limit of self-play that the fastest learning with about the config's batch sets.
    fn learner_limit(
        &self,
        selfplay: &[SelfPlayRate],
        samples_per_game: f64,
        learning: &[TrainingRate],
    ) -> Result<Option<LearnerLimit>, RunError> {
        let LearnConfig { batch, passes, .. } = self.config.learn;
        let distance = |rate: &TrainingRate| rate.batch.abs_diff(batch);
        let (Some(nearest), Some(one_thread)) = (learning.iter().map(distance).min(), selfplay.first()) else {
            return Ok(None);
        };
        let rates = learning.iter().filter(|rate| distance(rate) == nearest).map(|rate| rate.samples_per_second);
        let games_per_second = one_thread.games_per_second / one_thread.threads as f64;
        let games = self.config.selfplay.games as f64;
        let games = Work { seconds: games / games_per_second.max(1e-9), samples: games * samples_per_game };
        Ok(Some(LearnerLimit::new(games + self.label_work()?, passes, rates.fold(0.0, f64::max))))
    }

    pub fn isa(&self) -> Isa {
        self.config.isa()
    }
}
