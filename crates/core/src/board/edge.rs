//! A single edge of a board.

/// An edge, by its index in the numbering that arenas use: `H(r, c)` is `r * cols + c`, and
/// `V(r, c)` is `(rows + 1) * cols + r * (cols + 1) + c`.
///
/// An `Edge` does not carry its board. [`Board::coordinates`](super::Board::coordinates) gives its
/// orientation, row and column, and [`Board::edge_name`](super::Board::edge_name) its name.
///
/// ```
/// use doublecross_core::board::{Board, Orientation};
/// let board = Board::new(2, 3)?;
/// let edge = board.vertical(1, 0).unwrap();
/// assert_eq!(edge.index(), 13);
/// assert_eq!(board.coordinates(edge), (Orientation::Vertical, 1, 0));
/// assert_eq!(board.edge_name(edge), "V1,0");
/// # Ok::<(), doublecross_core::board::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u8);

impl Edge {
    /// Creates the edge with this index.
    ///
    /// # Panics
    /// Panics if `index` is [`MAX_EDGES`](super::MAX_EDGES) or more, which no board has.
    pub const fn new(index: usize) -> Edge {
        assert!(index < super::MAX_EDGES);
        Edge(index as u8)
    }

    /// Creates the edge of this bit of a set.
    pub(super) const fn of_bit(index: usize) -> Edge {
        debug_assert!(index < super::MAX_EDGES);
        Edge(index as u8)
    }

    /// Returns the index of the edge.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The direction in which an edge runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// From left to right: the top of one box and the bottom of the box above it.
    Horizontal,
    /// From top to bottom: the left side of one box and the right side of the box to its left.
    Vertical,
}

impl Orientation {
    /// Returns `'H'` or `'V'`.
    pub const fn letter(self) -> char {
        match self {
            Orientation::Horizontal => 'H',
            Orientation::Vertical => 'V',
        }
    }
}
