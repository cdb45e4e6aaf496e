//! What a position looks like to solver and search together: for people who look on.
//!
//! All margins here are final ones: the boxes by which the player to move will be ahead at the end, what is scored
//! already included.

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
