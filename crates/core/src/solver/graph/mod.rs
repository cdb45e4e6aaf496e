//! The strings-and-coins graph that a position's search works on: joints, chains and loops, the
//! moves that its strings allow, and the keys that equal graphs share.
//!
//! [`Plan`] holds what is the same for all positions of a search, [`Graph`] is one position, and
//! [`Successor`] the position after a move.

mod bits;
mod change;
mod components;
mod graph;
mod graph_components;
mod handouts;
mod independent_component;
mod key;
mod lengths;
pub mod loony;
mod order;
mod outline;
mod places;
mod plan;
mod small_component;
mod state_after;
mod successor;
mod zobrist;

pub(super) use bits::bits;
pub(super) use graph::Graph;
#[cfg(test)]
pub(super) use graph::tests::any_capture_free;
pub(super) use handouts::{Handout, Handouts};
pub(super) use key::{Key, PlainKey, SymmetricKey, TableKey};
pub(super) use order::Mover;
#[cfg(test)]
pub(super) use order::Order;
pub(super) use outline::Outline;
pub(super) use places::STRING_PLACES;
pub(super) use plan::{Plan, Plans};
pub(super) use state_after::state_after;
pub(super) use successor::{Move, NodeSummary, Successor};
