//! Exact play: the margin still to come and every edge that reaches it.
//!
//! Alpha-beta with zero windows over capture-free positions. Boxes on offer are resolved at once into "take all" or "keep
//! control" ([`Offer`](crate::board::Offer)); an opened chain is one move; chains and loops that hang on no joint are a
//! multiset of lengths and are settled in closed form when nothing else is left ([`loony`]); positions are the same when
//! their graphs of joints and chains are; and a table keeps a lower and an upper bound of each. [`Solver`] is all that the
//! layers above see.

mod alpha_beta;
mod bits;
mod bounds;
mod cpu;
mod exact;
mod graph;
mod handle;
mod handouts;
pub mod loony;
mod memory;
mod plan;
mod prefetch;
mod query;
mod shared;
mod successor;
mod table;
mod zobrist;

pub use bounds::{Bounds, MoveQuestion};
pub use exact::{ProvedEdges, Solution, Solver};
pub use handle::SolverHandle;
pub use shared::MoveProgress;

#[cfg(test)]
pub(crate) mod tests;
