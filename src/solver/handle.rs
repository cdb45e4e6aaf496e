//! Access to solvers from another thread.

use std::sync::Arc;

use super::MoveProgress;
use super::shared::Shared;

/// A handle to solvers that share a table. It stops them from another thread, and gives access to
/// their node count and their table.
#[derive(Clone)]
pub struct SolverHandle(Arc<Shared>);

impl SolverHandle {
    pub(super) fn new(shared: Arc<Shared>) -> SolverHandle {
        SolverHandle(shared)
    }

    /// Ends the current queries of the solvers soon, and later ones too, as if their budgets were
    /// exhausted. [`SolverHandle::resume`] allows the solvers to work again.
    pub fn stop(&self) {
        self.0.set_stop(true);
    }

    /// Allows the solvers to work again.
    pub fn resume(&self) {
        self.0.set_stop(false);
    }

    /// Returns the number of nodes of all solvers together since their creation, to within about a
    /// thousand each.
    pub fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    /// Returns the safe moves that the reporting solver
    /// ([`Solver::report_moves`](super::Solver::report_moves)) is trying: of the queried position
    /// and of the next few, in turn.
    ///
    /// Moves that the table settles pass at once, as do mirror images near the empty board.
    pub fn move_progress(&self) -> Vec<MoveProgress> {
        self.0.move_progress().collect()
    }

    /// Returns the largest number of positions that the shared table can hold.
    pub fn entries(&self) -> usize {
        self.0.table.entries()
    }

    /// Returns the words of the shared table as they are, one for each entry. Solvers may be at
    /// work meanwhile.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.table.words()
    }

    /// Fills the shared table with the [`words`](SolverHandle::words) of a table of the same size
    /// and board, and returns the number of entries that are not empty.
    ///
    /// A word carries no checksum. Code that stores words has to protect them.
    pub fn restore(&self, words: impl IntoIterator<Item = u64>) -> usize {
        self.0.table.restore(words)
    }
}
