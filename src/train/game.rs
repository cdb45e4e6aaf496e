//! One game of self-play.

use std::time::Instant;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Sample;
use super::config::{Config, SelfPlayConfig};
use super::costs::Costs;
use super::exact::{edge_margins, exact_sample};
use super::timed::Timed;
use crate::board::{Board, Edge, MAX_EDGES, State};
use crate::float::ln_f64;
use crate::random::{random_edge, random_state};
use crate::search::{Cached, Choice, Evaluator, Outcome, Search};
use crate::solver::Solver;

/// A player of games, one after the other.
pub(super) struct Worker<'a> {
    config: &'a Config,
    board: Board,
    starts: &'a [State],
    search: Search,
    evaluator: Cached<Timed<Box<dyn Evaluator>>>,
    solver: Timed<Solver>,
}

/// A sample whose game has not ended.
struct Pending {
    sample: Sample,
    /// The seat of the player to move.
    seat: usize,
    /// The boxes by which that player leads.
    lead: i32,
    /// The distance of the search's policy from the network's.
    surprise: f32,
}

impl<'a> Worker<'a> {
    /// Creates a worker whose games may begin with a state of `starts`.
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

    /// Plays a game from its opening to its end, or until the solver or the search proves the
    /// margin.
    ///
    /// Returns the game's samples and its cost.
    pub fn play(&mut self, mut rng: ChaCha8Rng) -> (Vec<Sample>, Costs) {
        let start = Instant::now();
        let before = (self.evaluator.counts(), self.evaluator.inner().spent, self.solver.spent);
        let mut costs = Costs::default();
        // The states that the solver settles must not depend on the games that this worker played
        // before.
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
        // `lead` is now the final margin of `seat`.
        for pending in pending.iter_mut().filter(|pending| !pending.sample.is_exact) {
            let last = if pending.seat == seat { lead } else { -lead };
            pending.sample.margin = (last - pending.lead) as i8;
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

    /// Returns a state to begin with: one of the worker's starts, or up to `opening_edges` random
    /// edges, every number of them being equally likely.
    fn opening(&self, rng: &mut ChaCha8Rng) -> State {
        let SelfPlayConfig { opening_edges, opening_safe, start_share, .. } = self.config.selfplay;
        if start_share > 0.0 && !self.starts.is_empty() && rng.random::<f64>() < start_share {
            return self.starts[rng.random_range(0..self.starts.len())];
        }
        let is_careful = opening_safe > 0.0 && rng.random::<f64>() < opening_safe;
        let edges = rng.random_range(0..=opening_edges.min(self.board.edges() - 1));
        random_state(self.board, edges, is_careful, rng)
    }

    /// Returns the exact margin of a state if it is within the solver's reach and budget.
    fn solve(&mut self, state: State) -> Option<i32> {
        let config = &self.config.selfplay;
        let in_reach = state.undrawn().len() <= config.root_undrawn;
        if in_reach { self.solver.inner.margin(state, config.root_nodes) } else { None }
    }

    /// Gives exact answers to the last samples of a game, from its end back to the first that the
    /// solver does not settle.
    ///
    /// Going backwards, the solver's table still holds the positions that follow each.
    fn relabel(&mut self, pending: &mut [Pending]) {
        let nodes = self.config.selfplay.relabel_nodes;
        for sample in
            pending.iter_mut().rev().map(|pending| &mut pending.sample).filter(|sample| nodes > 0 && !sample.is_exact)
        {
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

    /// Plays on from a settled state and returns an exact sample for each capture-free state on the
    /// way, while at least `band_undrawn` edges are undrawn.
    ///
    /// Searches evaluate such states at their leaves. One move in four is random, so that the
    /// samples are not those of perfect play alone.
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

/// Returns the samples of a game, each repeated or dropped by its surprise.
///
/// This share of the samples is distributed in proportion to surprise and the rest evenly. It is
/// policy surprise weighting of KataGo's training methods.
fn repeat(pending: Vec<Pending>, share: f64, rng: &mut ChaCha8Rng) -> Vec<Sample> {
    let mean = pending.iter().map(|pending| pending.surprise as f64).sum::<f64>() / pending.len().max(1) as f64;
    if share == 0.0 || mean == 0.0 {
        return pending.into_iter().map(|pending| pending.sample).collect();
    }
    let mut samples = Vec::new();
    for Pending { sample, surprise, .. } in pending {
        let expected = 1.0 - share + share * surprise as f64 / mean;
        samples.extend(std::iter::repeat_n(sample, (expected + rng.random::<f64>()) as usize));
    }
    samples
}

/// Draws standard Gumbel noise for each edge.
fn gumbel_noise(rng: &mut ChaCha8Rng) -> [f32; MAX_EDGES] {
    std::array::from_fn(|_| {
        let uniform: f64 = rng.random();
        -ln_f64(-ln_f64(uniform + f64::MIN_POSITIVE)) as f32
    })
}

/// Returns the search's policy over edges. The edges of an action share its probability evenly.
fn spread_policy(outcome: &Outcome) -> Vec<(Edge, f32)> {
    let mut policy = Vec::new();
    for action in &outcome.actions {
        if let Choice::Draw(edges) = action.choice {
            policy.extend(edges.iter().map(|edge| (edge, action.policy / edges.len() as f32)));
        }
    }
    policy
}
