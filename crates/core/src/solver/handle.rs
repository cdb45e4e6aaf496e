//! Access to solvers from another thread.

use std::sync::Arc;

use super::graph::{Graph, Outline, PlainKey, Plan, Plans, SymmetricKey};
use super::shared::Shared;
use super::{Lemma, MoveProgress};

/// A handle to solvers that share a table. It stops them from another thread, and gives access to
/// their node count and their lemmas.
#[derive(Clone)]
pub struct SolverHandle {
    shared: Arc<Shared>,
    plans: Plans,
}

impl SolverHandle {
    pub(super) fn new(shared: Arc<Shared>, plans: Plans) -> SolverHandle {
        SolverHandle { shared, plans }
    }

    /// Ends the current queries of the solvers soon, and later ones too, as if their budgets were
    /// exhausted. [`SolverHandle::resume`] allows the solvers to work again.
    pub fn stop(&self) {
        self.shared.set_stop(true);
    }

    /// Allows the solvers to work again.
    pub fn resume(&self) {
        self.shared.set_stop(false);
    }

    /// Sets the number of nodes that the solvers may take together beyond the budgets of their
    /// queries, until it is set again. It is 0 at first.
    pub fn share_budget(&self, nodes: u64) {
        self.shared.set_budget(nodes);
    }

    /// Returns the number of nodes of all solvers together since their creation, to within about a
    /// thousand each.
    pub fn nodes(&self) -> u64 {
        self.shared.nodes()
    }

    /// Returns the safe moves that the reporting solver
    /// ([`Solver::report_moves`](super::Solver::report_moves)) is trying: of the queried position
    /// and of the next few, in turn.
    ///
    /// Moves that the table settles pass at once, as do mirror images near the empty board.
    pub fn move_progress(&self) -> Vec<MoveProgress> {
        self.shared.move_progress().collect()
    }

    /// Returns the largest number of positions that the shared table can hold.
    pub fn entries(&self) -> usize {
        self.shared.table.entries()
    }

    /// Makes the solvers keep each result that takes at least `nodes` nodes as a [`Lemma`].
    pub fn keep_lemmas(&self, nodes: u64) {
        self.shared.lemmas.keep_from(nodes);
    }

    /// Returns the number of times that a lemma has said more about a position than the table,
    /// since the solvers' creation.
    pub fn lemma_hits(&self) -> u64 {
        self.shared.lemmas.hits()
    }

    /// Returns the lemmas found since the last call.
    pub fn take_lemmas(&self) -> Vec<Lemma> {
        self.shared.lemmas.take_found()
    }

    /// Makes the solvers rely on a lemma from now on. It is looked up under all symmetries by
    /// queries near the empty board and by those of boards of more than 64 edges, and as it is by
    /// all others. A lemma of a position that is too large for a search is left out.
    ///
    /// # Panics
    /// Panics if the lemma's state is of another board or is not capture-free.
    pub fn add_lemma(&self, lemma: &Lemma) {
        let Lemma { state, bounds, .. } = *lemma;
        let board = self.plans.board();
        assert!(state.board() == board, "{state} is not a state of the {board} board");
        assert!(state.is_capture_free(), "{state} has boxes on offer");
        let as_it_is = |plan| Graph::<PlainKey>::new(plan, state).summary();
        let summaries = match &self.plans {
            Plans::Whole { early, late } if early.images() == 4 => {
                vec![Graph::<SymmetricKey<4>>::new(early, state).summary(), as_it_is(late)]
            }
            Plans::Whole { early, late } => vec![Graph::<SymmetricKey<8>>::new(early, state).summary(), as_it_is(late)],
            // Searches look up no images, so the lemma is added for each of them.
            Plans::OfPositions(_) => {
                let images = board.symmetries().map(|symmetry| state.image(symmetry));
                let plan_of = |image| Plan::of_outline(Outline::new(image));
                images.filter_map(|image| Some(Graph::<PlainKey>::new(&plan_of(image)?, image).summary())).collect()
            }
        };
        for summary in summaries {
            self.shared.lemmas.add(summary.key, summary.safe, bounds);
        }
    }
}
