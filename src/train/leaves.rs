//! What the solver costs at a search's leaves, on positions that searches meet.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::{Config, Sample, SelfPlayConfig};
use crate::board::{MAX_EDGES, State};
use crate::net::Network;
use crate::search::{Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use crate::solver::Solver;

/// The solver at leaves of so many safe edges.
#[derive(Clone, Debug, Serialize)]
pub struct LeafCost {
    /// Safe edges.
    pub safe: usize,
    /// Positions measured.
    pub positions: usize,
    /// Share of them that the config's budget for a visit settles.
    pub settled: f64,
    /// Mean time for one, settled or not, with a table that lives on from leaf to leaf.
    pub microseconds: f64,
}

/// Positions are listed of up to so many safe edges, or to [`BEYOND`] more than those with which the config gives new
/// leaves to the solver.
const MOST_SAFE: usize = 14;

const BEYOND: usize = 4;

/// The most positions that are measured.
const MOST_POSITIONS: usize = 20_000;

/// Measures the solver on what searches meet that begin beyond its reach.
pub(super) fn leaf_costs(config: &Config, network: &Arc<Network>, rows: &[Sample]) -> Vec<LeafCost> {
    let board = network.board();
    let SelfPlayConfig { leaf_undrawn, leaf_nodes, table, .. } = config.selfplay;
    let settings = config.search();
    let safe = |state: State| state.safe_edges().len();
    let is_leaf = |state: State| settings.proof_nodes(state.undrawn().len(), safe(state), 0).is_some();
    let reach = (0..MOST_SAFE).take_while(|&safe| settings.proof_nodes(leaf_undrawn, safe, 0).is_some()).count();
    if leaf_undrawn == 0 || reach == 0 {
        return Vec::new();
    }
    let most = MOST_SAFE.min(reach - 1 + BEYOND);
    let mut recorder = Recorder::new(network.clone());
    // No solver in the search itself, so that it is the solver's questions that are recorded and not what follows them.
    let mut search = Search::new(board, Settings { solver_undrawn: 0, ..config.search() });
    for row in rows.iter().filter(|row| !is_leaf(row.state) && safe(row.state) <= most + BEYOND) {
        search.run(row.state, 0, &[0.0; MAX_EDGES], &mut recorder, None);
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

/// A network that keeps the positions it is asked about.
pub struct Recorder {
    inner: NetworkEvaluator,
    /// The positions, in the order of the questions.
    pub met: Vec<State>,
}

impl Recorder {
    /// One that has not been asked yet.
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
