//! What a position looks like to solver and search together: for people who look on.
//!
//! All margins here are final ones: the boxes by which the player to move will be ahead at the end, what is scored
//! already included.

mod control;
mod line;
mod look;
mod shape;

pub use control::controls;
pub use look::{Analyst, EdgeLook, Look};
pub use shape::{Shape, shapes};

#[cfg(test)]
pub(crate) mod tests;
