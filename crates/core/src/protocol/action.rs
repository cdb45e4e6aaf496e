//! Actions as JSON: `{"orient":"H","r":2,"c":3}`.

use std::fmt;

use super::{Json, JsonError};
use crate::board::{Board, Edge, Orientation};

/// An error in the text of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionError {
    /// The text is not JSON.
    Json(JsonError),
    /// A field is missing or of another type.
    Foreign,
    /// The edge is not one of the board.
    OffBoard {
        /// The orientation in the text.
        orient: String,
        /// The row in the text.
        row: usize,
        /// The column in the text.
        col: usize,
        /// The board.
        board: Board,
    },
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionError::Json(error) => write!(f, "not an action: {error}"),
            ActionError::Foreign => f.write_str(r#"not an action: an action is {"orient":"H","r":0,"c":0}"#),
            ActionError::OffBoard { orient, row, col, board } => {
                write!(f, "{orient}{row},{col} is not an edge of {board}")
            }
        }
    }
}

impl std::error::Error for ActionError {}

/// Formats an action, the edge that a bot draws.
///
/// ```
/// use doublecross_core::protocol::{format_action, parse_action};
/// use doublecross_core::board::Board;
/// let board = Board::new(5, 5)?;
/// let edge = board.horizontal(2, 3).unwrap();
/// assert_eq!(format_action(board, edge), r#"{"orient":"H","r":2,"c":3}"#);
/// assert_eq!(parse_action(board, &format_action(board, edge)), Ok(edge));
/// # Ok::<(), doublecross_core::board::BoardError>(())
/// ```
pub fn format_action(board: Board, edge: Edge) -> String {
    let (orientation, row, col) = board.coordinates(edge);
    write_action(orientation, row, col)
}

/// Formats an action of any row and column, which may lie off every board.
pub(super) fn write_action(orientation: Orientation, row: usize, col: usize) -> String {
    format!(r#"{{"orient":"{}","r":{row},"c":{col}}}"#, orientation.letter())
}

/// Parses an action. Unknown fields are ignored, the orientation may be in lower case, and JSON is
/// read as [`Json::parse`] reads it.
///
/// # Errors
/// Returns an error if the text is not an action or names no edge of the board.
pub fn parse_action(board: Board, text: &str) -> Result<Edge, ActionError> {
    let value = Json::parse(text.as_bytes()).map_err(ActionError::Json)?;
    let index = |name| value.get(name).as_u64().and_then(|number| usize::try_from(number).ok());
    let (Some(orient), Some(row), Some(col)) = (value.get("orient").as_text(), index("r"), index("c")) else {
        return Err(ActionError::Foreign);
    };
    let orientation = match orient {
        "H" | "h" => Some(Orientation::Horizontal),
        "V" | "v" => Some(Orientation::Vertical),
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
