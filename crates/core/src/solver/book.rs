//! The book: what is proved of positions of a board before any search.

use std::fmt;

use crate::board::{Board, BoardError, Edges, State};
use crate::mix::checksum;

use super::{Bounds, Lemma, SolverHandle};

/// Proved bounds of capture-free states of one board, which symmetries and corner twins make the
/// same.
///
/// ```
/// use doublecross_core::solver::{Book, Bounds, Lemma};
/// let state = "2x2".parse()?;
/// let lemma = Lemma { state, bounds: Bounds::exact(2), nodes: 30 };
/// let book = Book::new(Board::new(2, 2)?, [lemma])?;
/// assert_eq!(book.bounds(state).margin(), Some(2));
/// // One edge further, nothing is known but the number of open boxes.
/// assert_eq!(book.bounds("2x2:0x1".parse()?), Bounds::new(-4, 4));
/// assert_eq!(Book::from_bytes(&book.to_bytes())?, book);
/// # use doublecross_core::board::Board;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    board: Board,
    /// Canonical states in the order of their drawn edges, each once.
    entries: Vec<(Edges, Bounds)>,
}

/// The first bytes of a book's binary form.
const MAGIC: [u8; 8] = *b"DXBOOK01";

/// The bytes before the entries: the magic, the rows, the columns and the number of entries.
const HEAD: usize = MAGIC.len() + 1 + 1 + 4;

/// An error of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookError {
    /// A lemma is of another board, or has boxes on offer.
    State {
        /// The state of the lemma.
        state: State,
        /// The board of the book.
        board: Board,
    },
    /// Bounds that no margin of the state lies between, in one lemma or in several together.
    Bounds {
        /// The state.
        state: State,
        /// The bounds.
        bounds: Bounds,
    },
    /// The bytes are not a book, or are damaged.
    Bytes,
    /// The bytes are of a board that cannot exist.
    Board(BoardError),
}

// The core has no dependencies, so its errors are written out by hand.
impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::State { state, board } => {
                write!(f, "{state} cannot stand in the book: it is not of {board}, or has a box that can be taken")
            }
            BookError::Bounds { state, bounds: Bounds { lower, upper } } => {
                write!(f, "{state}: its bounds contradict each other: no margin is from {lower} to {upper}")
            }
            BookError::Bytes => write!(f, "the bytes are not a book, or are damaged"),
            BookError::Board(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BookError {}

impl Book {
    /// The number of safe edges from which a solver looks positions up in a book. With fewer, as at
    /// the leaves of a search, they take so little that looks into the book would not pay.
    pub const LEAST_SAFE: usize = 15;

    /// Creates a book of lemmas. Of several lemmas of a position all bounds hold.
    ///
    /// # Errors
    /// Returns an error if a lemma is of another board, has boxes on offer, or is false by itself
    /// or by another one.
    pub fn new(board: Board, lemmas: impl IntoIterator<Item = Lemma>) -> Result<Book, BookError> {
        let mut entries = Vec::new();
        for Lemma { state, bounds, .. } in lemmas {
            if state.board() != board || !state.is_capture_free() {
                return Err(BookError::State { state, board });
            }
            if !is_possible(state, bounds) {
                return Err(BookError::Bounds { state, bounds });
            }
            entries.push((state.canonical().0.drawn(), bounds));
        }
        entries.sort_by_key(|&(drawn, _)| drawn);
        let mut merged: Vec<(Edges, Bounds)> = Vec::new();
        for (drawn, bounds) in entries {
            match merged.last_mut().filter(|(last, _)| *last == drawn) {
                Some((_, known)) => *known = known.intersect(bounds),
                None => merged.push((drawn, bounds)),
            }
        }
        for &(drawn, bounds) in &merged {
            if bounds.lower > bounds.upper {
                return Err(BookError::Bounds { state: State::from_drawn(board, drawn), bounds });
            }
        }
        merged.shrink_to_fit();
        Ok(Book { board, entries: merged })
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the positions with their bounds, in a fixed order. The nodes of their proofs are not
    /// known.
    pub fn lemmas(&self) -> impl Iterator<Item = Lemma> + '_ {
        let lemma = |(index, &(_, bounds))| Lemma { state: self.state(index), bounds, nodes: 0 };
        self.entries.iter().enumerate().map(lemma)
    }

    /// Returns a position by its number, below [`len`](Book::len), in the same order.
    ///
    /// # Panics
    /// Panics if there is no such number.
    pub fn state(&self, number: usize) -> State {
        State::from_drawn(self.board, self.entries[number].0)
    }

    /// Returns the bounds of the margin of any state. Boxes on offer are resolved first. Of a state
    /// that is not in the book only the bounds by the number of open boxes are known.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn bounds(&self, state: State) -> Bounds {
        let offer = state.offer();
        let rest = self.entry(offer.rest).unwrap_or_else(|| Bounds::of_state(offer.rest));
        offer.bounds(rest).intersect(Bounds::of_state(state))
    }

    /// Returns `true` if the state that is left when all boxes on offer are taken is in the book.
    ///
    /// # Panics
    /// Panics if the state is of another board.
    pub fn contains(&self, state: State) -> bool {
        self.entry(state.offer().rest).is_some()
    }

    /// Returns the bounds of a capture-free state in the book.
    fn entry(&self, state: State) -> Option<Bounds> {
        assert!(state.board() == self.board, "{state} is not a state of the {} board", self.board);
        let drawn = state.canonical().0.drawn();
        let found = self.entries.binary_search_by_key(&drawn, |&(drawn, _)| drawn);
        found.ok().map(|index| self.entries[index].1)
    }

    /// Returns the binary form: the bytes `DXBOOK01`, the rows and the columns (u8), the number of
    /// positions (u32), the drawn edges ([`Board::edge_bytes`]) with the lower and the upper bound (i8) of each, and
    /// a checksum (u64), all little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // No board has so many rows or boxes that these do not fit.
        bytes.extend([self.board.rows() as u8, self.board.cols() as u8]);
        bytes.extend((self.entries.len() as u32).to_le_bytes());
        for (drawn, Bounds { lower, upper }) in &self.entries {
            drawn.write(self.board, &mut bytes);
            bytes.extend([*lower as i8 as u8, *upper as i8 as u8]);
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the binary form.
    ///
    /// # Errors
    /// Returns an error if the bytes are damaged or something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(BookError::Bytes)?;
        if body.len() < HEAD || !body.starts_with(&MAGIC) || checksum(body).to_le_bytes() != *sum {
            return Err(BookError::Bytes);
        }
        let (head, entries) = body.split_at(HEAD);
        let board = Board::new(head[8] as usize, head[9] as usize).map_err(BookError::Board)?;
        let count = u32::from_le_bytes([head[10], head[11], head[12], head[13]]);
        let entry_length = board.edge_bytes() + 2;
        if entries.len() as u64 != u64::from(count) * entry_length as u64 {
            return Err(BookError::Bytes);
        }
        let mut lemmas = Vec::new();
        for entry in entries.chunks_exact(entry_length) {
            let (drawn, bounds) = entry.split_at(board.edge_bytes());
            let state = State::checked(board, Edges::from_bytes(drawn)).ok_or(BookError::Bytes)?;
            let bounds = Bounds::new(bounds[0] as i8 as i32, bounds[1] as i8 as i32);
            lemmas.push(Lemma { state, bounds, nodes: 0 });
        }
        Book::new(board, lemmas)
    }
}

/// Returns `true` if these are bounds of a margin of the state.
fn is_possible(state: State, bounds: Bounds) -> bool {
    let boxes = state.open_boxes() as i32;
    let is_margin = |bound: i32| (-boxes..=boxes).contains(&bound) && (bound ^ boxes) & 1 == 0;
    is_margin(bounds.lower) && is_margin(bounds.upper) && bounds.lower <= bounds.upper
}

impl SolverHandle {
    /// Makes the solvers rely on a book from now on, in positions with many safe edges, under all
    /// symmetries.
    ///
    /// # Panics
    /// Panics if the book is of another board.
    pub fn add_book(&self, book: &Book) {
        for lemma in book.lemmas().filter(|lemma| lemma.state.safe_edges().len() >= Book::LEAST_SAFE) {
            for symmetry in book.board().symmetries() {
                self.add_lemma(&Lemma { state: lemma.state.image(symmetry), ..lemma });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::any_capture_free;
    use super::*;
    use crate::solver::Solver;
    use proptest::prelude::*;

    fn state(text: &str) -> State {
        text.parse().unwrap()
    }

    fn lemma(text: &str, lower: i32, upper: i32) -> Lemma {
        Lemma { state: state(text), bounds: Bounds::new(lower, upper), nodes: 1 }
    }

    /// A book of these capture-free states and of what took at least so many nodes in solving them.
    fn book_of(board: Board, states: &[State], nodes: u64) -> Book {
        let mut solver = Solver::new(board, 1 << 16);
        solver.handle().keep_lemmas(nodes);
        let mut lemmas = Vec::new();
        for &state in states {
            let margin = solver.margin(state, u64::MAX).unwrap();
            lemmas.extend(solver.handle().take_lemmas());
            lemmas.push(Lemma { state, bounds: Bounds::exact(margin), nodes: 0 });
        }
        Book::new(board, lemmas).unwrap()
    }

    #[test]
    fn lemmas_that_cannot_be_true_are_refused() {
        let board = Board::new(2, 2).unwrap();
        let error = |lemmas: &[Lemma]| Book::new(board, lemmas.iter().copied()).unwrap_err();
        assert_eq!(error(&[lemma("2x3", 0, 0)]), BookError::State { state: state("2x3"), board });
        assert!(matches!(error(&[lemma("2x2:0x45", 0, 0)]), BookError::State { .. }));
        for (lower, upper) in [(1, 3), (2, 0), (-6, 0), (0, 6), (i32::MIN, i32::MAX)] {
            assert!(matches!(error(&[lemma("2x2", lower, upper)]), BookError::Bounds { .. }), "{lower} {upper}");
        }
        // The other edge of the corner says the opposite.
        let both = [lemma("2x2:0x1", -4, 0), lemma("2x2:0x40", 2, 4)];
        assert!(matches!(error(&both), BookError::Bounds { bounds: Bounds { lower: 2, upper: 0 }, .. }));
    }

    #[test]
    fn bounds_of_a_position_are_those_of_all_its_lemmas_and_images() {
        let book = Book::new(state("2x2").board(), [lemma("2x2:0x1", -4, 0), lemma("2x2:0x2", -2, 4)]).unwrap();
        assert_eq!((book.len(), book.is_empty()), (1, false));
        for image in ["2x2:0x1", "2x2:0x40", "2x2:0x2", "2x2:0x10"] {
            assert_eq!(book.bounds(state(image)), Bounds::new(-2, 0), "{image}");
            assert!(book.contains(state(image)));
        }
        assert!(!book.contains(state("2x2")) && !book.contains(state("2x2:0x4")));
    }

    #[test]
    fn bounds_hold_with_boxes_on_offer() {
        let board = Board::new(3, 3).unwrap();
        let book = book_of(board, &[State::new(board)], 20);
        assert!(book.len() > 100, "{}", book.len());
        let mut solver = Solver::new(board, 1 << 16);
        let mut with_offers = 0;
        for lemma in book.lemmas() {
            for edge in lemma.state.undrawn() {
                let before = State::from_undrawn(board, lemma.state.undrawn().with(edge));
                for state in [lemma.state.after(edge), before] {
                    let margin = solver.margin(state, u64::MAX).unwrap();
                    assert!(book.bounds(state).contains(margin), "{state}: {:?} {margin}", book.bounds(state));
                    with_offers += (book.contains(state) && !state.is_capture_free()) as usize;
                }
            }
        }
        assert!(with_offers > 100, "{with_offers}");
    }

    /// A book changes no answer of a solver, and saves the search of what is in it.
    #[test]
    fn answers_are_the_same_with_a_book() {
        let board = Board::new(3, 3).unwrap();
        let starts = [State::new(board), state("3x3:0x1"), state("3x3:0x8")];
        let book = book_of(board, &starts, 5);
        for start in starts {
            for edges in start.equivalent_edges() {
                for edge in edges {
                    let state = start.after(edge);
                    let mut plain = Solver::new(board, 1 << 16);
                    let mut with_book = Solver::new(board, 1 << 16);
                    with_book.handle().add_book(&book);
                    let (expected, found) = (plain.solve(state, u64::MAX), with_book.solve(state, u64::MAX));
                    assert_eq!((expected.bounds, expected.best), (found.bounds, found.best), "{state}");
                    let mut fresh = Solver::new(board, 1 << 16);
                    fresh.handle().add_book(&book);
                    assert_eq!(plain.proved_edges(state, 0, 50_000), fresh.proved_edges(state, 0, 50_000), "{state}");
                }
            }
            let mut solver = Solver::new(board, 1 << 16);
            solver.handle().add_book(&book);
            let margin = solver.margin(start, 1).expect("it is in the book");
            assert_eq!((solver.nodes(), solver.handle().lemma_hits() > 0), (0, true));
            assert_eq!(Solver::new(board, 1 << 16).margin(start, u64::MAX), Some(margin));
        }
    }

    proptest! {
        /// A solver finds all images and twins of a position of the book without a node, early and
        /// late in the game.
        #[test]
        fn all_images_are_found(state in any_capture_free(), image: usize, lower in -2i32..=1, width in 0i32..2) {
            prop_assume!(state.safe_edges().len() >= Book::LEAST_SAFE);
            // Any bounds that are not wider than those of a graph in which short chains have
            // canceled.
            let lower = 2 * lower + (state.open_boxes() as i32 & 1);
            let bounds = Bounds::new(lower, lower + 2 * width);
            let board = state.board();
            let book = Book::new(board, [Lemma { state, bounds, nodes: 0 }]).unwrap();
            let symmetries: Vec<_> = board.symmetries().collect();
            let image = state.image(symmetries[image % symmetries.len()]);
            prop_assert_eq!(book.bounds(image.merge_twins()), bounds);
            let mut solver = Solver::new(board, 1 << 10);
            solver.handle().add_book(&book);
            for image in [image, image.merge_twins()] {
                prop_assert_eq!(solver.is_at_least(image, bounds.lower, 0), Some(true));
                prop_assert_eq!(solver.is_at_least(image, bounds.upper + 1, 0), Some(false));
                prop_assert_eq!(solver.nodes(), 0);
            }
        }

        #[test]
        fn books_survive_as_bytes(words in prop::collection::vec((any::<u64>(), 0i32..9), 0..20)) {
            let board = Board::new(4, 5).unwrap();
            let lemma = |&(word, upper): &(u64, i32)| {
                let drawn = Edges::from_bytes(&word.to_le_bytes()).intersection(board.all());
                let state = State::from_drawn(board, drawn).offer().rest;
                let boxes = state.open_boxes() as i32;
                Lemma { state, bounds: Bounds::new(-boxes, boxes - 2 * upper.min(boxes)), nodes: 0 }
            };
            let book = Book::new(board, words.iter().map(lemma)).unwrap();
            prop_assert_eq!(Book::from_bytes(&book.to_bytes()), Ok(book));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), is_sealed: bool) {
            let mut bytes = bytes;
            if is_sealed {
                bytes.splice(..bytes.len().min(MAGIC.len()), MAGIC);
                bytes.extend(checksum(&bytes).to_le_bytes());
            }
            let _ = Book::from_bytes(&bytes);
        }

        #[test]
        fn a_changed_byte_is_found(at: usize, byte: u8) {
            let book = Book::new(state("2x2").board(), [lemma("2x2:0x1", -4, 0)]).unwrap();
            let mut bytes = book.to_bytes();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            prop_assert!(Book::from_bytes(&bytes).is_err());
        }
    }
}
