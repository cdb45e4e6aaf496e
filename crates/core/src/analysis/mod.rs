//! The analysis of positions for people, by the solver and the search together.
//!
//! [`Analyst`] is the type to start with. All margins are final ones: the boxes by which the player
//! to move will be ahead at the end of the game, those already owned included.
//!
//! The module uses [`board`](crate::board), [`solver`](crate::solver) and
//! [`search`](crate::search).

mod analyst;
mod control;
mod edge;
mod shape;
mod variation;

pub use analyst::{Analysis, Analyst};
pub use control::controls;
pub use edge::EdgeAnalysis;
pub use shape::{Shape, shapes};

#[cfg(test)]
pub(crate) mod tests;
