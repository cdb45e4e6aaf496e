//! `solver`: exact play within a budget.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::Bot;
use doublecross_core::board::{Board, Edge, Position};
use doublecross_core::bots::RuleBot;
use doublecross_core::solver::Solver;

/// A bot that plays exactly.
///
/// It draws an optimal edge if the solver settles the position within the budget, and an edge that
/// is proved to win or tie if the solver proves that. Otherwise it plays as [`RuleBot::Chains`].
pub struct SolverBot {
    solver: Option<Solver>,
    /// The budget of each move.
    nodes: u64,
    stop: Arc<AtomicBool>,
}

impl SolverBot {
    /// The number of entries of the solver's table.
    const TABLE_ENTRIES: usize = 1 << 20;

    /// Returns a bot with a budget of `nodes` for each move.
    pub fn new(nodes: u64) -> SolverBot {
        SolverBot { solver: None, nodes, stop: Arc::default() }
    }

    /// Returns the bot with a flag that ends the queries of its solver soon, as long as it is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> SolverBot {
        SolverBot { stop, ..self }
    }

    /// The solver of this board.
    fn solver(&mut self, board: Board) -> &mut Solver {
        if self.solver.as_ref().is_none_or(|solver| solver.board() != board) {
            self.solver = None;
        }
        let stop = &self.stop;
        self.solver.get_or_insert_with(|| Solver::new(board, SolverBot::TABLE_ENTRIES).with_stop(stop.clone()))
    }
}

impl Bot for SolverBot {
    fn start_game(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let nodes = self.nodes;
        let best = self.solver(position.board()).proved_edges(position.state(), position.lead(), nodes);
        position.pick(best.edges, nonce).unwrap_or_else(|| RuleBot::Chains.choose(position, nonce))
    }
}
