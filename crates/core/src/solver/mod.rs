//! Exact play: the margin still to come, and every edge that reaches it.
//!
//! [`Solver`] is the type to start with. It is an alpha-beta search with zero windows over
//! capture-free positions:
//!
//! * Boxes on offer are resolved at once into "take all" or "keep control"
//!   ([`Offer`](crate::board::Offer)), so an opened chain is one move.
//! * Positions are the same if their graphs of joints and chains are.
//! * Chains and loops that hang on no joint are a multiset of lengths. When nothing else is left,
//!   they are settled in closed form ([`loony`]).
//! * A table keeps a lower and an upper bound of each position, and [`Lemma`]s those that took much
//!   work. A [`Book`] holds those that were proved before.
//!
//! The module uses [`board`](crate::board) and `mix`.

mod alpha_beta;
mod book;
mod bounds;
mod cpu;
mod graph;
mod graph_query;
mod handle;
mod known;
mod lemma;
mod memory;
mod move_question;
mod prefetch;
mod shared;
mod solution;
mod solver;
mod state_query;
mod table;

pub use book::{Book, BookError};
pub use bounds::Bounds;
pub use graph::loony;
pub use handle::SolverHandle;
pub use lemma::Lemma;
pub use move_question::MoveQuestion;
pub use shared::MoveProgress;
pub use solution::{ProvedEdges, Solution};
pub use solver::Solver;

#[cfg(test)]
mod large_boards;
#[cfg(test)]
pub(crate) mod tests;
