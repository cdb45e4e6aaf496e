//! The geometry of an RxC board, computed once per size and shared.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use super::strings::Layout;
use super::symmetry::SymmetryTable;
use super::{Edge, Edges, Orientation, Symmetry};

/// The most edges a board may have.
pub const MAX_EDGES: usize = 64;

/// The most boxes a board of at most [`MAX_EDGES`] edges has (5x5).
pub const MAX_BOXES: usize = 25;

/// The longest side of a board of at most [`MAX_EDGES`] edges (1x21).
const MAX_SIDE: usize = 21;

/// A board of `rows` x `cols` boxes: a handle to its geometry, free to copy.
///
/// ```
/// use doublecross::board::Board;
/// let board = Board::new(5, 5)?;
/// assert_eq!((board.edges(), board.boxes()), (60, 25));
/// assert!(Board::new(6, 6).is_err());
/// # Ok::<(), doublecross::board::BoardError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Board(&'static Geometry);

struct Geometry {
    rows: usize,
    cols: usize,
    all: Edges,
    /// Box of an edge and how many of the two places are used.
    neighbours: [([u8; 2], u8); MAX_EDGES],
    sides: [Edges; MAX_BOXES],
    /// Pairs of edges that belong to one box only, and to the same box: interchangeable (docs/strategy.md, section 12).
    twins: Vec<(Edge, Edge)>,
    symmetries: SymmetryTable,
    layout: Layout,
}

static BOARDS: [[OnceLock<Board>; MAX_SIDE]; MAX_SIDE] = [const { [const { OnceLock::new() }; MAX_SIDE] }; MAX_SIDE];

impl Board {
    /// The board of `rows` x `cols` boxes.
    ///
    /// # Errors
    /// When a side is 0, or the board has more than [`MAX_EDGES`] edges.
    pub fn new(rows: usize, cols: usize) -> Result<Board, BoardError> {
        if rows == 0 || cols == 0 {
            return Err(BoardError::Empty { rows, cols });
        }
        if rows > MAX_SIDE || cols > MAX_SIDE || 2 * rows * cols + rows + cols > MAX_EDGES {
            return Err(BoardError::TooLarge { rows, cols });
        }
        let slot = &BOARDS[rows - 1][cols - 1];
        // There are under a hundred sizes, so what is leaked here is bounded.
        Ok(*slot.get_or_init(|| Board(Box::leak(Box::new(Geometry::new(rows, cols))))))
    }

    /// Rows of boxes.
    pub fn rows(self) -> usize {
        self.0.rows
    }

    /// Columns of boxes.
    pub fn cols(self) -> usize {
        self.0.cols
    }

    /// How many edges the board has.
    pub fn edges(self) -> usize {
        self.0.all.len()
    }

    /// How many boxes the board has.
    pub fn boxes(self) -> usize {
        self.0.rows * self.0.cols
    }

    /// Every edge of the board.
    pub const fn all(self) -> Edges {
        self.0.all
    }

    /// `H(row, col)`: row in `0..=rows`, col in `0..cols`; `None` off the board.
    pub fn horizontal(self, row: usize, col: usize) -> Option<Edge> {
        (row <= self.0.rows && col < self.0.cols).then(|| Edge::new(row * self.0.cols + col))
    }

    /// `V(row, col)`: row in `0..rows`, col in `0..=cols`; `None` off the board.
    pub fn vertical(self, row: usize, col: usize) -> Option<Edge> {
        let (rows, cols) = (self.0.rows, self.0.cols);
        (row < rows && col <= cols).then(|| Edge::new((rows + 1) * cols + row * (cols + 1) + col))
    }

    /// The edge of this orientation at (row, col); `None` off the board.
    pub fn edge(self, orientation: Orientation, row: usize, col: usize) -> Option<Edge> {
        match orientation {
            Orientation::Horizontal => self.horizontal(row, col),
            Orientation::Vertical => self.vertical(row, col),
        }
    }

    /// Orientation, row and column of an edge of this board.
    pub fn coordinates(self, edge: Edge) -> (Orientation, usize, usize) {
        let (cols, first_vertical) = (self.0.cols, (self.0.rows + 1) * self.0.cols);
        match edge.index().checked_sub(first_vertical) {
            None => (Orientation::Horizontal, edge.index() / cols, edge.index() % cols),
            Some(index) => (Orientation::Vertical, index / (cols + 1), index % (cols + 1)),
        }
    }

    /// The one or two boxes beside an edge; box (r, c) is `r * cols + c`.
    pub fn boxes_of(self, edge: Edge) -> &'static [u8] {
        let (boxes, count) = &self.0.neighbours[edge.index()];
        &boxes[..*count as usize]
    }

    /// The four sides of box (r, c) = `r * cols + c`.
    ///
    /// # Panics
    /// When the board has no such box.
    pub fn sides(self, box_index: usize) -> Edges {
        assert!(box_index < self.boxes(), "box {box_index} of a board of {}", self.boxes());
        self.0.sides[box_index]
    }

    /// The pairs of interchangeable edges at the corners: both border edges of one box.
    pub fn twins(self) -> &'static [(Edge, Edge)] {
        &self.0.twins
    }

    /// The symmetries of the board, the identity first: 8 for a square, else 4.
    pub fn symmetries(self) -> impl ExactSizeIterator<Item = Symmetry> {
        (0..self.0.symmetries.len()).map(move |index| Symmetry::new(self, index))
    }

    /// How edges lie in [`Strings`](super::Strings).
    pub(crate) fn layout(self) -> &'static Layout {
        &self.0.layout
    }

    pub(super) fn symmetry_table(self) -> &'static SymmetryTable {
        &self.0.symmetries
    }
}

impl Geometry {
    fn new(rows: usize, cols: usize) -> Geometry {
        let horizontal = |r: usize, c: usize| Edge::new(r * cols + c);
        let vertical = |r: usize, c: usize| Edge::new((rows + 1) * cols + r * (cols + 1) + c);
        let mut sides = [Edges::EMPTY; MAX_BOXES];
        let mut neighbours = [([0; 2], 0); MAX_EDGES];
        for r in 0..rows {
            for c in 0..cols {
                let b = r * cols + c;
                for side in [horizontal(r, c), horizontal(r + 1, c), vertical(r, c), vertical(r, c + 1)] {
                    sides[b].insert(side);
                    let (boxes, count): &mut ([u8; 2], u8) = &mut neighbours[side.index()];
                    boxes[*count as usize] = b as u8;
                    *count += 1;
                }
            }
        }
        let mut twins = Vec::new();
        for box_sides in sides {
            let border: Vec<Edge> = box_sides.iter().filter(|e| neighbours[e.index()].1 == 1).collect();
            for (i, &low) in border.iter().enumerate() {
                twins.extend(border[i + 1..].iter().map(|&high| (low, high)));
            }
        }
        Geometry {
            rows,
            cols,
            all: Edges::first(2 * rows * cols + rows + cols),
            neighbours,
            sides,
            twins,
            symmetries: SymmetryTable::new(rows, cols),
            layout: Layout::new(rows, cols),
        }
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        // There is one geometry of each size.
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.rows(), self.cols()).hash(state);
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

/// Rows x columns, as in `5x5`.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows(), self.cols())
    }
}

/// Why there is no such board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardError {
    /// A side of 0 boxes.
    Empty {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
    },
    /// More than [`MAX_EDGES`] edges.
    TooLarge {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
    },
}

// The core has no dependencies, so its errors are written out by hand.
impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Empty { rows, cols } => {
                write!(f, "a board of {rows}x{cols} boxes has no box; both sides must be at least 1")
            }
            BoardError::TooLarge { rows, cols } => {
                write!(
                    f,
                    "a board of {rows}x{cols} boxes has more than {MAX_EDGES} edges; 5x5, 4x6 and 3x8 are among the largest"
                )
            }
        }
    }
}

impl std::error::Error for BoardError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_numbered_as_the_arena_numbers_them() {
        let board = Board::new(5, 5).unwrap();
        assert_eq!(board.horizontal(5, 4).map(Edge::index), Some(29));
        assert_eq!(board.vertical(0, 0).map(Edge::index), Some(30));
        assert_eq!(board.vertical(4, 5).map(Edge::index), Some(59));
        assert_eq!(board.horizontal(6, 0), None);
        assert_eq!(board.vertical(0, 6), None);
        for edge in board.all() {
            let (orientation, row, col) = board.coordinates(edge);
            assert_eq!(board.edge(orientation, row, col), Some(edge));
        }
    }

    #[test]
    fn every_size_of_at_most_64_edges_exists() {
        let mut sizes = 0;
        for rows in 1..=64 {
            for cols in 1..=64 {
                let small = 2 * rows * cols + rows + cols <= 64;
                let board = Board::new(rows, cols);
                assert_eq!(board.is_ok(), small, "{rows}x{cols}");
                let Ok(board) = board else { continue };
                sizes += 1;
                assert!(board.boxes() <= MAX_BOXES);
                assert_eq!(board.edges(), 2 * rows * cols + rows + cols);
                // Every box has four sides, every edge one or two boxes.
                let sides: usize = (0..board.boxes()).map(|b| board.sides(b).len()).sum();
                let boxes: usize = board.all().iter().map(|e| board.boxes_of(e).len()).sum();
                assert_eq!((sides, boxes), (4 * board.boxes(), 4 * board.boxes()));
            }
        }
        assert!(sizes > 60);
        assert!(Board::new(0, 3).is_err());
        assert!(Board::new(usize::MAX, 2).is_err());
    }

    #[test]
    fn corner_twins_of_wide_and_narrow_boards() {
        assert_eq!(Board::new(5, 5).unwrap().twins().len(), 4);
        // Both ends of a 1x3 have three border edges, any two of which are interchangeable; so has its middle box two.
        assert_eq!(Board::new(1, 3).unwrap().twins().len(), 7);
        assert_eq!(Board::new(1, 1).unwrap().twins().len(), 6);
    }
}
