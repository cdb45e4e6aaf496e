//! Games as the page's addresses hold them: the board, a slash, and two base-36 digits for each move.

use thiserror::Error;

use doublecross_core::board::{Board, Edge, MoveError, Position, TextError};
use doublecross_core::shell::shell_word;

/// The base of the numbers.
const BASE: u32 = 36;

/// An error in the text of a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FragmentError {
    /// There is no slash.
    #[error("{} is not a board, a slash and moves (as in 5x5/000f13)", shell_word(.0))]
    Form(String),
    /// The board cannot be read.
    #[error(transparent)]
    Board(TextError),
    /// The moves are not pairs of base-36 digits.
    #[error("its moves {} are not pairs of digits and lower-case letters", shell_word(.0))]
    Digits(String),
    /// A move is no edge of the board.
    #[error("move {number}: {board} has no edge {index}")]
    NoEdge {
        /// The number of the move, from 1 on.
        number: usize,
        /// The index of the edge.
        index: u32,
        /// The board.
        board: Board,
    },
    /// A move cannot be played.
    #[error("move {number}: {error}")]
    Move {
        /// The number of the move, from 1 on.
        number: usize,
        /// The reason.
        error: MoveError,
    },
}

/// Returns a game as text.
pub(super) fn to_fragment(board: Board, moves: &[Edge]) -> String {
    let digit = |value: usize| char::from_digit(value as u32, BASE).unwrap_or('?');
    let digits = moves.iter().flat_map(|edge| [edge.index() / BASE as usize, edge.index() % BASE as usize]);
    format!("{board}/{}", digits.map(digit).collect::<String>())
}

/// Returns the moves of a game in a text, and the position that they lead to.
pub(super) fn parse_fragment(text: &str) -> Result<(Vec<Edge>, Position), FragmentError> {
    let (board, digits) = text.split_once('/').ok_or_else(|| FragmentError::Form(text.into()))?;
    let mut position = Position::new(board.parse().map_err(FragmentError::Board)?);
    let invalid = || FragmentError::Digits(digits.into());
    let digit = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' => (byte as char).to_digit(BASE).ok_or_else(invalid),
        _ => Err(invalid()),
    };
    let mut moves = Vec::new();
    for pair in digits.as_bytes().chunks(2) {
        let &[high, low] = pair else { return Err(invalid()) };
        let (number, index, board) = (moves.len() + 1, digit(high)? * BASE + digit(low)?, position.board());
        let edge = board.all().iter().nth(index as usize);
        let edge = edge.ok_or(FragmentError::NoEdge { number, index, board })?;
        position.play(edge).map_err(|error| FragmentError::Move { number, error })?;
        moves.push(edge);
    }
    Ok((moves, position))
}

#[cfg(test)]
mod tests {
    use super::super::tests::any_position;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn games_are_read_as_they_were_written((moves, position) in any_position(24)) {
            let text = to_fragment(position.board(), &moves);
            prop_assert_eq!(parse_fragment(&text), Ok((moves, position)));
        }

        #[test]
        fn parsing_never_panics(text in "([1-9]x[1-9]/)?[0-9a-zA-Z/é]{0,24}") {
            let _ = parse_fragment(&text);
        }
    }

    #[test]
    fn the_form_is_that_of_the_page() {
        // As notation.js has it: edge 39 is "13" in base 36.
        let (moves, position) = parse_fragment("5x5/000f13").unwrap();
        assert_eq!(moves.iter().map(|edge| edge.index()).collect::<Vec<_>>(), [0, 15, 39]);
        assert_eq!(position.drawn().len(), 3);
    }

    #[test]
    fn faults_are_told_apart() {
        let error = |text: &str| parse_fragment(text).unwrap_err();
        assert!(matches!(error("5x5"), FragmentError::Form(_)));
        assert!(matches!(error("0x5/"), FragmentError::Board(TextError::Size(_))));
        assert!(matches!(error("5x5/0"), FragmentError::Digits(_)));
        assert!(matches!(error("5x5/0F"), FragmentError::Digits(_)));
        assert!(matches!(error("5x5/zz"), FragmentError::NoEdge { number: 1, index: 1295, .. }));
        assert!(matches!(error("5x5/0000"), FragmentError::Move { number: 2, error: MoveError::Drawn { .. } }));
    }
}
