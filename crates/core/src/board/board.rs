//! The geometry of a board of R x C boxes, computed once for each size and shared.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use super::strings::AnyLayout;
use super::symmetry::SymmetryTable;
use super::{BoardError, Edge, Edges, Orientation, Symmetry};

/// The largest number of edges that a board can have.
pub const MAX_EDGES: usize = 180;

/// The largest number of boxes of a board with at most [`MAX_EDGES`] edges (9x9).
pub const MAX_BOXES: usize = 81;

/// The longest side of a board with at most [`MAX_EDGES`] edges, in boxes (1x59).
const MAX_SIDE: usize = 59;

/// A board of `rows` x `cols` boxes. It is a handle to the shared geometry of its size and cheap to
/// copy.
///
/// ```
/// use doublecross_core::board::Board;
/// let board = Board::new(5, 5)?;
/// assert_eq!((board.edges(), board.boxes()), (60, 25));
/// assert_eq!(board.sides(0).len(), 4);
/// assert_eq!(board.to_string(), "5x5");
/// assert!(Board::new(9, 10).is_err());
/// # Ok::<(), doublecross_core::board::BoardError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Board(&'static Geometry);

struct Geometry {
    rows: usize,
    cols: usize,
    all: Edges,
    /// The orientation, row and column of each edge: a division takes longer than to look them up.
    coordinates: [(Orientation, u8, u8); MAX_EDGES],
    /// The boxes beside each edge, and how many of the two places are in use.
    neighbors: [([u8; 2], u8); MAX_EDGES],
    sides: [Edges; MAX_BOXES],
    /// Pairs of edges that belong to the same box and to no other, which makes them interchangeable
    /// (docs/strategy.md, section 12).
    twins: Vec<(Edge, Edge)>,
    symmetries: SymmetryTable,
    layout: AnyLayout,
}

static BOARDS: [[OnceLock<Board>; MAX_SIDE]; MAX_SIDE] = [const { [const { OnceLock::new() }; MAX_SIDE] }; MAX_SIDE];

impl Board {
    /// Returns the board of `rows` x `cols` boxes.
    ///
    /// # Errors
    /// Returns an error if a side is 0 or the board has more than [`MAX_EDGES`] edges.
    pub fn new(rows: usize, cols: usize) -> Result<Board, BoardError> {
        if rows == 0 || cols == 0 {
            return Err(BoardError::Empty { rows, cols });
        }
        if rows > MAX_SIDE || cols > MAX_SIDE || 2 * rows * cols + rows + cols > MAX_EDGES {
            return Err(BoardError::TooLarge { rows, cols });
        }
        let slot = &BOARDS[rows - 1][cols - 1];
        // There are 311 sizes, so the leaked memory is bounded.
        Ok(*slot.get_or_init(|| Board(Box::leak(Box::new(Geometry::new(rows, cols))))))
    }

    /// Returns the number of rows of boxes.
    pub fn rows(self) -> usize {
        self.0.rows
    }

    /// Returns the number of columns of boxes.
    pub fn cols(self) -> usize {
        self.0.cols
    }

    /// Returns the number of edges.
    pub fn edges(self) -> usize {
        self.0.all.len()
    }

    /// Returns the number of boxes.
    pub fn boxes(self) -> usize {
        self.0.rows * self.0.cols
    }

    /// Returns all edges of the board.
    pub const fn all(self) -> Edges {
        self.0.all
    }

    /// Returns the edge `H(row, col)`, with `row` in `0..=rows` and `col` in `0..cols`, or `None`
    /// if it is off the board.
    pub fn horizontal(self, row: usize, col: usize) -> Option<Edge> {
        (row <= self.0.rows && col < self.0.cols).then(|| Edge::new(row * self.0.cols + col))
    }

    /// Returns the edge `V(row, col)`, with `row` in `0..rows` and `col` in `0..=cols`, or `None`
    /// if it is off the board.
    pub fn vertical(self, row: usize, col: usize) -> Option<Edge> {
        let (rows, cols) = (self.0.rows, self.0.cols);
        (row < rows && col <= cols).then(|| Edge::new((rows + 1) * cols + row * (cols + 1) + col))
    }

    /// Returns the edge of this orientation at (row, col), or `None` if it is off the board.
    pub fn edge(self, orientation: Orientation, row: usize, col: usize) -> Option<Edge> {
        match orientation {
            Orientation::Horizontal => self.horizontal(row, col),
            Orientation::Vertical => self.vertical(row, col),
        }
    }

    /// Returns the orientation, row and column of an edge of this board.
    pub fn coordinates(self, edge: Edge) -> (Orientation, usize, usize) {
        let (orientation, row, col) = self.0.coordinates[edge.index()];
        (orientation, row as usize, col as usize)
    }

    /// Returns the one or two boxes beside an edge. Box (r, c) is `r * cols + c`.
    pub fn boxes_of(self, edge: Edge) -> &'static [u8] {
        let (boxes, count) = &self.0.neighbors[edge.index()];
        &boxes[..*count as usize]
    }

    /// Returns the four sides of box (r, c) = `r * cols + c`.
    ///
    /// # Panics
    /// Panics if the board has no such box.
    pub fn sides(self, box_index: usize) -> Edges {
        assert!(box_index < self.boxes(), "the {self} board has no box {box_index}");
        self.0.sides[box_index]
    }

    /// Returns the pairs of interchangeable edges at the corners: both border edges of one box.
    pub fn twins(self) -> &'static [(Edge, Edge)] {
        &self.0.twins
    }

    /// Returns the symmetries of the board, the identity first: 8 for a square, 4 for any other
    /// board.
    pub fn symmetries(self) -> impl ExactSizeIterator<Item = Symmetry> {
        (0..self.0.symmetries.len()).map(move |index| Symmetry::new(self, index))
    }

    /// Returns the number of the [bytes](Edges::to_bytes) of a set of edges that files hold: 8, 16
    /// or 24, where the others are 0.
    pub fn edge_bytes(self) -> usize {
        self.edges().div_ceil(64) * 8
    }

    /// Returns the layout of the board's edges in strings.
    pub(super) fn layout(self) -> &'static AnyLayout {
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
        let mut coordinates = [(Orientation::Horizontal, 0, 0); MAX_EDGES];
        for r in 0..=rows {
            for c in 0..=cols {
                if c < cols {
                    coordinates[horizontal(r, c).index()] = (Orientation::Horizontal, r as u8, c as u8);
                }
                if r < rows {
                    coordinates[vertical(r, c).index()] = (Orientation::Vertical, r as u8, c as u8);
                }
            }
        }
        let mut sides = [Edges::EMPTY; MAX_BOXES];
        let mut neighbors = [([0; 2], 0); MAX_EDGES];
        for r in 0..rows {
            for c in 0..cols {
                let b = r * cols + c;
                for side in [horizontal(r, c), horizontal(r + 1, c), vertical(r, c), vertical(r, c + 1)] {
                    sides[b].insert(side);
                    let (boxes, count): &mut ([u8; 2], u8) = &mut neighbors[side.index()];
                    boxes[*count as usize] = b as u8;
                    *count += 1;
                }
            }
        }
        let mut twins = Vec::new();
        for box_sides in sides {
            let border: Vec<Edge> = box_sides.iter().filter(|e| neighbors[e.index()].1 == 1).collect();
            for (i, &low) in border.iter().enumerate() {
                twins.extend(border[i + 1..].iter().map(|&high| (low, high)));
            }
        }
        Geometry {
            rows,
            cols,
            all: Edges::first(2 * rows * cols + rows + cols),
            coordinates,
            neighbors,
            sides,
            symmetries: SymmetryTable::new(rows, cols, &twins),
            twins,
            layout: AnyLayout::new(rows, cols),
        }
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        // There is one geometry for each size.
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

/// Writes rows x columns, such as `5x5`.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows(), self.cols())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_the_numbering_of_arenas() {
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
    fn every_size_of_at_most_180_edges_exists() {
        let mut sizes = 0;
        for rows in 1..=64 {
            for cols in 1..=64 {
                let small = 2 * rows * cols + rows + cols <= 180;
                let board = Board::new(rows, cols);
                assert_eq!(board.is_ok(), small, "{rows}x{cols}");
                let Ok(board) = board else { continue };
                sizes += 1;
                assert!(board.boxes() <= MAX_BOXES);
                assert_eq!(board.edges(), 2 * rows * cols + rows + cols);
                // Every box has four sides, every edge belongs to one or two boxes.
                let sides: usize = (0..board.boxes()).map(|b| board.sides(b).len()).sum();
                let boxes: usize = board.all().iter().map(|e| board.boxes_of(e).len()).sum();
                assert_eq!((sides, boxes), (4 * board.boxes(), 4 * board.boxes()));
            }
        }
        assert_eq!(sizes, 311);
        assert!(Board::new(0, 3).is_err());
        assert!(Board::new(usize::MAX, 2).is_err());
    }

    #[test]
    fn corner_twins_of_wide_and_narrow_boards() {
        assert_eq!(Board::new(5, 5).unwrap().twins().len(), 4);
        // Each end box of 1x3 has three border edges, any two of which are interchangeable. The
        // middle box has two.
        assert_eq!(Board::new(1, 3).unwrap().twins().len(), 7);
        assert_eq!(Board::new(1, 1).unwrap().twins().len(), 6);
    }
}
