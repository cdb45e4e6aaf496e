//! What a player may spend on a move.

use super::{Cached, Evaluator, Player, Settings};
use crate::board::Board;
use crate::solver::Solver;

/// What a player may spend on a move, in counts: it plays the same on every machine, with a network on every one with the
/// same instruction set.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The search, with the solver's budget at leaves.
    pub settings: Settings,
    /// The solver's budget at the root, in nodes; 0 plays without a solver.
    pub root_nodes: u64,
    /// The root is given to the solver where at most this many edges are undrawn.
    pub root_undrawn: usize,
    /// Entries of the solver's table, 8 bytes each.
    pub table: usize,
}

/// The sizes of table that go with a budget of the solver.
const TABLES: (u64, u64) = (1 << 18, 1 << 23);

/// Entries of a player's evaluation cache.
const CACHE: usize = 1 << 13;

impl Budget {
    /// So many simulations, and so many nodes of the solver at the root with what goes with them at leaves; without
    /// nodes no solver.
    pub fn new(simulations: usize, nodes: u64) -> Budget {
        let settings = Settings { simulations, ..Settings::default() }.with_leaves(nodes);
        Budget { settings, root_nodes: 0, root_undrawn: 42, table: 0 }.with_nodes(nodes)
    }

    /// The same with so many nodes of the solver at the root, and what goes with them at leaves.
    pub fn with_nodes(self, nodes: u64) -> Budget {
        let table = nodes.clamp(TABLES.0, TABLES.1).next_power_of_two() as usize;
        let solver_nodes = self.settings.clone().with_leaves(nodes).solver_nodes;
        Budget { settings: Settings { solver_nodes, ..self.settings }, root_nodes: nodes, table, ..self }
    }

    /// A player with this budget.
    pub fn player<E: Evaluator>(&self, board: Board, evaluator: E) -> Player<Cached<E>> {
        let player = Player::new(board, self.settings.clone(), Cached::new(evaluator, CACHE));
        if self.root_nodes == 0 && self.settings.solver_nodes == 0 {
            return player;
        }
        player.with_solver(Solver::new(board, self.table), self.root_undrawn, self.root_nodes)
    }
}
