//! Text forms of boards, states, edges and games (docs/rules.md).
//!
//! * A board is `5x5`.
//! * A state is `RxC:0xMASK`, where bit i of the mask is set if edge i is drawn, or a bare `RxC`
//!   for the empty board.
//! * An edge is `H2,3` or `V0,5`, row then column.
//! * A game is the board and its moves, as in `2x2 H0,0 V1,2 H1,1`. Moves may also be in the notations of players, as in
//!   `2x2 b5e2`, and a game of a square board in a link that ends with `#2,b5e2`.

use std::fmt;
use std::str::FromStr;

use super::lattice::parse_link;
use super::{Board, BoardError, Edge, Edges, MoveError, Orientation, Position, State};
use crate::shell::shell_word;

/// Parses `RxC`.
///
/// ```
/// use doublecross_core::board::Board;
/// let board: Board = "4x6".parse()?;
/// assert_eq!(board.edges(), 58);
/// assert!("4by6".parse::<Board>().is_err());
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
impl FromStr for Board {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Board, TextError> {
        let invalid = || TextError::Board { text: text.into() };
        let (rows, cols) = text.split_once('x').ok_or_else(invalid)?;
        let side = |digits: &str| number(digits).ok_or_else(invalid);
        Board::new(side(rows)?, side(cols)?).map_err(TextError::Size)
    }
}

/// Parses `RxC:0xMASK`, or `RxC` for the empty board.
impl FromStr for State {
    type Err = TextError;

    fn from_str(text: &str) -> Result<State, TextError> {
        match text.split_once(':') {
            None => Ok(State::new(text.parse()?)),
            Some((board, mask)) => {
                let board: Board = board.parse()?;
                Ok(State::from_drawn(board, board.parse_edges(mask)?))
            }
        }
    }
}

/// Writes `RxC:0xMASK`.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:#x}", self.board(), self.drawn())
    }
}

/// Writes the set as a hexadecimal mask, in which bit i is set if the set contains edge i.
impl fmt::LowerHex for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let highest = self.0.iter().rposition(|&word| word != 0).unwrap_or(0);
        if highest == 0 {
            return fmt::LowerHex::fmt(&self.0[0], f);
        }
        let mut digits = format!("{:x}", self.0[highest]);
        for word in self.0[..highest].iter().rev() {
            digits += &format!("{word:016x}");
        }
        f.pad_integral(true, "0x", &digits)
    }
}

impl Board {
    /// Parses an edge such as `H2,3`.
    ///
    /// # Errors
    /// Returns [`TextError::Edge`] if the text is not of that form or names an edge off the board.
    pub fn parse_edge(self, text: &str) -> Result<Edge, TextError> {
        let read = || {
            let (orientation, rest) = match text.strip_prefix('H') {
                Some(rest) => (Orientation::Horizontal, rest),
                None => (Orientation::Vertical, text.strip_prefix('V')?),
            };
            let (row, col) = rest.split_once(',')?;
            self.edge(orientation, number(row)?, number(col)?)
        };
        read().ok_or_else(|| TextError::Edge { text: text.into(), board: self })
    }

    /// Returns the name of an edge, in the form that [`Board::parse_edge`] parses.
    pub fn edge_name(self, edge: Edge) -> String {
        let (orientation, row, col) = self.coordinates(edge);
        format!("{}{row},{col}", orientation.letter())
    }

    /// Parses a set of edges from a hexadecimal mask, such as `0x81f`.
    ///
    /// # Errors
    /// Returns [`TextError::Mask`] if the text is not of that form or has a bit that is not an edge
    /// of the board.
    pub fn parse_edges(self, mask: &str) -> Result<Edges, TextError> {
        let invalid = || TextError::Mask { text: mask.into(), board: self };
        let digits = mask.strip_prefix("0x").ok_or_else(invalid)?;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(invalid());
        }
        // From the last digit, which holds the lowest four edges.
        let mut edges = Edges::EMPTY;
        for (place, digit) in digits.bytes().rev().enumerate() {
            let digit = (digit as char).to_digit(16).ok_or_else(invalid)?;
            for index in (0..4).filter(|bit| digit >> bit & 1 == 1).map(|bit| place * 4 + bit) {
                if index >= self.edges() {
                    return Err(invalid());
                }
                edges.insert(Edge::new(index));
            }
        }
        Ok(edges)
    }
}

/// Parses a board and its moves, such as `2x2 H0,0 V1,2`, and plays them.
///
/// ```
/// use doublecross_core::board::Position;
/// let position: Position = "1x1 H0,0 H1,0 V0,0 V0,1".parse()?;
/// assert_eq!(position.scores(), [0, 1]);
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
impl FromStr for Position {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Position, TextError> {
        let (board, moves) = parse_game(text)?;
        let mut position = Position::new(board);
        for (index, edge) in moves.into_iter().enumerate() {
            position.play(edge).map_err(|error| TextError::Move { index, error })?;
        }
        Ok(position)
    }
}

/// Parses a board and its moves, such as `2x2 H0,0 V1,2`, without playing them.
///
/// ```
/// use doublecross_core::board::parse_game;
/// let (board, moves) = parse_game("2x2 1. a3-b3 2. a2-a3, b1-b2")?;
/// assert_eq!(board.cells(&moves).as_deref(), Some("b5a4c2"));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
///
/// # Errors
/// Returns an error if the text is not of that form or names an edge off the board.
pub fn parse_game(text: &str) -> Result<(Board, Vec<Edge>), TextError> {
    let text = text.trim_ascii();
    let (board, moves) = match parse_link(text) {
        Some(game) => game?,
        None => {
            let (board, moves) = text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""));
            (board.parse()?, moves)
        }
    };
    let mut edges = Vec::new();
    for word in moves.split_ascii_whitespace() {
        edges.extend(board.parse_moves(word)?);
    }
    Ok((board, edges))
}

/// Parses a plain decimal number. Unlike `str::parse`, it does not accept a sign.
fn number(text: &str) -> Option<usize> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// An error returned when a board, state, edge or game cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// The text is not of the form `RxC`.
    Board {
        /// The text that was parsed.
        text: String,
    },
    /// There is no board of this size.
    Size(BoardError),
    /// The text is not `0x` and hexadecimal digits, or a bit is not an edge of the board.
    Mask {
        /// The text that was parsed.
        text: String,
        /// The board that it was parsed for.
        board: Board,
    },
    /// The text is not an edge of the board.
    Edge {
        /// The text that was parsed.
        text: String,
        /// The board that it was parsed for.
        board: Board,
    },
    /// A move of a game cannot be played.
    Move {
        /// The index of the move, from 0.
        index: usize,
        /// The reason.
        error: MoveError,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Board { text } => {
                let text = shell_word(text);
                write!(f, "unknown board {text}: write its rows x columns of boxes (as in 5x5)")
            }
            TextError::Size(error) => error.fmt(f),
            TextError::Mask { text, board } => {
                write!(f, "mask {} is not a set of edges of {board}: ", shell_word(text))?;
                match text.strip_prefix("0x") {
                    Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
                        write!(f, "the board has {} edges, and the mask a bit beyond them", board.edges())
                    }
                    _ => write!(f, "it is not 0x and hexadecimal digits (as in 0x81f)"),
                }
            }
            TextError::Edge { text, board } => {
                let (text, rows, cols) = (shell_word(text), board.rows(), board.cols());
                let (last_row, last_col) = (rows - 1, cols - 1);
                write!(
                    f,
                    "{text} is not an edge of {board}: its edges are H0,0 to H{rows},{last_col} and V0,0 to V{last_row},{cols}"
                )
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
    fn invalid_texts_are_errors() {
        for text in ["", "x", "5", "5x", "x5", "5x5x5", "-1x2", "+1x2", "5x5 ", "99999999999999999999x1", "é"] {
            assert!(text.parse::<Board>().is_err(), "{text:?}");
        }
        for text in ["2x2:", "2x2:0x", "2x2:81f", "2x2:0x1000", "2x2:0xg", "2x2:0x+1", "5x5:0x11112222333344445"] {
            assert!(text.parse::<State>().is_err(), "{text:?}");
        }
        for text in ["", "2x2 H0,2", "2x2 V2,0", "2x2 h0,0", "2x2 H00", "2x2 H0,0 H0,0"] {
            assert!(text.parse::<Position>().is_err(), "{text:?}");
        }
        let board = Board::new(2, 2).unwrap();
        assert_eq!("2x2:0x1000".parse::<State>(), Err(TextError::Mask { text: "0x1000".into(), board }));
        let error = MoveError::Drawn { edge: Edge::new(0), board };
        assert_eq!("2x2 H0,0 H0,0".parse::<Position>(), Err(TextError::Move { index: 1, error }));
    }

    proptest! {
        #[test]
        fn texts_of_states_parse_to_the_same_state(rows in 1..10usize, cols in 1..10usize, words: [u64; 3]) {
            let board = Board::new(rows, cols).unwrap();
            let state = State::from_drawn(board, Edges(words).intersection(board.all()));
            prop_assert_eq!(state.to_string().parse(), Ok(state));
        }

        #[test]
        fn parsing_never_panics(text in "[0-9xHV:, a-f#.é-]{0,24}") {
            let _ = text.parse::<State>();
            let _ = text.parse::<Position>();
        }
    }
}
