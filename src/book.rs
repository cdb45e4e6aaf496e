//! The books that are built into the program: logs of proofs, in the repository's folder `books/`.
//!
//! The module uses [`board`](crate::board), [`solver`](crate::solver) and [`proof`](crate::proof).

use std::sync::{Arc, LazyLock};

use crate::board::Board;
use crate::proof::parse_lemma;
use crate::solver::{Book, Lemma};

/// The logs. A log whose lines are all comments is an empty book.
static LOGS: [((usize, usize), &str); 1] = [((5, 5), include_str!("../books/5x5.log"))];

/// The books, read when they are first asked for.
static BOOKS: LazyLock<Vec<Arc<Book>>> = LazyLock::new(|| {
    LOGS.iter().map(|&((rows, cols), log)| Arc::new(read(rows, cols, log))).collect()
});

/// Returns the built-in books, each of another board.
pub fn built_in_books() -> &'static [Arc<Book>] {
    &BOOKS
}

/// Returns the built-in book of a board, or `None` if there is none.
pub fn built_in_book(board: Board) -> Option<&'static Arc<Book>> {
    BOOKS.iter().find(|book| book.board() == board)
}

/// Reads a log that is built into the program, all of which a test has read before.
fn read(rows: usize, cols: usize, log: &str) -> Book {
    let lines = log.lines().filter(|line| !line.starts_with('#'));
    let lemmas = lines.map(|line| parse_lemma(line).expect("each line should be a lemma"));
    let board = Board::new(rows, cols).expect("there should be such a board");
    Book::new(board, lemmas.collect::<Vec<Lemma>>()).expect("the lemmas should be of the board and agree")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_log_is_a_book() {
        for ((rows, cols), log) in LOGS {
            let board = Board::new(rows, cols).unwrap();
            let book = built_in_book(board).unwrap();
            assert!(!book.is_empty() && book.len() <= log.lines().count());
        }
        assert_eq!(built_in_books().len(), LOGS.len());
        assert!(built_in_book(Board::new(2, 3).unwrap()).is_none());
    }
}
