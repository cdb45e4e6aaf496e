//! Observations as JSON.

use std::fmt;

use super::{Json, JsonError, list};
use crate::board::{Board, BoardError, Edges, Orientation, Position, Seat, State};

/// The contents of an observation: the position that a bot is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The position.
    pub position: Position,
    /// The seat of the bot.
    pub you: Seat,
    /// The match's nonce: the same on all turns of a match, and different in the next one.
    pub nonce: u64,
}

/// An error in the text of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservationError {
    /// The text is not JSON.
    Json(JsonError),
    /// A field is missing, has another type, or does not have the size of the board.
    Field {
        /// The field.
        field: &'static str,
        /// A description of a valid value.
        expected: &'static str,
    },
    /// An invalid board.
    Board(BoardError),
    /// Owners, scores or turn contradict the drawn edges.
    Inconsistent {
        /// The field.
        field: &'static str,
    },
}

impl fmt::Display for ObservationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObservationError::Json(error) => write!(f, "not JSON: {error}"),
            ObservationError::Field { field, expected } => write!(f, "field `{field}` is not {expected}"),
            ObservationError::Board(error) => error.fmt(f),
            ObservationError::Inconsistent { field } => write!(f, "`{field}` contradicts the drawn edges"),
        }
    }
}

impl std::error::Error for ObservationError {}

/// Parses an observation. Unknown fields are ignored.
///
/// # Errors
/// Returns an error if the text is not JSON, a field is missing or malformed, or fields contradict
/// each other.
pub fn parse_observation(text: &[u8]) -> Result<Observation, ObservationError> {
    let value = Json::parse(text).map_err(ObservationError::Json)?;
    let number = |field: &'static str| {
        value.get(field).as_u64().ok_or(ObservationError::Field { field, expected: "a number of 0 or more" })
    };
    let (rows, cols) = (number("rows")? as usize, number("cols")? as usize);
    let board = Board::new(rows, cols).map_err(ObservationError::Board)?;
    let state = parse_state(board, value.get("h"), value.get("v"))?;
    let owned = parse_owners(state, value.get("owner"))?;
    let seat = |field| match number(field)? {
        seat @ 0..=1 => Ok(seat as usize),
        _ => Err(ObservationError::Field { field, expected: "0 or 1" }),
    };
    let position = Position::from_state(state).with_owners(owned, seat("to_move")?);
    let scores = position.scores();
    let stated = value.get("scores").as_list().map(|s| s.iter().map(Json::as_u64).collect::<Vec<_>>());
    if stated != Some(vec![Some(scores[0] as u64), Some(scores[1] as u64)]) {
        return Err(ObservationError::Inconsistent { field: "scores" });
    }
    if number("turn")? as usize != state.drawn().len() {
        return Err(ObservationError::Inconsistent { field: "turn" });
    }
    Ok(Observation { position, you: seat("you")?, nonce: number("nonce")? })
}

/// Reads the drawn edges from the fields `h` and `v`.
pub(super) fn parse_state(board: Board, h: &Json, v: &Json) -> Result<State, ObservationError> {
    let mut drawn = Edges::EMPTY;
    let parts = [(Orientation::Horizontal, "h", h, board.rows() + 1), (Orientation::Vertical, "v", v, board.rows())];
    for (orientation, field, value, rows) in parts {
        let bad = || ObservationError::Field { field, expected: "rows of booleans of the board's size" };
        let lines = value.as_list().filter(|lines| lines.len() == rows).ok_or_else(bad)?;
        let width = board.cols() + (orientation == Orientation::Vertical) as usize;
        for (r, line) in lines.iter().enumerate() {
            let cells = line.as_list().filter(|cells| cells.len() == width).ok_or_else(bad)?;
            for (c, cell) in cells.iter().enumerate() {
                if cell.as_bool().ok_or_else(bad)? {
                    drawn.insert(board.edge(orientation, r, c).ok_or_else(bad)?);
                }
            }
        }
    }
    Ok(State::from_drawn(board, drawn))
}

/// Reads the boxes of each seat, as bit sets, from the field `owner`.
pub(super) fn parse_owners(state: State, owner: &Json) -> Result<[u32; 2], ObservationError> {
    let bad = || ObservationError::Field { field: "owner", expected: "rows of -1, 0 or 1 of the board's size" };
    let (board, mut owned) = (state.board(), [0; 2]);
    let lines = owner.as_list().filter(|lines| lines.len() == board.rows()).ok_or_else(bad)?;
    for (r, line) in lines.iter().enumerate() {
        let cells = line.as_list().filter(|cells| cells.len() == board.cols()).ok_or_else(bad)?;
        for (c, cell) in cells.iter().enumerate() {
            let b = r * board.cols() + c;
            let seat = match cell.as_i64().ok_or_else(bad)? {
                -1 => None,
                0 => Some(0),
                1 => Some(1),
                _ => return Err(bad()),
            };
            if seat.is_some() != state.is_closed(b) {
                return Err(ObservationError::Inconsistent { field: "owner" });
            }
            if let Some(seat) = seat {
                owned[seat] |= 1u32 << b;
            }
        }
    }
    Ok(owned)
}

/// Formats the observation of a position for the seat `you`.
pub fn format_observation(position: &Position, you: Seat, nonce: u64) -> String {
    let board = position.board();
    let drawn = |edge| position.drawn().contains(edge);
    let line = |orientation, row, width: usize| {
        list((0..width).map(|col| board.edge(orientation, row, col).is_some_and(drawn).to_string()))
    };
    let h = list((0..=board.rows()).map(|row| line(Orientation::Horizontal, row, board.cols())));
    let v = list((0..board.rows()).map(|row| line(Orientation::Vertical, row, board.cols() + 1)));
    let owner = |b| position.owner(b).map_or("-1".to_string(), |seat| seat.to_string());
    let owners = |r| list((0..board.cols()).map(|c| owner(r * board.cols() + c)));
    let owner = list((0..board.rows()).map(owners));
    let scores = list(position.scores().iter().map(ToString::to_string));
    let (mover, rows, cols, turn) = (position.mover(), board.rows(), board.cols(), position.drawn().len());
    format!(
        r#"{{"you":{you},"to_move":{mover},"rows":{rows},"cols":{cols},"h":{h},"v":{v},"owner":{owner},"scores":{scores},"turn":{turn},"nonce":{nonce}}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatted_observations_are_parsed_back() {
        let position = "2x2 H0,0 V0,0 H1,0 V0,1 V1,1".parse::<Position>().unwrap();
        assert_eq!(position.scores(), [0, 1]);
        let text = format_observation(&position, 1, u64::MAX);
        let observation = parse_observation(text.as_bytes()).unwrap();
        assert_eq!(observation, Observation { position, you: 1, nonce: u64::MAX });
    }

    #[test]
    fn contradictions_are_errors() {
        let text = format_observation(&"2x2 H0,0".parse::<Position>().unwrap(), 0, 5);
        for (from, to) in [
            ("\"turn\":1", "\"turn\":2"),
            ("\"scores\":[0,0]", "\"scores\":[1,0]"),
            ("\"owner\":[[-1", "\"owner\":[[0"),
            ("\"rows\":2", "\"rows\":3"),
            ("\"rows\":2", "\"rows\":99"),
            ("\"you\":0", "\"you\":2"),
            ("\"nonce\":5", "\"nonce\":-5"),
            ("\"h\":[[true,", "\"h\":[[1,"),
            ("{", "["),
        ] {
            assert!(text.contains(from), "{from} in {text}");
            assert!(parse_observation(text.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
        }
    }
}
