//! The board and the rules of the game.
//!
//! [`Board`] is the geometry, [`State`] a board with its drawn edges, and [`Position`] a state with
//! the owners of the boxes and the player to move. The module also holds what follows from the
//! rules alone: boxes on [`Offer`], [`Chain`]s and loops with their [`Opening`]s, groups of
//! equivalent edges, symmetries and text forms. It uses the standard library and `mix`.
//!
//! Edges are numbered as arenas number them: all horizontal edges row by row, then all vertical
//! edges row by row. Only this module reads the words that hold a set of edges.

mod board;
mod board_error;
mod captures;
mod chains;
mod drawing;
mod edge;
mod edges;
mod equivalent;
mod lattice;
mod offer;
mod openings;
mod position;
mod state;
mod strings;
mod symmetry;
mod text;
mod word;

pub use board::{Board, MAX_BOXES, MAX_EDGES};
pub use board_error::BoardError;
pub use chains::Chain;
pub use edge::{Edge, Orientation};
pub use edges::{Edges, EdgesIter};
pub use offer::Offer;
pub use openings::Opening;
pub use position::{MoveError, Position, Seat};
pub use state::State;
pub use symmetry::Symmetry;
pub use text::{TextError, parse_game};
