//! A puzzle with its solution.

use doublecross_core::board::{Edge, Edges, Position};

use super::Theme;

/// A position in which exactly one move wins, with its solution. Margins are final ones of the player
/// to move, the boxes already owned included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The moves that led to the position.
    pub moves: Vec<Edge>,
    /// The position.
    pub position: Position,
    /// The edges of the winning move.
    pub edges: Edges,
    /// The margin after the winning move.
    pub margin: i32,
    /// The largest margin after any other move.
    pub next: i32,
    /// The number of the first level that finds the move.
    pub level: usize,
    /// The theme.
    pub theme: Theme,
}
