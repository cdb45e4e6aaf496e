//! How fast this machine is at each part of a run. What is compared is measured in turns, round after round, so that
//! whatever else the machine does falls on all alike; figures are medians over the rounds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::Device;
use rayon::ThreadPool;
use serde::Serialize;

use super::batch::planes;
use super::costs::Costs;
use super::learner::{Learner, StepMetrics};
use super::leaves::{LeafCost, leaf_costs};
use super::processor::Processor;
use super::selfplay::{Inference, inference, play_games};
use super::{Config, Convolutions, Model, ProcessorError, Progress, RunError, Sample};
use crate::board::{MAX_EDGES, State};
use crate::net::{Engine, Isa, Network, Weights};
use crate::search::{NetworkEvaluator, Search, Settings};

/// How long one turn lasts, at least.
const TURN: Duration = Duration::from_millis(150);

/// Batches that burn's forward pass is measured with.
const FORWARD_BATCHES: [usize; 2] = [1, 32];

/// Batches that learning is measured with.
const LEARNING_BATCHES: [usize; 3] = [64, 128, 256];

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
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

impl Part {
    /// All of them.
    pub const ALL: [Part; 5] = [Part::Solver, Part::Net, Part::Search, Part::SelfPlay, Part::Train];
}

/// One rate, in the form that all parts have in common.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    /// The part: `solver` (leaves a second), `net` (evaluations), `search` (simulations), `selfplay` (games) or `train`
    /// (rows).
    pub what: &'static str,
    /// What it runs on: a path of the engine, `burn flex`, or nothing where there is nothing to choose.
    pub path: Option<String>,
    /// Threads.
    pub threads: usize,
    /// Positions, games or rows that are worked on together.
    pub batch: usize,
    /// How many of these a second.
    pub per_second: f64,
}

/// The network's forward pass on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkRate {
    /// A path of the engine, or `burn flex`.
    pub by: String,
    /// Positions evaluated together.
    pub batch: usize,
    /// Positions a second.
    pub evaluations_per_second: f64,
    /// How many times faster the chosen path is.
    pub chosen_is_faster: f64,
}

/// Self-play of the config's kind.
#[derive(Clone, Debug, Serialize)]
pub struct SelfPlayRate {
    /// The engine's path that is used, or `gpu`.
    pub path: String,
    /// Positions that are evaluated together at most.
    pub batch: usize,
    /// Worker threads.
    pub threads: usize,
    /// Games a second.
    pub games_per_second: f64,
    /// How many times the games a second of one thread.
    pub of_one_thread: f64,
    /// Positions searched a second.
    pub positions_per_second: f64,
    /// Evaluations asked for a second, cached or not.
    pub evaluations_per_second: f64,
    /// Share of the workers' time in the network.
    pub share_network: f64,
    /// Share of it in the solver at roots.
    pub share_solver: f64,
    /// Share of it in the solver at leaves.
    pub share_leaves: f64,
    /// The rest.
    pub share_search: f64,
}

/// Steps of learning.
#[derive(Clone, Debug, Serialize)]
pub struct LearningRate {
    /// Threads that burn may use.
    pub threads: usize,
    /// Rows of a step.
    pub batch: usize,
    /// Rows a second.
    pub rows_per_second: f64,
}

/// What a machine does.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The board.
    pub board: String,
    /// Multiplications and additions of one forward pass.
    pub operations: u64,
    /// The engine's path that is used.
    pub path: String,
    /// Forward passes; as all parts, empty when it was not asked for.
    pub network: Vec<NetworkRate>,
    /// Simulations a second of a search on one thread, without cache and solver.
    pub simulations_per_second: Option<f64>,
    /// The solver at leaves; empty also when the config keeps it out.
    pub leaves: Vec<LeafCost>,
    /// Self-play by threads.
    pub selfplay: Vec<SelfPlayRate>,
    /// Learning by threads and batch.
    pub learning: Vec<LearningRate>,
}

impl Measurement {
    /// Everything measured as one list.
    pub fn rates(&self) -> Vec<Rate> {
        let rate = |what, path: Option<&str>, threads, batch, per_second| Rate {
            what,
            path: path.map(str::to_string),
            threads,
            batch,
            per_second,
        };
        let chosen = Some(self.path.as_str());
        // Leaves as they come, with few safe edges or many.
        let positions: usize = self.leaves.iter().map(|r| r.positions).sum();
        let microseconds: f64 = self.leaves.iter().map(|r| r.positions as f64 * r.microseconds).sum();
        let leaves = (positions > 0).then(|| rate("solver", None, 1, 1, 1e6 * positions as f64 / microseconds));
        let network =
            self.network.iter().map(|r| rate("net", Some(r.by.as_str()), 1, r.batch, r.evaluations_per_second));
        let search = self.simulations_per_second.map(|simulations| rate("search", chosen, 1, 1, simulations));
        let selfplay = self.selfplay.iter();
        let selfplay =
            selfplay.map(|r| rate("selfplay", Some(r.path.as_str()), r.threads, r.batch, r.games_per_second));
        let learning = self.learning.iter().map(|r| rate("train", None, r.threads, r.batch, r.rows_per_second));
        leaves.into_iter().chain(network).chain(search).chain(selfplay).chain(learning).collect()
    }
}

/// Measures a config with weights of its board.
pub struct Measurer {
    config: Config,
    weights: Weights,
    network: Arc<Network>,
    rows: Vec<Sample>,
    parts: Vec<Part>,
    rounds: usize,
    isa: Isa,
    progress: Progress,
    done: usize,
}

impl Measurer {
    /// Prepares rounds of measurement of these parts; plays the config's games once, without the solver and with little search, for the
    /// positions to measure with.
    pub fn new(config: Config, weights: Weights, isa: Isa, parts: &[Part], rounds: usize) -> Measurer {
        let network = Arc::new(Network::new(&weights, isa));
        let mut quick = config.clone();
        (quick.selfplay.simulations, quick.selfplay.root_undrawn, quick.selfplay.leaf_undrawn) = (4, 0, 0);
        let (mut rows, _) = play_games(&quick, weights.board, &Inference::Engine(network.clone()), 1, &[], &|_| {});
        if rows.is_empty() {
            // On the smallest boards a random opening may leave nothing to search.
            let policy = Sample::quantise(weights.board.all().iter().map(|edge| (edge, 1.0)));
            rows.push(Sample {
                state: State::new(weights.board),
                margin: 0,
                is_exact: false,
                policy,
                edge_margins: Vec::new(),
            });
        }
        let (parts, rounds) = (parts.to_vec(), rounds.max(1));
        // The solver has no rounds: it is given every leaf that searches meet, once.
        let in_rounds = parts.iter().filter(|&&part| part != Part::Solver).count();
        let progress = Progress::new("rounds measured".to_string(), in_rounds * rounds);
        Measurer { config, weights, network, rows, parts, rounds, isa, progress, done: 0 }
    }

    /// Measures the parts, on 1, 2, 4... up to `most_threads` threads.
    ///
    /// # Errors
    /// When worker threads cannot be started.
    pub fn run(mut self, most_threads: usize) -> Result<Measurement, RunError> {
        let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut counts: Vec<usize> = (0..).map(|n| 1 << n).take_while(|&n| n < most_threads).collect();
        counts.push(most_threads.max(1));
        let pools: Vec<ThreadPool> = counts.iter().map(|&threads| pool(threads)).collect::<Result<_, _>>()?;
        let parts = self.parts.clone();
        let is_asked = |part: Part| parts.contains(&part);
        let network = if is_asked(Part::Net) { pools[0].install(|| self.network_rates()) } else { Vec::new() };
        let simulations_per_second = is_asked(Part::Search).then(|| self.simulations());
        let leaves =
            if is_asked(Part::Solver) { leaf_costs(&self.config, &self.network, &self.rows) } else { Vec::new() };
        let selfplay = match self.config.selfplay.device {
            _ if !is_asked(Part::SelfPlay) => Vec::new(),
            Processor::Cpu => self.selfplay(&pools)?,
            // As in a run: a thread for each game.
            Processor::Gpu => self.selfplay(&[pool(self.config.selfplay.at_once)?])?,
        };
        let learning = if is_asked(Part::Train) { self.learning(&pools)? } else { Vec::new() };
        self.progress.finish();
        Ok(Measurement {
            board: self.weights.board.to_string(),
            operations: self.weights.architecture.operations(self.weights.board),
            path: self.isa.name().into(),
            network,
            simulations_per_second,
            leaves,
            selfplay,
            learning,
        })
    }

    fn round_is_done(&mut self) {
        self.done += 1;
        self.progress.at(self.done);
    }

    fn network_rates(&mut self) -> Vec<NetworkRate> {
        let mut engines: Vec<(Isa, Engine)> =
            Isa::available().into_iter().map(|isa| (isa, Engine::with_isa(self.network.clone(), isa))).collect();
        let Weights { board, architecture, tensors, .. } = &self.weights;
        let model = Model::fixed(*board, *architecture, tensors, &Device::flex());
        let positions: Vec<State> = self.rows.iter().map(|row| row.state).collect();
        let batch = |size: usize| -> Vec<State> { positions.iter().copied().cycle().take(size).collect() };
        let batches = FORWARD_BATCHES.map(|size| (size, planes(*board, &batch(size), &Device::flex())));
        let mut rates: Vec<(String, usize, Vec<f64>)> = Vec::new();
        rates.extend(engines.iter().map(|(isa, _)| (isa.name().to_string(), 1, Vec::new())));
        rates.extend(batches.iter().map(|(size, _)| ("burn flex".to_string(), *size, Vec::new())));
        for _ in 0..self.rounds {
            for ((_, engine), (_, _, rate)) in engines.iter_mut().zip(&mut rates) {
                let mut rows = self.rows.iter().cycle();
                rate.push(turn(|| {
                    let row = rows.next().expect("self-play gives rows");
                    std::hint::black_box(engine.forward(row.state).margins[0]);
                    1
                }));
            }
            for ((size, planes), (_, _, rate)) in batches.iter().zip(&mut rates[engines.len()..]) {
                rate.push(turn(|| {
                    let logits = model.forward(planes.clone(), Convolutions::Burn);
                    std::hint::black_box((logits.policy.into_data(), logits.margins.into_data()));
                    *size
                }));
            }
            self.round_is_done();
        }
        let chosen = engines.iter().position(|(isa, _)| *isa == self.isa).unwrap_or(0);
        let reference = rates[chosen].2.clone();
        let ratio = |rate: &[f64]| median(reference.iter().zip(rate).map(|(a, b)| a / b).collect());
        let finish = |(by, batch, rate): (String, usize, Vec<f64>)| NetworkRate {
            by,
            batch,
            chosen_is_faster: ratio(&rate),
            evaluations_per_second: median(rate),
        };
        rates.into_iter().map(finish).collect()
    }

    fn simulations(&mut self) -> f64 {
        let settings = Settings { solver_undrawn: 0, ..self.config.search() };
        let mut search = Search::new(self.weights.board, settings);
        let mut evaluator = NetworkEvaluator::new(self.network.clone());
        let mut rates = Vec::new();
        for _ in 0..self.rounds {
            let mut rows = self.rows.iter().cycle();
            rates.push(turn(|| {
                let row = rows.next().expect("self-play gives rows");
                // A search that leaves no doubt ends before its last simulation.
                search.run(row.state, 0, &[0.0; MAX_EDGES], &mut evaluator, None).simulations
            }));
            self.round_is_done();
        }
        median(rates)
    }

    fn selfplay(&mut self, pools: &[ThreadPool]) -> Result<Vec<SelfPlayRate>, ProcessorError> {
        let inference = inference(&self.config, self.weights.clone(), self.isa)?;
        let board = self.weights.board;
        let mut played: Vec<Vec<(Costs, f64)>> = vec![Vec::new(); pools.len()];
        for round in 0..self.rounds as u64 {
            for (pool, played) in pools.iter().zip(&mut played) {
                let start = Instant::now();
                let (_, costs) = pool.install(|| play_games(&self.config, board, &inference, 2 + round, &[], &|_| {}));
                played.push((costs, start.elapsed().as_secs_f64()));
            }
            self.round_is_done();
        }
        let games = self.config.selfplay.games as f64;
        let alone = &played[0];
        let rate = |(pool, played): (&ThreadPool, &Vec<(Costs, f64)>)| {
            let over = |figure: &dyn Fn(&Costs, f64) -> f64| {
                median(played.iter().map(|(costs, seconds)| figure(costs, *seconds)).collect())
            };
            let share = |part: &dyn Fn(&Costs) -> Duration| {
                over(&|costs, _| part(costs).as_secs_f64() / costs.total.as_secs_f64().max(1e-9))
            };
            let (path, batch) = match self.config.selfplay.device {
                Processor::Cpu => (self.isa.name(), 1),
                Processor::Gpu => ("gpu", self.config.selfplay.at_once),
            };
            SelfPlayRate {
                path: path.into(),
                batch,
                threads: pool.current_num_threads(),
                games_per_second: over(&|_, seconds| games / seconds),
                of_one_thread: median(alone.iter().zip(played).map(|((_, a), (_, b))| a / b).collect()),
                positions_per_second: over(&|costs, seconds| costs.searches as f64 / seconds),
                evaluations_per_second: over(&|costs, seconds| costs.evaluations as f64 / seconds),
                share_network: share(&|costs| costs.network),
                share_solver: share(&|costs| costs.solver),
                share_leaves: share(&|costs| costs.leaves),
                share_search: share(&|costs| costs.search()),
            }
        };
        Ok(pools.iter().zip(&played).map(rate).collect())
    }

    fn learning(&mut self, pools: &[ThreadPool]) -> Result<Vec<LearningRate>, ProcessorError> {
        let symmetries: Vec<_> = self.weights.board.symmetries().collect();
        let mut learner = Learner::new(&self.config, &self.weights, self.isa)?;
        let cases: Vec<(usize, usize)> =
            (0..pools.len()).flat_map(|pool| LEARNING_BATCHES.map(|batch| (pool, batch))).collect();
        let mut rates = vec![Vec::new(); cases.len()];
        for _ in 0..self.rounds {
            for (&(pool, batch), rate) in cases.iter().zip(&mut rates) {
                let rows = self.rows.iter().zip(symmetries.iter().copied().cycle()).cycle();
                let rows: Vec<_> = rows.take(batch).collect();
                rate.push(pools[pool].install(|| {
                    turn(|| {
                        learner.step(&self.config.learn, &rows, 0.5, &mut StepMetrics::default());
                        batch
                    })
                }));
            }
            self.round_is_done();
        }
        let finish = |((pool, batch), rate): ((usize, usize), Vec<f64>)| LearningRate {
            threads: pools[pool].current_num_threads(),
            batch,
            rows_per_second: median(rate),
        };
        Ok(cases.into_iter().zip(rates).map(finish).collect())
    }
}

/// Things done a second, where each call says how many it did.
fn turn(mut call: impl FnMut() -> usize) -> f64 {
    call();
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed() < TURN {
        done += call();
    }
    done as f64 / start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
