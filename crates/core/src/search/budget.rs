//! Budgets of players.

use crate::board::Board;
use crate::solver::Solver;

use super::settings::leaf_nodes;
use super::{Cached, Evaluator, Player, Settings};

/// The budget of a player for each move, in counts of simulations and nodes. A player with a budget
/// plays the same on every machine, and with a network the same on every machine with the same
/// instruction set.
///
/// ```
/// use doublecross_core::board::Position;
/// use doublecross_core::search::{Budget, RolloutEvaluator};
/// // 50 simulations, and 1,000 nodes of the solver at the root.
/// let budget = Budget::new(50, 1_000);
/// let position: Position = "2x3 H0,0 V1,2".parse()?;
/// let play = budget.player(position.board(), RolloutEvaluator).decide(&position);
/// assert!(position.undrawn().contains(play.edge));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The settings of the search, with the budget of the solver at leaves.
    pub settings: Settings,
    /// The budget of the solver at the root, in nodes. 0 means no solver at the root.
    pub root_nodes: u64,
    /// The number of entries of the solver's table, 11 bytes each.
    pub table: usize,
}

/// The smallest and the largest table that goes with a budget of the solver, in entries.
const TABLES: (u64, u64) = (1 << 18, 1 << 23);

/// The largest number of undrawn edges with which the root is given to the solver, on boards of at
/// most 25 boxes.
const ROOT_UNDRAWN: usize = 42;

/// The number of entries of a player's evaluation cache.
const CACHE: usize = 1 << 13;

/// Returns the number of undrawn edges that a solver of some budget reaches on a board, given the
/// number on 5x5: each box more is an edge more (docs/results.md, "Large boards").
pub fn reach_on(board: Board, reach_on_5x5: usize) -> usize {
    reach_on_5x5 + board.boxes().saturating_sub(25)
}

impl Budget {
    /// Creates a budget of `simulations` simulations and `nodes` nodes of the solver at the root,
    /// with a leaf budget in proportion. Without nodes there is no solver.
    pub fn new(simulations: usize, nodes: u64) -> Budget {
        let settings = Settings { simulations, ..Settings::default() }.with_leaves(nodes);
        Budget { settings, root_nodes: 0, table: 0 }.with_nodes(nodes)
    }

    /// Returns the budget with `nodes` nodes of the solver at the root and a leaf budget in
    /// proportion.
    pub fn with_nodes(self, nodes: u64) -> Budget {
        let table = nodes.clamp(TABLES.0, TABLES.1).next_power_of_two() as usize;
        let settings = Settings { solver_nodes: leaf_nodes(nodes), ..self.settings };
        Budget { settings, root_nodes: nodes, table }
    }

    /// Creates a player with this budget.
    pub fn player<E: Evaluator>(&self, board: Board, evaluator: E) -> Player<Cached<E>> {
        let player = Player::new(board, self.settings.clone(), Cached::new(evaluator, CACHE));
        if self.root_nodes == 0 && self.settings.solver_nodes == 0 {
            return player;
        }
        player.with_solver(Solver::new(board, self.table), reach_on(board, ROOT_UNDRAWN), self.root_nodes)
    }
}
