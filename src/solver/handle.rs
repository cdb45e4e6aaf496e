//! Control over solvers from another thread.

use std::sync::Arc;

use super::MoveProgress;
use super::shared::Shared;

/// A handle to solvers that share a table: stops them from another thread, and gives access to their node count and table.
#[derive(Clone)]
pub struct SolverHandle(Arc<Shared>);

impl SolverHandle {
    pub(super) fn new(shared: Arc<Shared>) -> SolverHandle {
        SolverHandle(shared)
    }

    /// Ends the solvers' current questions, soon, as if their budgets were spent; until [`SolverHandle::resume`].
    pub fn stop(&self) {
        self.0.set_stop(true);
    }

    /// Lets the solvers work again.
    pub fn resume(&self) {
        self.0.set_stop(false);
    }

    /// Nodes of all solvers together since they were made, to within about a thousand each.
    pub fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    /// The safe moves that the reporting solver ([`Solver::report_moves`](super::Solver::report_moves)) was last seen to try:
    /// of the position that was asked for and of the next few in turn.
    ///
    /// Moves that the table settles pass at once, as do mirror images near the empty board.
    pub fn move_progress(&self) -> Vec<MoveProgress> {
        self.0.move_progress().collect()
    }

    /// The number of positions that the shared table holds at most.
    pub fn entries(&self) -> usize {
        self.0.table.entries()
    }

    /// The words of the shared table, one for each entry, as they stand; solvers may be at work meanwhile.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.table.words()
    }

    /// Fills the shared table with the [`words`](SolverHandle::words) of one of the same size and board, and returns the
    /// number of entries that are not empty.
    ///
    /// A word carries no checksum of its own: whoever stores words has to protect them.
    pub fn restore(&self, words: impl IntoIterator<Item = u64>) -> usize {
        self.0.table.restore(words)
    }
}
