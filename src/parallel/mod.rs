//! Parallel solving, for questions that take seconds to days: several workers on one table, with
//! limits, an observer that may stop them, and snapshots on disk from which a killed solve resumes.
//!
//! [`ParallelSolver`] is the type to start with. The module uses [`board`](crate::board),
//! [`solver`](crate::solver), threads, the clock and files.

mod limits;
mod progress;
mod snapshot;
mod solver;

pub use limits::Limits;
pub use progress::{EdgeValue, SolveProgress};
pub use snapshot::{SnapshotError, SnapshotLock, load, lock as lock_snapshot, save};
pub use solver::ParallelSolver;

#[cfg(test)]
mod tests;
