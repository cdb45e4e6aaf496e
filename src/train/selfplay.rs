//! One game of self-play, and a generation of them on rayon.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Row;
use super::config::{Config, SelfPlayConfig};
use super::processor::{Processor, ProcessorError, device};
use super::service::Service;
use crate::board::{Board, Edge, Edges, MAX_EDGES};
use crate::net::{Network, Weights};
use crate::random::{Purpose, stream};
use crate::search::{Cached, Choice, Evaluation, Evaluator, NetworkEvaluator, Outcome, Search};
use crate::solver::{Offer, Solver, safe_edges};

/// What a generation's games cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// Positions searched.
    pub searches: u64,
    /// Evaluations asked for, and those the cache did not hold.
    pub evaluations: u64,
    pub computed: u64,
    /// Worker time in all, in the network, and in the solver at roots.
    pub total: Duration,
    pub network: Duration,
    pub solver: Duration,
}

impl Costs {
    fn add(&mut self, other: &Costs) {
        self.searches += other.searches;
        self.evaluations += other.evaluations;
        self.computed += other.computed;
        self.total += other.total;
        self.network += other.network;
        self.solver += other.solver;
    }
}

/// What evaluates for the workers.
pub(super) enum Inference {
    /// Each worker runs the engine itself.
    Engine(Arc<Network>),
    /// One thread evaluates for all of them.
    Service(Service),
}

/// What a config evaluates these weights with.
pub(super) fn inference(config: &Config, weights: Weights) -> Result<Inference, ProcessorError> {
    Ok(match config.selfplay.device {
        Processor::Cpu => Inference::Engine(Arc::new(Network::new(&weights))),
        Processor::Gpu => Inference::Service(Service::start(weights, device(Processor::Gpu)?, config.selfplay.at_once)),
    })
}

impl Inference {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Inference::Engine(network) => Box::new(NetworkEvaluator::new(network.clone())),
            Inference::Service(service) => Box::new(service.client()),
        }
    }
}

/// Plays the games of a generation. Every game depends on (seed, generation, game) and the network alone, and the rows
/// come in the order of the games, whatever the number of threads. (A GPU's answers may depend in their last digits on
/// what is asked beside.)
pub(super) fn play_games(
    config: &Config,
    board: Board,
    inference: &Inference,
    generation: u64,
    finished: &(dyn Fn(usize) + Sync),
) -> (Vec<Row>, Costs) {
    let count = AtomicUsize::new(0);
    let games: Vec<(Vec<Row>, Costs)> = (0..config.selfplay.games as u64)
        .into_par_iter()
        .map_init(
            || Worker::new(config, board, inference.evaluator()),
            |worker, game| {
                let played = worker.play(stream(config.seed, generation, game, Purpose::SelfPlay));
                finished(count.fetch_add(1, Ordering::Relaxed) + 1);
                played
            },
        )
        .collect();
    let mut costs = Costs::default();
    let mut rows = Vec::new();
    for (game, cost) in games {
        rows.extend(game);
        costs.add(&cost);
    }
    (rows, costs)
}

/// Counts the time that the network takes, waiting for it included.
struct Timed {
    inner: Box<dyn Evaluator>,
    spent: Duration,
}

impl Evaluator for Timed {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        let start = Instant::now();
        self.inner.evaluate(drawn, evaluation);
        self.spent += start.elapsed();
    }
}

struct Worker<'a> {
    config: &'a Config,
    board: Board,
    search: Search,
    evaluator: Cached<Timed>,
    solver: Solver,
}

/// A row before the game's end is known.
struct Pending {
    row: Row,
    seat: usize,
    lead: i32,
}

impl<'a> Worker<'a> {
    fn new(config: &'a Config, board: Board, inference: Box<dyn Evaluator>) -> Worker<'a> {
        let evaluator = Timed { inner: inference, spent: Duration::ZERO };
        Worker {
            config,
            board,
            search: Search::new(board, config.search()),
            evaluator: Cached::new(board, evaluator, config.selfplay.cache),
            solver: Solver::new(board, config.selfplay.table),
        }
    }

    /// Plays from a random opening to the end, or to where the solver or the search proves the margin.
    fn play(&mut self, mut rng: ChaCha8Rng) -> (Vec<Row>, Costs) {
        let start = Instant::now();
        let before = (self.evaluator.counts(), self.evaluator.inner().spent);
        let mut costs = Costs::default();
        // What the solver settles within its budget must not depend on the games this worker played before.
        self.solver.forget();
        let mut drawn = self.opening(&mut rng);
        let (mut seat, mut lead) = (0, 0);
        let mut pending: Vec<Pending> = Vec::new();
        let mut band = Vec::new();
        while !self.board.undrawn(drawn).is_empty() {
            let offer = Offer::resolve(self.board.layout(), self.board.strings(drawn));
            if offer.taken > 0 && offer.price == 0 {
                lead += offer.taken;
                drawn = self.board.drawn(offer.rest);
                continue;
            }
            let solving = Instant::now();
            let solved = self.solve(drawn);
            costs.solver += solving.elapsed();
            if let Some(margin) = solved {
                lead += margin;
                let solving = Instant::now();
                band = self.walk_band(drawn, &mut rng);
                costs.solver += solving.elapsed();
                break;
            }
            costs.searches += 1;
            let SelfPlayConfig { full_share, simulations, fast_simulations, .. } = self.config.selfplay;
            let is_full = full_share >= 1.0 || rng.random::<f64>() < full_share;
            self.search.set_simulations(if is_full { simulations } else { fast_simulations });
            let noise = if is_full { gumbel_noise(&mut rng) } else { [0.0; MAX_EDGES] };
            let outcome = self.search.run(drawn, lead, &noise, &mut self.evaluator, Some(&mut self.solver));
            let settled = outcome.settled();
            if offer.taken == 0 && is_full {
                let policy = Row::quantise(spread_policy(&outcome));
                let row = Row { drawn, margin: settled.unwrap_or(0) as i8, is_exact: settled.is_some(), policy };
                pending.push(Pending { row, seat, lead });
            }
            if let Some(margin) = settled {
                lead += margin;
                break;
            }
            match outcome.choice() {
                Choice::TakeAll => {
                    lead += offer.taken;
                    drawn = self.board.drawn(offer.rest);
                }
                Choice::KeepControl => {
                    lead = -(lead + offer.taken - offer.price);
                    seat = 1 - seat;
                    drawn = self.board.drawn(offer.rest);
                }
                Choice::Draw(edges) => {
                    drawn.insert(random_edge(edges, &mut rng));
                    lead = -lead;
                    seat = 1 - seat;
                }
            }
        }
        // `lead` is now the final one of `seat`.
        let finish = |p: Pending| {
            let last = if p.seat == seat { lead } else { -lead };
            let margin = if p.row.is_exact { p.row.margin } else { (last - p.lead) as i8 };
            Row { margin, ..p.row }
        };
        let rows = pending.into_iter().map(finish).chain(band).collect();
        let after = (self.evaluator.counts(), self.evaluator.inner().spent);
        costs.evaluations = after.0.0 - before.0.0;
        costs.computed = after.0.1 - before.0.1;
        costs.network = after.1 - before.1;
        costs.total = start.elapsed();
        (rows, costs)
    }

    /// Up to so many random edges as the config says, any number being as likely: safe edges, as careful play draws them,
    /// or any.
    fn opening(&self, rng: &mut ChaCha8Rng) -> Edges {
        let SelfPlayConfig { opening_edges, opening_safe, .. } = self.config.selfplay;
        let is_careful = opening_safe > 0.0 && rng.random::<f64>() < opening_safe;
        let mut drawn = Edges::EMPTY;
        for _ in 0..rng.random_range(0..=opening_edges.min(self.board.edges() - 1)) {
            let choices = if is_careful { safe_edges(self.board, drawn) } else { self.board.undrawn(drawn) };
            if choices.is_empty() {
                break;
            }
            drawn.insert(random_edge(choices, rng));
        }
        drawn
    }

    /// The exact margin of a position within the solver's reach.
    fn solve(&mut self, drawn: Edges) -> Option<i32> {
        let config = &self.config.selfplay;
        let in_reach = self.board.undrawn(drawn).len() <= config.root_undrawn;
        if in_reach { self.solver.margin(drawn, config.root_nodes) } else { None }
    }

    /// Goes on from a settled position and gives a row with exact answers for each capture-free position on the way,
    /// while at least `band_undrawn` edges are undrawn: the network is asked at leaves about such positions. One move
    /// in four is any move, so that the positions are not those of perfect play alone.
    fn walk_band(&mut self, mut drawn: Edges, rng: &mut ChaCha8Rng) -> Vec<Row> {
        let mut rows = Vec::new();
        loop {
            drawn = self.board.drawn(Offer::resolve(self.board.layout(), self.board.strings(drawn)).rest);
            let undrawn = self.board.undrawn(drawn);
            if undrawn.is_empty() || undrawn.len() < self.config.selfplay.band_undrawn {
                return rows;
            }
            let solution = self.solver.solve(drawn, self.config.selfplay.root_nodes);
            let (Some(margin), false) = (solution.margin(), solution.best.is_empty()) else { return rows };
            let share = 1.0 / solution.best.len() as f32;
            let policy = Row::quantise(solution.best.iter().map(|edge| (edge, share)));
            rows.push(Row { drawn, margin: margin as i8, is_exact: true, policy });
            let choices = if rng.random_range(0..4) == 0 { undrawn } else { solution.best };
            drawn.insert(random_edge(choices, rng));
        }
    }
}

/// One of these edges, of which there is at least one.
fn random_edge(edges: Edges, rng: &mut ChaCha8Rng) -> Edge {
    let index = rng.random_range(0..edges.len());
    edges.iter().nth(index).expect("an index within the set")
}

/// Standard Gumbel noise for each edge.
fn gumbel_noise(rng: &mut ChaCha8Rng) -> [f32; MAX_EDGES] {
    std::array::from_fn(|_| {
        let uniform: f64 = rng.random();
        -(-(uniform + f64::MIN_POSITIVE).ln()).ln() as f32
    })
}

/// The improved policy, an action's probability shared by its edges.
fn spread_policy(outcome: &Outcome) -> Vec<(Edge, f32)> {
    let mut policy = Vec::new();
    for action in &outcome.actions {
        if let Choice::Draw(edges) = action.choice {
            policy.extend(edges.iter().map(|edge| (edge, action.policy / edges.len() as f32)));
        }
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Architecture;
    use crate::train::initial_weights;

    /// Every proved margin is the solver's, every played one is possible, and policies put their weight on what is
    /// undrawn.
    #[test]
    fn rows_of_a_generation_are_true() {
        let board = Board::new(3, 3).unwrap();
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let network = Inference::Engine(Arc::new(Network::new(&initial_weights(board, architecture, 1))));
        let mut solver = Solver::new(board, 1 << 18);
        for (solver_undrawn, full_share) in [(0, 1.0), (14, 1.0), (14, 0.25)] {
            let mut config = Config { board: "3x3".into(), ..Config::default() };
            config.selfplay.games = 30;
            config.selfplay.simulations = 32;
            config.selfplay.full_share = full_share;
            config.selfplay.opening_safe = 1.0 - full_share;
            config.selfplay.root_undrawn = solver_undrawn;
            config.selfplay.leaf_undrawn = solver_undrawn;
            config.selfplay.band_undrawn = solver_undrawn / 2;
            let (rows, costs) = play_games(&config, board, &network, 1, &|_| {});
            assert!(rows.len() > (100.0 * full_share) as usize && costs.computed <= costs.evaluations);
            let mut exact = 0;
            for row in &rows {
                assert!(row.is_possible(board), "{row:?}");
                let weight: u32 = row.policy.iter().map(|&(_, weight)| weight as u32).sum();
                assert!((65_000..=66_100).contains(&weight), "{weight}");
                if row.is_exact {
                    exact += 1;
                    assert_eq!(solver.margin(row.drawn, u64::MAX), Some(row.margin as i32));
                }
            }
            assert!(exact >= (20.0 * full_share) as usize, "{exact}");
            let again = play_games(&config, board, &network, 1, &|_| {}).0;
            assert_eq!(again, rows);
        }
    }
}
