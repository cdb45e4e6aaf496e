//! The books that are built into the program: logs of proofs, in the repository's folder `books/`.
//!
//! The module uses [`board`](crate::board), [`solver`](crate::solver) and [`proof`](crate::proof).

use std::sync::{Arc, LazyLock};

use crate::board::Board;
use crate::proof::{LemmaSet, Origin, parse_lemma};
use crate::solver::Book;

/// The logs. A log whose lines are all comments is an empty book.
static LOGS: [((usize, usize), &str); 1] = [((5, 5), include_str!("../books/5x5.log"))];

/// The books, read when they are first asked for.
static BOOKS: LazyLock<Vec<Arc<Book>>> = LazyLock::new(|| {
    let book = |lemmas: LemmaSet| lemmas.to_book().expect("lemmas of a log should make a book");
    built_in_lemmas().map(|lemmas| Arc::new(book(lemmas))).collect()
});

/// Returns the built-in books, each of another board.
pub fn built_in_books() -> &'static [Arc<Book>] {
    &BOOKS
}

/// Returns the built-in book of a board, or `None` if there is none.
pub fn built_in_book(board: Board) -> Option<&'static Arc<Book>> {
    BOOKS.iter().find(|book| book.board() == board)
}

/// Returns the lemmas of the built-in books, with the nodes of their proofs.
pub fn built_in_lemmas() -> impl Iterator<Item = LemmaSet> {
    LOGS.iter().map(|&((rows, cols), log)| read(rows, cols, log))
}

/// Reads a log that is built into the program, all of which a test has read before.
fn read(rows: usize, cols: usize, log: &str) -> LemmaSet {
    let mut lemmas = LemmaSet::new(Board::new(rows, cols).expect("there should be such a board"));
    let name = format!("books/{rows}x{cols}.log").into();
    for (line, text) in (1..).zip(log.lines()).filter(|(_, text)| !text.starts_with('#')) {
        let lemma = parse_lemma(text).expect("each line should be a lemma");
        let origin = Origin { log: std::sync::Arc::clone(&name), line };
        lemmas.add(&lemma, &origin).expect("the lemmas should agree");
    }
    lemmas
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
