//! A ladder of ten levels for people, each a player with its own mistakes (docs/levels.md).
//!
//! [`LEVELS`] is the ladder as data: a name, a description and the [`Traits`] of each level.
//! [`LevelBot`] plays by the traits. Each file of this module is one thing to see or to count.

mod boxes;
mod chains;
mod chance;
mod ladder;
mod openings;
mod player;
mod third_sides;
mod traits;

pub use ladder::{LEVELS, Level};
pub use player::LevelBot;
pub use traits::Traits;
