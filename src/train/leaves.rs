//! What the solver costs at a search's leaves, on positions that searches meet.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::{Config, Row};
use crate::board::{Board, Edges, MAX_EDGES};
use crate::net::Network;
use crate::search::{Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use crate::solver::Solver;

/// The solver at leaves of so many undrawn edges.
#[derive(Clone, Debug, Serialize)]
pub struct LeafCost {
    /// Undrawn edges.
    pub undrawn: usize,
    /// Positions measured.
    pub positions: usize,
    /// Share of them that the config's budget settles.
    pub settled: f64,
    /// Mean time for one, settled or not, with a table that lives on from leaf to leaf.
    pub microseconds: f64,
}

/// Positions are listed from so many undrawn edges below the config's reach to so many above it.
const BAND: usize = 4;

/// The most positions that are measured.
const MOST_POSITIONS: usize = 20_000;

/// Measures the solver on what searches meet that begin above its reach.
pub(super) fn leaf_costs(config: &Config, network: &Arc<Network>, rows: &[Row]) -> Vec<LeafCost> {
    let (board, reach) = (network.board(), config.selfplay.leaf_undrawn);
    let mut recorder =
        Recorder { board, inner: NetworkEvaluator::new(network.clone()), most: reach + BAND, met: Vec::new() };
    // No solver in the search itself, so that it is the solver's questions that are recorded and not what follows them.
    let mut search = Search::new(board, Settings { solver_undrawn: 0, ..config.search() });
    let above = |row: &&Row| (reach + 1..=reach + 2 * BAND).contains(&board.undrawn(row.drawn).len());
    for row in rows.iter().filter(above) {
        search.run(row.drawn, 0, &[0.0; MAX_EDGES], &mut recorder, None);
        if recorder.met.len() >= MOST_POSITIONS {
            break;
        }
    }
    let mut solver = Solver::new(board, config.selfplay.table);
    let mut costs = Vec::new();
    for undrawn in (reach.saturating_sub(BAND)..=reach + BAND).filter(|_| reach > 0) {
        let met: Vec<Edges> = recorder.met.iter().copied().filter(|&d| board.undrawn(d).len() == undrawn).collect();
        if met.is_empty() {
            continue;
        }
        solver.forget();
        let start = Instant::now();
        let settled = met.iter().filter(|&&drawn| solver.margin(drawn, config.selfplay.leaf_nodes).is_some()).count();
        let count = met.len() as f64;
        let microseconds = start.elapsed().as_secs_f64() * 1e6 / count;
        costs.push(LeafCost { undrawn, positions: met.len(), settled: settled as f64 / count, microseconds });
    }
    costs
}

/// Keeps the positions it is asked about.
struct Recorder {
    board: Board,
    inner: NetworkEvaluator,
    most: usize,
    met: Vec<Edges>,
}

impl Evaluator for Recorder {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        if self.board.undrawn(drawn).len() <= self.most {
            self.met.push(drawn);
        }
        self.inner.evaluate(drawn, evaluation);
    }
}
