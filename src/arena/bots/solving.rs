//! `solver`: exact within its budget.

use crate::arena::Bot;
use crate::board::{Board, Edge, Position};
use crate::bots::RuleBot;
use crate::solver::Solver;

/// Plays an optimal edge where the solver settles the position within its budget of nodes, an edge proved to win or tie
/// where it proves that, otherwise as [`RuleBot::Chains`].
pub struct SolverBot {
    solver: Option<Solver>,
    nodes: u64,
}

impl SolverBot {
    /// Entries of the solver's table.
    const TABLE: usize = 1 << 20;

    /// A solver bot with this budget a move.
    pub fn new(nodes: u64) -> SolverBot {
        SolverBot { solver: None, nodes }
    }

    fn solver(&mut self, board: Board) -> &mut Solver {
        if self.solver.as_ref().is_none_or(|solver| solver.board() != board) {
            self.solver = None;
        }
        self.solver.get_or_insert_with(|| Solver::new(board, SolverBot::TABLE))
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
