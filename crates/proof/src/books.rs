//! Books of proved positions, read from logs of proofs.

use std::sync::Arc;

use doublecross_core::board::Board;
use doublecross_core::solver::Book;

use crate::{LemmaSet, LineError, Origin, parse_lemma};

/// Books of different boards.
///
/// ```
/// use doublecross_proof::Books;
/// assert!(Books::default().of("5x5".parse()?).is_none());
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Books(Arc<[Arc<Book>]>);

impl Books {
    /// Returns the books of these sets of lemmas.
    ///
    /// # Panics
    /// Panics if the lemmas of a set contradict each other.
    pub fn new(lemmas: impl IntoIterator<Item = LemmaSet>) -> Books {
        let book = |lemmas: LemmaSet| Arc::new(lemmas.to_book().expect("lemmas of a log should make a book"));
        Books(lemmas.into_iter().map(book).collect())
    }

    /// Returns the book of a board, or `None` if there is none.
    pub fn of(&self, board: Board) -> Option<&Arc<Book>> {
        self.0.iter().find(|book| book.board() == board)
    }

    /// Returns the books.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Book>> {
        self.0.iter()
    }
}

/// Reads the text of a log that is part of a program. A line that begins with `#` is a comment.
///
/// # Errors
/// Returns an error if a line is not a lemma.
///
/// # Panics
/// Panics if the lemmas contradict each other.
pub fn parse_lemmas(board: Board, name: &str, text: &str) -> Result<LemmaSet, LineError> {
    let mut lemmas = LemmaSet::new(board);
    let name: Arc<str> = name.into();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.starts_with('#')) {
        let origin = Origin { log: Arc::clone(&name), line };
        lemmas.add(&parse_lemma(text)?, &origin).expect("the lemmas should agree");
    }
    Ok(lemmas)
}
