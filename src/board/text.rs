//! Text forms of boards, positions and games.
//!
//! * a board: `5x5`;
//! * a position: `RxC:0xMASK`, where bit i of the mask says that edge i is drawn, or a bare `RxC` for the empty board;
//! * an edge: `H2,3` or `V0,5`, row then column;
//! * a game: the board and its moves, as in `2x2 H0,0 V1,2 H1,1`.

use std::fmt;

use super::{Board, BoardError, Edge, Edges, MoveError, Orientation, Position};

/// Reads `RxC`.
///
/// # Errors
/// When the text is not two numbers around an `x`, or there is no such board.
///
/// ```
/// use doublecross::board::parse_board;
/// assert_eq!(parse_board("4x6")?.edges(), 58);
/// assert!(parse_board("4by6").is_err());
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
pub fn parse_board(text: &str) -> Result<Board, TextError> {
    let bad = || TextError::Board { text: text.into() };
    let (rows, cols) = text.split_once('x').ok_or_else(bad)?;
    let side = |digits: &str| number(digits).ok_or_else(bad);
    Board::new(side(rows)?, side(cols)?).map_err(TextError::Size)
}

/// Reads `RxC:0xMASK`, or `RxC` for the empty board.
///
/// # Errors
/// When the board or the mask cannot be read, or the mask has a bit that is not an edge.
///
/// ```
/// use doublecross::board::{format_edges, parse_edges};
/// let (board, drawn) = parse_edges("2x2:0x81f")?;
/// assert_eq!(drawn.len(), 6);
/// assert_eq!(format_edges(board, drawn), "2x2:0x81f");
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
pub fn parse_edges(text: &str) -> Result<(Board, Edges), TextError> {
    let Some((board, mask)) = text.split_once(':') else {
        return Ok((parse_board(text)?, Edges::EMPTY));
    };
    let board = parse_board(board)?;
    let bad = || TextError::Mask { text: mask.into(), board };
    let digits = mask.strip_prefix("0x").ok_or_else(bad)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(bad());
    }
    let drawn = Edges(u64::from_str_radix(digits, 16).map_err(|_| bad())?);
    if !drawn.difference(board.all()).is_empty() {
        return Err(bad());
    }
    Ok((board, drawn))
}

/// Writes `RxC:0xMASK`.
pub fn format_edges(board: Board, drawn: Edges) -> String {
    format!("{board}:{:#x}", drawn.0)
}

/// Reads an edge such as `H2,3`.
///
/// # Errors
/// When the text is not of that form or names an edge off the board.
pub fn parse_edge(board: Board, text: &str) -> Result<Edge, TextError> {
    let read = || {
        let (orientation, rest) = match text.strip_prefix('H') {
            Some(rest) => (Orientation::Horizontal, rest),
            None => (Orientation::Vertical, text.strip_prefix('V')?),
        };
        let (row, col) = rest.split_once(',')?;
        board.edge(orientation, number(row)?, number(col)?)
    };
    read().ok_or_else(|| TextError::Edge { text: text.into(), board })
}

/// Writes an edge as [`parse_edge`] reads it.
pub fn format_edge(board: Board, edge: Edge) -> String {
    let (orientation, row, col) = board.coordinates(edge);
    format!("{}{row},{col}", orientation.letter())
}

/// Reads a board and its moves, as in `2x2 H0,0 V1,2`, and plays them.
///
/// # Errors
/// When the board or a move cannot be read, or a move is illegal.
///
/// ```
/// use doublecross::board::parse_game;
/// let position = parse_game("1x1 H0,0 H1,0 V0,0 V0,1")?;
/// assert_eq!(position.scores(), [0, 1]);
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
pub fn parse_game(text: &str) -> Result<Position, TextError> {
    let mut words = text.split_ascii_whitespace();
    let board = parse_board(words.next().unwrap_or_default())?;
    let mut position = Position::new(board);
    for (index, word) in words.enumerate() {
        let edge = parse_edge(board, word)?;
        position.play(edge).map_err(|error| TextError::Move { index, error })?;
    }
    Ok(position)
}

/// A plain decimal number, without the sign that `str::parse` would let through.
fn number(text: &str) -> Option<usize> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Why a text is not a board, position, edge or game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// Not of the form `RxC`.
    Board {
        /// What was given.
        text: String,
    },
    /// A board that cannot be.
    Size(BoardError),
    /// Not `0x` and hexadecimal digits, or a bit that is not an edge.
    Mask {
        /// What was given.
        text: String,
        /// The board it was given for.
        board: Board,
    },
    /// Not an edge of the board.
    Edge {
        /// What was given.
        text: String,
        /// The board it was given for.
        board: Board,
    },
    /// A move of a game that cannot be played.
    Move {
        /// Which move, from 0.
        index: usize,
        /// Why not.
        error: MoveError,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Board { text } => {
                write!(f, "board {text:?} is not of the form RxC; expected rows x columns of boxes, as in 5x5")
            }
            TextError::Size(error) => error.fmt(f),
            TextError::Mask { text, board } => write!(
                f,
                "mask {text:?} is not a set of edges of the {board} board; expected 0x and hexadecimal digits for {} bits",
                board.edges()
            ),
            TextError::Edge { text, board } => {
                write!(f, "{text:?} is not an edge of the {board} board; expected H or V with row,column, as in H0,0")
            }
            TextError::Move { index, error } => write!(f, "move {}: {error}", index + 1),
        }
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_texts_are_errors_that_say_what_was_expected() {
        for text in ["", "x", "5", "5x", "x5", "5x5x5", "-1x2", "+1x2", "5x5 ", "99999999999999999999x1", "é"] {
            assert!(parse_board(text).is_err(), "{text:?}");
        }
        for text in ["2x2:", "2x2:0x", "2x2:81f", "2x2:0x1000", "2x2:0xg", "2x2:0x+1", "5x5:0x11112222333344445"] {
            assert!(parse_edges(text).is_err(), "{text:?}");
        }
        for text in ["", "2x2 H0,2", "2x2 V2,0", "2x2 h0,0", "2x2 H00", "2x2 H0,0 H0,0"] {
            assert!(parse_game(text).is_err(), "{text:?}");
        }
        let message = parse_edges("2x2:0x1000").unwrap_err().to_string();
        assert!(message.contains("0x1000") && message.contains("2x2") && message.contains("12 bits"), "{message}");
        assert_eq!(
            parse_game("2x2 H0,0 H0,0").unwrap_err().to_string(),
            "move 2: edge H0,0 is already drawn; an undrawn edge was expected"
        );
    }

    proptest! {
        #[test]
        fn positions_survive_their_text(rows in 1..6usize, cols in 1..6usize, word: u64) {
            let board = Board::new(rows, cols).unwrap();
            let drawn = Edges(word).intersection(board.all());
            prop_assert_eq!(parse_edges(&format_edges(board, drawn)), Ok((board, drawn)));
        }

        #[test]
        fn no_text_panics(text in "[0-9xHV:, a-f]{0,24}") {
            let _ = parse_edges(&text);
            let _ = parse_game(&text);
        }
    }
}
