//! One game of self-play.

use std::time::{Duration, Instant};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Sample;
use super::config::{Config, SelfPlayConfig};
use super::costs::Costs;
use super::exact::{edge_margins, exact_sample};
use crate::board::{Board, Edge, MAX_EDGES, State};
use crate::random::{random_edge, random_state};
use crate::search::{Cached, Choice, Evaluation, Evaluator, Outcome, Prover, Search};
use crate::solver::{Bounds, Solver};

/// Counts the time that a search spends in what it asks, waiting for it included.
struct Timed<T> {
    inner: T,
    spent: Duration,
}

impl<T> Timed<T> {
    fn new(inner: T) -> Timed<T> {
        Timed { inner, spent: Duration::ZERO }
    }

    fn timed<R>(&mut self, ask: impl FnOnce(&mut T) -> R) -> R {
        let start = Instant::now();
        let answer = ask(&mut self.inner);
        self.spent += start.elapsed();
        answer
    }
}

impl<E: Evaluator> Evaluator for Timed<E> {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        self.timed(|inner| inner.evaluate(state, evaluation));
    }
}

impl Prover for Timed<Solver> {
    fn bounds(&mut self, state: State, guess: i32, nodes: u64) -> Bounds {
        self.timed(|inner| inner.bounds(state, guess, nodes))
    }

    fn is_at_least(&mut self, state: State, margin: i32, nodes: u64) -> Option<bool> {
        self.timed(|inner| inner.is_at_least(state, margin, nodes))
    }
}

/// Plays games, one after the other.
pub(super) struct Worker<'a> {
    config: &'a Config,
    board: Board,
    starts: &'a [State],
    search: Search,
    evaluator: Cached<Timed<Box<dyn Evaluator>>>,
    solver: Timed<Solver>,
}

/// A sample before the game's end is known.
struct Pending {
    sample: Sample,
    seat: usize,
    lead: i32,
    surprise: f32,
}

impl<'a> Worker<'a> {
    /// A worker whose games may begin with a position of `starts`.
    pub fn new(config: &'a Config, board: Board, starts: &'a [State], inference: Box<dyn Evaluator>) -> Worker<'a> {
        Worker {
            config,
            board,
            starts,
            search: Search::new(board, config.search()),
            evaluator: Cached::new(Timed::new(inference), config.selfplay.cache),
            solver: Timed::new(Solver::new(board, config.selfplay.table)),
        }
    }

    /// Plays from a random opening to the end, or to where the solver or the search proves the margin.
    pub fn play(&mut self, mut rng: ChaCha8Rng) -> (Vec<Sample>, Costs) {
        let start = Instant::now();
        let before = (self.evaluator.counts(), self.evaluator.inner().spent, self.solver.spent);
        let mut costs = Costs::default();
        // What the solver settles within its budget must not depend on the games this worker played before.
        self.solver.inner.clear();
        let mut state = self.opening(&mut rng);
        let (mut seat, mut lead) = (0, 0);
        let mut pending: Vec<Pending> = Vec::new();
        let mut band = Vec::new();
        while !state.is_over() {
            let offer = state.offer();
            if offer.taken > 0 && offer.price.is_none() {
                lead += offer.taken;
                state = offer.rest;
                continue;
            }
            let solving = Instant::now();
            let solved = self.solve(state);
            costs.solver += solving.elapsed();
            if let Some(margin) = solved {
                lead += margin;
                let solving = Instant::now();
                band = self.walk_band(state, &mut rng);
                costs.solver += solving.elapsed();
                break;
            }
            costs.searches += 1;
            let SelfPlayConfig { full_share, simulations, fast_simulations, noisy_moves, .. } = self.config.selfplay;
            let is_full = full_share >= 1.0 || rng.random::<f64>() < full_share;
            self.search.set_simulations(if is_full { simulations } else { fast_simulations });
            let is_noisy = is_full && costs.searches <= noisy_moves;
            let noise = if is_noisy { gumbel_noise(&mut rng) } else { [0.0; MAX_EDGES] };
            let outcome = self.search.run(state, lead, &noise, &mut self.evaluator, Some(&mut self.solver));
            let settled = outcome.margin();
            if offer.taken == 0 && is_full {
                let policy = Sample::quantise(spread_policy(&outcome));
                let sample = Sample {
                    state,
                    margin: settled.unwrap_or(0) as i8,
                    is_exact: settled.is_some(),
                    policy,
                    edge_margins: Vec::new(),
                };
                pending.push(Pending { sample, seat, lead, surprise: outcome.surprise() });
            }
            if let Some(margin) = settled {
                lead += margin;
                break;
            }
            match outcome.choice() {
                Choice::TakeAll => {
                    lead += offer.taken;
                    state = offer.rest;
                }
                Choice::KeepControl => {
                    lead = -(lead + offer.taken - offer.price.unwrap_or(0));
                    seat = 1 - seat;
                    state = offer.rest;
                }
                Choice::Draw(edges) => {
                    state = state.after(random_edge(edges, &mut rng));
                    lead = -lead;
                    seat = 1 - seat;
                }
            }
        }
        // `lead` is now the final one of `seat`.
        for p in pending.iter_mut().filter(|p| !p.sample.is_exact) {
            let last = if p.seat == seat { lead } else { -lead };
            p.sample.margin = (last - p.lead) as i8;
        }
        let solving = Instant::now();
        self.relabel(&mut pending);
        costs.solver += solving.elapsed();
        let mut samples = repeat(pending, self.config.selfplay.surprise_share, &mut rng);
        samples.extend(band);
        let after = (self.evaluator.counts(), self.evaluator.inner().spent, self.solver.spent);
        costs.evaluations = after.0.0 - before.0.0;
        costs.computed = after.0.1 - before.0.1;
        costs.network = after.1 - before.1;
        costs.leaves = after.2 - before.2;
        costs.total = start.elapsed();
        (samples, costs)
    }

    /// A stored position, or up to so many random edges as the config says, any number being as likely.
    fn opening(&self, rng: &mut ChaCha8Rng) -> State {
        let SelfPlayConfig { opening_edges, opening_safe, start_share, .. } = self.config.selfplay;
        if start_share > 0.0 && !self.starts.is_empty() && rng.random::<f64>() < start_share {
            return self.starts[rng.random_range(0..self.starts.len())];
        }
        let is_careful = opening_safe > 0.0 && rng.random::<f64>() < opening_safe;
        let edges = rng.random_range(0..=opening_edges.min(self.board.edges() - 1));
        random_state(self.board, edges, is_careful, rng)
    }

    /// The exact margin of a position within the solver's reach.
    fn solve(&mut self, state: State) -> Option<i32> {
        let config = &self.config.selfplay;
        let in_reach = state.undrawn().len() <= config.root_undrawn;
        if in_reach { self.solver.inner.margin(state, config.root_nodes) } else { None }
    }

    /// Gives the last positions of a game, from its end back to the first that the solver does not settle, exact answers.
    /// The table still holds what came after each.
    fn relabel(&mut self, pending: &mut [Pending]) {
        let nodes = self.config.selfplay.relabel_nodes;
        for sample in pending.iter_mut().rev().map(|p| &mut p.sample).filter(|sample| nodes > 0 && !sample.is_exact) {
            let solution = self.solver.inner.solve(sample.state, nodes);
            let Some(margin) = solution.margin() else { return };
            (sample.margin, sample.is_exact) = (margin as i8, true);
            if !solution.best.is_empty() {
                sample.policy = Sample::uniform(solution.best);
            }
            if self.config.learn.learns_edges() {
                sample.edge_margins =
                    edge_margins(&mut self.solver.inner, sample.state, &solution, nodes).unwrap_or_default();
            }
        }
    }

    /// Goes on from a settled position and gives a row with exact answers for each capture-free position on the way,
    /// while at least `band_undrawn` edges are undrawn: the network is asked at leaves about such positions. One move
    /// in four is any move, so that the positions are not those of perfect play alone.
    fn walk_band(&mut self, mut state: State, rng: &mut ChaCha8Rng) -> Vec<Sample> {
        let mut samples = Vec::new();
        loop {
            state = state.offer().rest;
            let undrawn = state.undrawn();
            if undrawn.is_empty() || undrawn.len() < self.config.selfplay.band_undrawn {
                return samples;
            }
            let nodes = self.config.selfplay.root_nodes;
            let sample = exact_sample(&mut self.solver.inner, state, nodes, self.config.learn.learns_edges());
            let Some(sample) = sample else { return samples };
            let best = sample.policy.iter().map(|&(edge, _)| edge).collect();
            samples.push(sample);
            let choices = if rng.random_range(0..4) == 0 { undrawn } else { best };
            state = state.after(random_edge(choices, rng));
        }
    }
}

/// The samples, each as often as its surprise calls for: this share of the samples is handed out in proportion to it, the rest
/// evenly (policy surprise weighting; KataGo's training methods).
fn repeat(pending: Vec<Pending>, share: f64, rng: &mut ChaCha8Rng) -> Vec<Sample> {
    let mean = pending.iter().map(|p| p.surprise as f64).sum::<f64>() / pending.len().max(1) as f64;
    if share == 0.0 || mean == 0.0 {
        return pending.into_iter().map(|p| p.sample).collect();
    }
    let mut samples = Vec::new();
    for Pending { sample, surprise, .. } in pending {
        let expected = 1.0 - share + share * surprise as f64 / mean;
        samples.extend(std::iter::repeat_n(sample, (expected + rng.random::<f64>()) as usize));
    }
    samples
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
