//! `solver`: exact within its budget.

use crate::arena::Bot;
use crate::board::{Board, Edge, Position};
use crate::simple::Simple;
use crate::solver::Solver;

/// Plays an optimal edge where the solver settles the position within its budget of nodes, an edge proved to win or tie
/// where it proves that, otherwise as [`Simple::Chains`].
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
            solver.forget();
        }
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let nodes = self.nodes;
        let best = self.solver(position.board()).edges_to_draw(position.drawn(), position.lead(), nodes);
        position.pick(best, nonce).unwrap_or_else(|| Simple::Chains.choose(position, nonce))
    }
}
