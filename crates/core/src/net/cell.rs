//! The place of an edge in the network's policy: its grid cell and channel.

use crate::board::{Board, Edge, Orientation};

/// The place of an edge on the network's grid.
///
/// Cell (r, c) of the `(rows + 1) x (cols + 1)` cells carries `H(r, c)` in channel 0 and `V(r, c)`
/// in channel 1.
///
/// ```
/// use doublecross_core::board::Board;
/// use doublecross_core::net::PolicyCell;
/// let board = Board::new(2, 3)?;
/// let cell = PolicyCell::of(board, board.vertical(1, 2).unwrap());
/// assert_eq!((cell.cell, cell.channel), (6, 1));
/// assert_eq!((cell.interleaved(), cell.planar()), (13, 18));
/// # Ok::<(), doublecross_core::board::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyCell {
    /// The index of the cell, row by row.
    pub cell: usize,
    /// 0 for a horizontal edge, 1 for a vertical one.
    pub channel: usize,
    /// The number of cells of the grid.
    cells: usize,
}

impl PolicyCell {
    /// Returns the number of cells of a board's grid.
    pub fn count(board: Board) -> usize {
        (board.rows() + 1) * (board.cols() + 1)
    }

    /// Returns the place of an edge of `board`.
    pub fn of(board: Board, edge: Edge) -> PolicyCell {
        let (orientation, row, col) = board.coordinates(edge);
        PolicyCell {
            cell: row * (board.cols() + 1) + col,
            channel: (orientation == Orientation::Vertical) as usize,
            cells: PolicyCell::count(board),
        }
    }

    /// Returns the index in a policy laid out as `[cell][2]`, the layout of the engine.
    pub fn interleaved(self) -> usize {
        2 * self.cell + self.channel
    }

    /// Returns the index in a policy laid out as `[2][cell]`, the layout of training.
    pub fn planar(self) -> usize {
        self.channel * self.cells + self.cell
    }
}
