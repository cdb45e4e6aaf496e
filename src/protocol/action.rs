//! The action's JSON: `{"orient":"H","r":2,"c":3}`.

use std::fmt;

use super::{Json, JsonError};
use crate::board::{Board, Edge, Orientation};

/// Why a text is not an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionError {
    /// Not JSON.
    Json(JsonError),
    /// Not the arena's JSON.
    Foreign,
    /// No such edge.
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

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionError::Json(error) => write!(f, "not an action: {error}"),
            ActionError::Foreign => f.write_str(r#"not an action; expected {"orient":"H","r":0,"c":0}"#),
            ActionError::OffBoard { orient, row, col, board } => {
                write!(f, "{orient}({row}, {col}) is not an edge of the {board} board")
            }
        }
    }
}

impl std::error::Error for ActionError {}

/// Writes an action.
///
/// ```
/// use doublecross::protocol::{format_action, parse_action};
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
    let value = Json::parse(text.as_bytes()).map_err(ActionError::Json)?;
    let index = |name| value.get(name).as_u64().and_then(|number| usize::try_from(number).ok());
    let (Some(orient), Some(row), Some(col)) = (value.get("orient").as_text(), index("r"), index("c")) else {
        return Err(ActionError::Foreign);
    };
    let orientation = match orient {
        "H" => Some(Orientation::Horizontal),
        "V" => Some(Orientation::Vertical),
        _ => None,
    };
    let edge = orientation.and_then(|orientation| board.edge(orientation, row, col));
    edge.ok_or_else(|| ActionError::OffBoard { orient: orient.into(), row, col, board })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_actions_are_errors() {
        let board = Board::new(2, 2).unwrap();
        for text in ["{}", "[]", r#"{"orient":"H","r":-1,"c":0}"#, r#"{"orient":1,"r":0,"c":0}"#] {
            assert_eq!(parse_action(board, text), Err(ActionError::Foreign), "{text}");
        }
        assert!(matches!(parse_action(board, ""), Err(ActionError::Json(_))));
        for text in [r#"{"orient":"H","r":0,"c":2}"#, r#"{"orient":"X","r":0,"c":0}"#] {
            assert!(matches!(parse_action(board, text), Err(ActionError::OffBoard { .. })), "{text}");
        }
    }
}
