//! From a position of a game to one edge: solver, captures and search in their order.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::{Edge, Edges, MAX_EDGES, Position};
use crate::solver::Solver;

use super::{Choice, Evaluator, Outcome, Prover, Search, Settings};

/// One decided move.
#[derive(Clone, Debug)]
pub struct Play {
    /// The edge to draw.
    pub edge: Edge,
    /// Every edge that the solver proved best when it decided, or, unless the margin is all that is played for, proved to
    /// win or tie where it could not settle the margin.
    pub proved: Option<Edges>,
    /// The search, when it decided.
    pub searched: Option<Outcome>,
}

/// Plays positions: exactly where the solver settles them, by search elsewhere.
pub struct Player<E> {
    search: Search,
    evaluator: E,
    solver: Option<Solver>,
    root_nodes: u64,
    root_undrawn: usize,
}

impl<E: Evaluator> Player<E> {
    /// A player without a solver.
    pub fn new(board: crate::board::Board, settings: Settings, evaluator: E) -> Player<E> {
        Player { search: Search::new(board, settings), evaluator, solver: None, root_nodes: 0, root_undrawn: 0 }
    }

    /// The same player with a solver: for positions of at most `undrawn` edges with a budget of `nodes` at the root,
    /// and at leaves as the settings say.
    pub fn with_solver(mut self, solver: Solver, undrawn: usize, nodes: u64) -> Player<E> {
        self.solver = Some(solver);
        self.root_undrawn = undrawn;
        self.root_nodes = nodes;
        self
    }

    /// Clears the solver's table, so that play does not depend on games before.
    pub fn clear(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    /// The evaluator's own edge and expected margin still to come, with no simulation and no solver: the likeliest
    /// action of its policy, or the better of «take all» and «keep control» by its margin.
    ///
    /// # Panics
    /// When the position is over or of another board.
    pub fn judge(&mut self, position: &Position) -> (Edge, f32) {
        let settings = Settings { simulations: 0, ..self.search.settings().clone() };
        let (mut search, noise) = (Search::new(position.board(), settings), [0.0; MAX_EDGES]);
        let outcome = search.run(position.state(), position.lead(), &noise, &mut self.evaluator, None);
        let edge = edge_of(position, outcome.choice());
        (edge, outcome.raw_margin)
    }

    /// Decides a position that is not over, without randomness.
    ///
    /// # Panics
    /// When the position is over or of another board.
    pub fn decide(&mut self, position: &Position) -> Play {
        let state = position.state();
        let in_reach = self.root_nodes > 0 && position.undrawn().len() <= self.root_undrawn;
        if let Some(solver) = self.solver.as_mut().filter(|_| in_reach) {
            // Whoever plays for the margin alone has no use for edges that are proved to win with less.
            let best = match self.search.settings().margin_weight < 1.0 {
                true => solver.proved_edges(state, position.lead(), self.root_nodes).edges,
                false => solver.best_edges(state, self.root_nodes),
            };
            if let Some(edge) = best.lowest() {
                return Play { edge, proved: Some(best), searched: None };
            }
        }
        if let Some(edge) = state.free_capture() {
            return Play { edge, proved: None, searched: None };
        }
        self.search(position)
    }

    /// Decides a position that is not over by search alone.
    ///
    /// # Panics
    /// When the position is over or of another board.
    pub fn search(&mut self, position: &Position) -> Play {
        let noise = [0.0; MAX_EDGES];
        let solver = self.solver.as_mut().map(|solver| solver as &mut dyn Prover);
        let outcome = self.search.run(position.state(), position.lead(), &noise, &mut self.evaluator, solver);
        Play { edge: edge_of(position, outcome.choice()), proved: None, searched: Some(outcome) }
    }

    /// Searches with so many simulations from now on.
    pub fn set_simulations(&mut self, simulations: usize) {
        self.search.set_simulations(simulations);
    }

    /// Gives the solver so many nodes at the root, and what goes with them at leaves, from now on.
    pub fn set_nodes(&mut self, nodes: u64) {
        self.root_nodes = nodes;
        self.search.set_leaf_nodes(nodes);
    }

    /// What ends a search before its last simulation when another thread sets it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.search.stop()
    }

    /// Another solver on this player's table, for another thread; `None` where it plays without one.
    pub fn worker(&mut self) -> Option<Solver> {
        self.solver.as_mut().map(Solver::worker)
    }
}

/// The edge that begins a choice.
fn edge_of(position: &Position, choice: Choice) -> Edge {
    let edge = choice.first_edge(position.state());
    edge.or_else(|| position.undrawn().lowest()).expect("the position is not over")
}
