//! Parallel solving, for questions that take seconds to days: several workers on one table, with
//! limits and an observer that may stop them.
//!
//! [`ParallelSolver`] is the type to start with. The module uses [`board`](doublecross_core::board),
//! [`solver`](doublecross_core::solver), threads and the clock.

mod limits;
mod progress;
mod solver;

pub use limits::Limits;
pub use progress::{EdgeValue, SolveProgress};
pub use solver::ParallelSolver;

#[cfg(test)]
mod tests;
