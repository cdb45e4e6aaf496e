//! Queries about graphs within one budget of nodes.

use std::sync::Arc;

use crate::board::State;

use super::Bounds;
use super::alpha_beta::{AlphaBeta, Interrupted};
use super::graph::{Graph, Key, Plan};

/// A query in progress. All searches through it share one budget of nodes.
pub(super) struct GraphQuery<'a>(&'a mut AlphaBeta);

impl<'a> GraphQuery<'a> {
    /// Starts a query about positions of this plan, with a budget of `limit` nodes.
    pub fn new(search: &'a mut AlphaBeta, plan: &Arc<Plan>, limit: u64) -> GraphQuery<'a> {
        search.reset(plan, limit);
        GraphQuery(search)
    }

    /// Sets the number of nodes that the query may take in all.
    pub fn set_limit(&mut self, limit: u64) {
        self.0.limit = limit;
    }

    /// Returns the value of a capture-free state, or the bounds proved when the budget ends.
    ///
    /// The zero windows step from `guess` towards the value, as in MTD(f) (Plaat et al.,
    /// *Best-first fixed-depth minimax algorithms*, 1996), so that an exhausted budget leaves a
    /// proved bound on one side of the guess.
    pub fn value<K: Key>(&mut self, state: State, guess: i32) -> Result<i32, Bounds> {
        let graph = Graph::<K>::new(self.0.plan(), state);
        let mut bounds = Bounds::of_open_boxes(graph.boxes as i32);
        while !bounds.is_exact() {
            let target = bounds.next_target(guess);
            match self.0.search(state, &graph, target) {
                Ok(bound) => bounds.narrow(target, bound),
                Err(Interrupted) => return Err(bounds),
            }
        }
        Ok(bounds.lower)
    }

    /// Returns a bound of the value of a capture-free state: a lower bound if it is at least
    /// `target`, otherwise an upper bound.
    pub fn bound<K: Key>(&mut self, state: State, target: i32) -> Result<i32, Interrupted> {
        let graph = Graph::<K>::new(self.0.plan(), state);
        self.0.search(state, &graph, target)
    }
}
