//! The board and the rules: geometry, sets of edges, positions, symmetries and text forms.
//!
//! Edges are numbered as the arena numbers them: all horizontal edges row by row, then all vertical edges row by row.
//! Nothing outside this folder sees the word that holds a set of edges, so a wider board is a change in here alone.

mod drawing;
mod edge;
mod edges;
mod geometry;
mod position;
mod strings;
mod symmetry;
mod text;

pub use edge::{Edge, Orientation};
pub use edges::{Edges, EdgesIter};
pub use geometry::{Board, BoardError, MAX_BOXES, MAX_EDGES};
pub use position::{MoveError, Position, Seat};
pub use strings::{Degrees, Layout, Strings};
pub use symmetry::Symmetry;
pub use text::{TextError, format_edge, format_edges, parse_board, parse_edge, parse_edges, parse_game};
