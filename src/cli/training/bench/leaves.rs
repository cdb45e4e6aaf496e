//! The cost of the solver at a search's leaves, on positions that searches meet.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use doublecross_core::board::{MAX_EDGES, State};
use doublecross_core::net::Network;
use doublecross_core::search::{Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use doublecross_core::solver::Solver;
use doublecross_run::{Config, SelfPlayConfig};
use doublecross_selfplay::Sample;

/// The cost of the solver at leaves with one number of safe edges.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LeafCost {
    /// The number of safe edges.
    pub safe: usize,
    /// The number of positions measured.
    pub positions: usize,
    /// The share of them that the config's budget for a visit settles.
    pub settled: f64,
    /// The mean time for one, settled or not, with a table that is kept from leaf to leaf.
    pub microseconds: f64,
}

/// The most safe edges of a position that is measured.
const MOST_SAFE: usize = 14;

/// The most safe edges of a position that is measured, beyond those with which the config gives new
/// leaves to the solver.
const BEYOND: usize = 4;

/// The most positions that are measured.
const MOST_POSITIONS: usize = 20_000;

/// Measures the solver on the positions that searches meet which begin beyond its reach.
pub(crate) fn leaf_costs(config: &Config, network: &Arc<Network>, samples: &[Sample]) -> Vec<LeafCost> {
    let board = network.board();
    let selfplay = config.at(1).selfplay;
    let settings = selfplay.search();
    let SelfPlayConfig { leaf_undrawn, leaf_nodes, table, .. } = selfplay;
    let leaf_undrawn = leaf_undrawn.unwrap_or_default();
    if leaf_nodes == 0 {
        return Vec::new();
    }
    let safe = |state: State| state.safe_edges().len();
    let is_leaf = |state: State| settings.proof_nodes(state.undrawn().len(), safe(state), 0).is_some();
    let reach = (0..MOST_SAFE).take_while(|&safe| settings.proof_nodes(leaf_undrawn, safe, 0).is_some()).count();
    if reach == 0 {
        return Vec::new();
    }
    let most = MOST_SAFE.min(reach - 1 + BEYOND);
    let mut recorder = Recorder::new(network.clone());
    // The search itself has no solver, so that it meets the positions that the solver would have
    // settled.
    let mut search = Search::new(board, Settings { solver_undrawn: 0, ..settings.clone() });
    for sample in samples.iter().filter(|sample| !is_leaf(sample.state) && safe(sample.state) <= most + BEYOND) {
        search.run(sample.state, 0, &[0.0; MAX_EDGES], &mut recorder, None);
        if recorder.met.len() >= MOST_POSITIONS {
            break;
        }
    }
    let mut solver = Solver::new(board, table);
    let mut costs = Vec::new();
    for count in 0..=most {
        let of_count = |&state: &State| safe(state) == count && state.undrawn().len() <= leaf_undrawn;
        let met: Vec<State> = recorder.met.iter().copied().filter(of_count).collect();
        if met.is_empty() {
            continue;
        }
        solver.clear();
        let start = Instant::now();
        let settled = met.iter().filter(|&&state| solver.margin(state, leaf_nodes).is_some()).count();
        let microseconds = start.elapsed().as_secs_f64() * 1e6 / met.len() as f64;
        let settled = settled as f64 / met.len() as f64;
        costs.push(LeafCost { safe: count, positions: met.len(), settled, microseconds });
    }
    costs
}

/// A network that records the states that it evaluates.
pub(crate) struct Recorder {
    inner: NetworkEvaluator,
    /// The states, in the order in which they were evaluated.
    pub met: Vec<State>,
}

impl Recorder {
    /// Creates a recorder with no states.
    pub fn new(network: Arc<Network>) -> Recorder {
        Recorder { inner: NetworkEvaluator::new(network), met: Vec::new() }
    }
}

impl Evaluator for Recorder {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        self.met.push(state);
        self.inner.evaluate(state, evaluation);
    }
}
