//! The error of a board that cannot exist.

use std::fmt;

use super::MAX_EDGES;

/// An error returned by [`Board::new`](super::Board::new).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardError {
    /// A side is 0 boxes long.
    Empty {
        /// The requested number of rows.
        rows: usize,
        /// The requested number of columns.
        cols: usize,
    },
    /// The board has more than [`MAX_EDGES`] edges.
    TooLarge {
        /// The requested number of rows.
        rows: usize,
        /// The requested number of columns.
        cols: usize,
    },
}

// The core has no dependencies, so its errors are written out by hand.
impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Empty { rows, cols } => {
                write!(f, "a board of {rows}x{cols} boxes has no box (each side needs 1 or more)")
            }
            BoardError::TooLarge { rows, cols } => {
                write!(
                    f,
                    "a board of {rows}x{cols} boxes is too large: it has more than {MAX_EDGES} edges (9x9, 7x11 and 4x19 are among the largest)"
                )
            }
        }
    }
}

impl std::error::Error for BoardError {}
