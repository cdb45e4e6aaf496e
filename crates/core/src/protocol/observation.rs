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
            ObservationError::Field { field, expected } => write!(f, "field `{field}` must be {expected}"),
            ObservationError::Board(error) => error.fmt(f),
            ObservationError::Inconsistent { field } => write!(f, "`{field}` contradicts the drawn edges"),
        }
    }
}

impl std::error::Error for ObservationError {}

impl ObservationError {
    /// Returns the field that is at fault, or the line if it is not one field.
    pub fn field(&self) -> &'static str {
        match self {
            ObservationError::Json(_) => "line",
            ObservationError::Board(_) => "rows",
            ObservationError::Field { field, .. } | ObservationError::Inconsistent { field } => field,
        }
    }
}

/// Parses an observation. Unknown fields are ignored, and JSON is read as [`Json::parse`] reads it.
///
/// # Errors
/// Returns an error if the text is not JSON, a field is missing or malformed, or fields contradict
/// each other.
pub fn parse_observation(text: &[u8]) -> Result<Observation, ObservationError> {
    read_observation(&Json::parse(text).map_err(ObservationError::Json)?)
}

/// Reads an observation from its fields.
pub(super) fn read_observation(value: &Json) -> Result<Observation, ObservationError> {
    let number = |field: &'static str| {
        value.get(field).as_u64().ok_or(ObservationError::Field { field, expected: "a number of 0 or more" })
    };
    let (rows, cols) = (number("rows")? as usize, number("cols")? as usize);
    let board = Board::new(rows, cols).map_err(ObservationError::Board)?;
    let state = read_state(board, value.get("h"), value.get("v"))?;
    let owned = read_owners(state, value.get("owner"))?;
    let seat = |field| match number(field)? {
        seat @ 0..=1 => Ok(seat as usize),
        _ => Err(ObservationError::Field { field, expected: "0 or 1" }),
    };
    let position = Position::from_state(state).with_owners(owned, seat("to_move")?);
    if read_scores(value) != Some(position.scores()) {
        return Err(ObservationError::Inconsistent { field: "scores" });
    }
    if number("turn")? as usize != state.drawn().len() {
        return Err(ObservationError::Inconsistent { field: "turn" });
    }
    Ok(Observation { position, you: seat("you")?, nonce: number("nonce")? })
}

/// Reads the position of an observation whose edges can be read, whatever its other fields hold.
/// The size of the board is that of the lists of edges.
///
/// The score decides how much risk to take. It is read from the owners or else from the scores, and
/// it is unknown without a seat to move.
pub(super) fn salvage_position(value: &Json) -> Option<Position> {
    let rows = value.get("v").as_list()?.len();
    let cols = value.get("h").as_list()?.first()?.as_list()?.len();
    let board = Board::new(rows, cols).ok()?;
    let state = read_state(board, value.get("h"), value.get("v")).ok()?;
    let position = Position::from_state(state);
    let seat = |field| value.get(field).as_u64().filter(|&seat| seat < 2).map(|seat| seat as usize);
    let Some(mover) = seat("to_move").or(seat("you")) else { return Some(position) };
    let owned = read_owners(state, value.get("owner")).ok().or_else(|| owners_by_score(state, read_scores(value)?));
    Some(owned.map_or(position.clone(), |owned| position.with_owners(owned, mover)))
}

/// Reads the drawn edges from the fields `h` and `v`, in which 0 and 1 stand for booleans too.
pub(super) fn read_state(board: Board, h: &Json, v: &Json) -> Result<State, ObservationError> {
    let mut drawn = Edges::EMPTY;
    let parts = [(Orientation::Horizontal, "h", h, board.rows() + 1), (Orientation::Vertical, "v", v, board.rows())];
    for (orientation, field, value, rows) in parts {
        let bad = || ObservationError::Field { field, expected: "rows of booleans of the board's size" };
        let lines = value.as_list().filter(|lines| lines.len() == rows).ok_or_else(bad)?;
        let width = board.cols() + (orientation == Orientation::Vertical) as usize;
        for (r, line) in lines.iter().enumerate() {
            let cells = line.as_list().filter(|cells| cells.len() == width).ok_or_else(bad)?;
            for (c, cell) in cells.iter().enumerate() {
                if is_drawn(cell).ok_or_else(bad)? {
                    drawn.insert(board.edge(orientation, r, c).ok_or_else(bad)?);
                }
            }
        }
    }
    Ok(State::from_drawn(board, drawn))
}

/// Returns `true` for a drawn edge, given its value in the list of edges.
pub(super) fn is_drawn(cell: &Json) -> Option<bool> {
    cell.as_bool().or_else(|| match cell.as_u64()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    })
}

/// Reads the boxes of each seat, as bit sets, from the field `owner`, in which `null` stands for -1
/// too.
fn read_owners(state: State, owner: &Json) -> Result<[u128; 2], ObservationError> {
    let bad = || ObservationError::Field { field: "owner", expected: "rows of -1, 0 or 1 of the board's size" };
    let (board, mut owned) = (state.board(), [0; 2]);
    let lines = owner.as_list().filter(|lines| lines.len() == board.rows()).ok_or_else(bad)?;
    for (r, line) in lines.iter().enumerate() {
        let cells = line.as_list().filter(|cells| cells.len() == board.cols()).ok_or_else(bad)?;
        for (c, cell) in cells.iter().enumerate() {
            let b = r * board.cols() + c;
            let seat = match cell {
                Json::Null => None,
                _ => match cell.as_i64().ok_or_else(bad)? {
                    -1 => None,
                    0 => Some(0),
                    1 => Some(1),
                    _ => return Err(bad()),
                },
            };
            if seat.is_some() != state.is_closed(b) {
                return Err(ObservationError::Inconsistent { field: "owner" });
            }
            if let Some(seat) = seat {
                owned[seat] |= 1u128 << b;
            }
        }
    }
    Ok(owned)
}

/// Reads the field `scores`.
fn read_scores(value: &Json) -> Option<[usize; 2]> {
    let scores = value.get("scores").as_list()?.iter().map(|score| score.as_u64()?.try_into().ok());
    scores.collect::<Option<Vec<usize>>>()?.try_into().ok()
}

/// Returns owners of the closed boxes with these scores, of which it does not matter who owns which.
fn owners_by_score(state: State, scores: [usize; 2]) -> Option<[u128; 2]> {
    let closed: Vec<usize> = (0..state.board().boxes()).filter(|&b| state.is_closed(b)).collect();
    if scores[0].checked_add(scores[1]) != Some(closed.len()) {
        return None;
    }
    let (first, second) = closed.split_at(scores[0]);
    Some([first, second].map(|boxes| boxes.iter().fold(0, |set, b| set | 1u128 << b)))
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
            ("\"h\":[[true,", "\"h\":[[2,"),
            ("{", "["),
        ] {
            assert!(text.contains(from), "{from} in {text}");
            assert!(parse_observation(text.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
        }
    }

    #[test]
    fn a_position_keeps_its_score_while_one_field_tells_it() {
        let position = "2x2 H0,0 V0,0 H1,0 V0,1 V1,1".parse::<Position>().unwrap();
        let text = format_observation(&position, 0, 1);
        let owner = r#""owner":[[1,-1],[-1,-1]]"#;
        assert!(text.contains(owner) && text.contains("\"to_move\":0"), "{text}");
        for (from, to) in [
            (owner, r#""owner":[[1.0,-1.0],[-1.0,-1e0]]"#),
            (owner, r#""owner":[[1,null],[null,null]]"#),
            (owner, r#""owner":null"#),
            (owner, r#""owner":[["b",null],[null,null]]"#),
            ("\"scores\":[0,1]", "\"scores\":null"),
            ("\"to_move\":0", "\"to_move\":null"),
        ] {
            let value = Json::parse(text.replacen(from, to, 1).as_bytes()).unwrap();
            let read = salvage_position(&value).unwrap();
            assert_eq!((read.scores(), read.mover()), ([0, 1], 0), "{to}");
            assert_eq!(read.state(), position.state());
        }
        let unknown = text.replace(owner, "\"owner\":0").replace("\"scores\":[0,1]", "\"scores\":[5,5]");
        assert!(salvage_position(&Json::parse(unknown.as_bytes()).unwrap()).is_some());
    }
}
