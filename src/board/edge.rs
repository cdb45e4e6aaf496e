//! One edge of a board, by its number in the arena's order.

/// The index of an edge in the arena's order: `H(r, c)` is `r * cols + c`, `V(r, c)` is
/// `(rows + 1) * cols + r * (cols + 1) + c`.
///
/// An `Edge` alone does not know its board; [`Board::coordinates`](super::Board::coordinates) names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u8);

impl Edge {
    /// The edge with this index.
    ///
    /// # Panics
    /// When `index` is 64 or more, which no board has.
    pub const fn new(index: usize) -> Edge {
        assert!(index < super::MAX_EDGES);
        Edge(index as u8)
    }

    /// The index in the arena's order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which way an edge runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// Left to right: the top of one box and the bottom of the box above it.
    Horizontal,
    /// Top to bottom: the left of one box and the right of the box to its left.
    Vertical,
}

impl Orientation {
    /// `'H'` or `'V'`.
    pub const fn letter(self) -> char {
        match self {
            Orientation::Horizontal => 'H',
            Orientation::Vertical => 'V',
        }
    }
}
