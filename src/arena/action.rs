//! The action's JSON: `{"orient":"H","r":2,"c":3}`.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::{Board, Edge, Orientation};

#[derive(Serialize, Deserialize)]
struct Action {
    orient: String,
    r: usize,
    c: usize,
}

/// Why a text is not an action.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ActionError {
    /// Not the arena's JSON.
    #[error("not an action: {0}; expected {{\"orient\":\"H\",\"r\":0,\"c\":0}}")]
    Json(String),
    /// No such edge.
    #[error("{orient}({row}, {col}) is not an edge of the {board} board")]
    OffBoard {
        /// The orientation given.
        orient: String,
        /// The row given.
        row: usize,
        /// The column given.
        col: usize,
        /// The board.
        board: Board,
    },
}

/// Writes an action.
///
/// ```
/// use doublecross::arena::{format_action, parse_action};
/// use doublecross::board::Board;
/// let board = Board::new(5, 5)?;
/// let edge = board.horizontal(2, 3).unwrap();
/// assert_eq!(format_action(board, edge), r#"{"orient":"H","r":2,"c":3}"#);
/// assert_eq!(parse_action(board, &format_action(board, edge)), Ok(edge));
/// # Ok::<(), doublecross::board::BoardError>(())
/// ```
pub fn format_action(board: Board, edge: Edge) -> String {
    let (orientation, row, col) = board.coordinates(edge);
    write_action(orientation, row, col)
}

pub(super) fn write_action(orientation: Orientation, row: usize, col: usize) -> String {
    format!(r#"{{"orient":"{}","r":{row},"c":{col}}}"#, orientation.letter())
}

/// Reads an action.
///
/// # Errors
/// When the text is not the arena's JSON or names no edge of the board.
pub fn parse_action(board: Board, text: &str) -> Result<Edge, ActionError> {
    let action: Action = serde_json::from_str(text).map_err(|error| ActionError::Json(error.to_string()))?;
    let orientation = match action.orient.as_str() {
        "H" => Some(Orientation::Horizontal),
        "V" => Some(Orientation::Vertical),
        _ => None,
    };
    let edge = orientation.and_then(|orientation| board.edge(orientation, action.r, action.c));
    edge.ok_or(ActionError::OffBoard { orient: action.orient, row: action.r, col: action.c, board })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_actions_are_errors() {
        let board = Board::new(2, 2).unwrap();
        for text in ["", "{}", "[]", r#"{"orient":"H","r":-1,"c":0}"#, r#"{"orient":1,"r":0,"c":0}"#] {
            assert!(matches!(parse_action(board, text), Err(ActionError::Json(_))), "{text}");
        }
        for text in [r#"{"orient":"H","r":0,"c":2}"#, r#"{"orient":"X","r":0,"c":0}"#] {
            assert!(matches!(parse_action(board, text), Err(ActionError::OffBoard { .. })), "{text}");
        }
    }
}
