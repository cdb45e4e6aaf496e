//! The board and the rules: geometry, sets of edges, states, positions, symmetries and text forms.
//!
//! [`Board`] is the geometry, [`State`] a board with its drawn edges, and [`Position`] a state with owners and the player to
//! move. What the rules alone say of a state stands here too: boxes on [`Offer`], [`Opening`]s of chains and loops, groups of
//! equivalent edges.
//!
//! Edges are numbered as the arena numbers them: all horizontal edges row by row, then all vertical edges row by row.
//! Nothing outside this folder sees the word that holds a set of edges, so a wider board is a change in here alone.

mod captures;
mod drawing;
mod edge;
mod edges;
mod equivalent;
mod geometry;
mod offer;
mod openings;
mod position;
mod state;
mod strings;
mod symmetry;
mod text;

pub use edge::{Edge, Orientation};
pub use edges::{Edges, EdgesIter};
pub use geometry::{Board, BoardError, MAX_BOXES, MAX_EDGES};
pub use offer::Offer;
pub use openings::Opening;
pub use position::{MoveError, Position, Seat};
pub use state::State;
pub(crate) use strings::{Degrees, Layout, Strings};
pub use symmetry::Symmetry;
pub use text::TextError;
