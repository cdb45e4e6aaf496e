//! Variations: the choices of a search or of the solver, as a sequence of edges.

use crate::board::{Edge, Position};
use crate::search::Choice;
use crate::solver::Solver;

/// A position with the edges that led to it.
pub(super) struct Variation {
    position: Position,
    edges: Vec<Edge>,
    max_edges: usize,
}

impl Variation {
    pub fn new(position: &Position, max_edges: usize) -> Variation {
        Variation { position: position.clone(), edges: Vec::new(), max_edges }
    }

    pub fn edges(self) -> Vec<Edge> {
        self.edges
    }

    /// Plays the choices of a search, and the captures between them, which it does not list.
    pub fn follow(&mut self, choices: &[Choice]) {
        for choice in choices {
            match choice {
                Choice::Draw(edges) => {
                    self.take_all();
                    edges.lowest().map(|edge| self.play(edge));
                }
                Choice::TakeAll => self.take_all(),
                Choice::KeepControl => {
                    while let Some(edge) = self.position.state().control_edge() {
                        if self.play(edge) != Some(true) {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Plays on as long as the solver settles each position within `nodes` nodes: captures first,
    /// then safe edges.
    pub fn follow_solver(&mut self, solver: &mut Solver, nodes: u64) {
        while self.edges.len() < self.max_edges && !self.position.is_over() {
            let state = self.position.state();
            let best = solver.solve(state, nodes).best;
            let capture = best.iter().find(|&edge| state.captures(edge) > 0);
            let safe = state.safe_edges().intersection(best).lowest();
            let Some(edge) = capture.or(safe).or(best.lowest()) else { break };
            self.play(edge);
        }
    }

    fn take_all(&mut self) {
        while let Some(edge) = self.position.state().capturing_edge() {
            if self.play(edge).is_none() {
                break;
            }
        }
    }

    /// Plays an edge. Returns `Some(true)` if it closed a box, `Some(false)` if it did not, and
    /// `None` if it was not played.
    fn play(&mut self, edge: Edge) -> Option<bool> {
        if self.edges.len() >= self.max_edges {
            return None;
        }
        let closed = self.position.play(edge).ok()?;
        self.edges.push(edge);
        Some(closed > 0)
    }
}
