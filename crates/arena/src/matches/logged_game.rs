//! A game of a match log.

use serde::Serialize;
use thiserror::Error;

use super::{Game, GameRecord, Times};
use doublecross_core::board::{Board, Edge, MAX_EDGES, Position, TextError};
use doublecross_core::net::Isa;
use doublecross_core::protocol::{Json, JsonError, MAX_LINE};

/// A game as it is logged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoggedGame {
    /// The board, as in `5x5`.
    pub board: String,
    /// The names of the bots of seat 0 and seat 1.
    pub bots: [String; 2],
    /// The match's nonce, which logs of other programs may lack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonce: Option<u64>,
    /// The number of moves that were drawn before the bots were asked.
    pub opening: usize,
    /// The numbers of all edges, in the order in which they were drawn.
    pub moves: Vec<usize>,
    /// The number of boxes of each seat.
    pub scores: [usize; 2],
    /// The number of illegal or missing actions of each seat.
    pub faults: [usize; 2],
    /// The time that each seat took for all its moves, in seconds.
    pub seconds: [f64; 2],
    /// The time of each seat's longest move, in seconds.
    pub longest: [f64; 2],
    /// The instruction set that networks ran on, which logs of earlier versions lack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
}

impl LoggedGame {
    /// Returns the logged form of a game between the bots `names`, whose networks ran on `isa`
    /// unless their names say otherwise.
    pub fn new(board: Board, names: [&str; 2], isa: Isa, game: &Game) -> LoggedGame {
        let GameRecord { moves, scores, faults } = &game.record;
        let Times { total, longest } = game.times;
        LoggedGame {
            board: board.to_string(),
            bots: [names[game.first], names[1 - game.first]].map(String::from),
            nonce: Some(game.nonce),
            opening: game.opening,
            moves: moves.iter().map(|edge| edge.index()).collect(),
            scores: *scores,
            faults: *faults,
            seconds: total,
            longest,
            isa: Some(isa.name().into()),
        }
    }

    /// Parses a line of a log. JSON is read as [`Json::parse`] reads it, and unknown fields are
    /// ignored. A field that neither the rules nor the result need may be missing.
    ///
    /// # Errors
    /// Returns an error if the line is not JSON, or a field is missing or malformed.
    pub fn parse(line: &[u8]) -> Result<LoggedGame, LoggedGameError> {
        if line.len() > MAX_LINE {
            return Err(LoggedGameError::Long(line.len()));
        }
        let value = Json::parse(line).map_err(|error| {
            if begins_game(line) && error.at >= line.len() {
                LoggedGameError::CutShort
            } else {
                LoggedGameError::Json(error)
            }
        })?;
        let bad = |field, expected| LoggedGameError::Field { field, expected };
        let text = |field| value.get(field).as_text().map(String::from).ok_or(bad(field, "a text"));
        let bots = pair(value.get("bots"), |name| name.as_text().map(String::from));
        let counts = |field| pair(value.get(field), count).ok_or(bad(field, "two numbers of 0 or more"));
        let or_zeros = |field| if value.get(field) == &Json::Null { Ok([0; 2]) } else { counts(field) };
        let seconds = |field| match value.get(field) {
            Json::Null => Ok([0.0; 2]),
            seconds => pair(seconds, Json::as_f64).ok_or(bad(field, "two numbers")),
        };
        let number = |field| match value.get(field) {
            Json::Null => Ok(None),
            number => number.as_u64().map(Some).ok_or(bad(field, "a number of 0 or more")),
        };
        // A board is the same however it is written.
        let board = text("board")?;
        let board = board.parse().map_or(board, |board: Board| board.to_string());
        let moves = value.get("moves").as_list().and_then(|moves| moves.iter().map(count).collect());
        Ok(LoggedGame {
            board,
            bots: bots.ok_or(bad("bots", "two texts"))?,
            nonce: number("nonce")?,
            opening: number("opening")?.unwrap_or(0) as usize,
            moves: moves.ok_or(bad("moves", "a list of numbers of 0 or more"))?,
            scores: counts("scores")?,
            faults: or_zeros("faults")?,
            seconds: seconds("seconds")?,
            longest: seconds("longest")?,
            isa: value.get("isa").as_text().map(String::from),
        })
    }

    /// Replays the game by the rules, and returns its board and edges.
    ///
    /// # Errors
    /// Returns a description of the first error if the moves are not a whole game with this score.
    pub fn replay(&self) -> Result<(Board, Vec<Edge>), String> {
        let board: Board = self.board.parse().map_err(|error: TextError| error.to_string())?;
        let mut position = Position::new(board);
        let (mut moves, mut missable) = (Vec::new(), [0; 2]);
        for (turn, &index) in self.moves.iter().enumerate() {
            let edge = Edge::new(index.min(MAX_EDGES - 1));
            // On a fault the first undrawn edge is drawn.
            missable[position.mover()] += (turn >= self.opening && position.undrawn().lowest() == Some(edge)) as usize;
            if index >= MAX_EDGES || position.play(edge).is_err() {
                return Err(format!("move {} is edge {index}, which cannot be drawn there", turn + 1));
            }
            moves.push(edge);
        }
        if !position.is_over() {
            return Err(format!("the game ends after {} of {} moves", moves.len(), board.edges()));
        }
        if position.scores() != self.scores {
            return Err(format!("its moves score {}, and its scores are {}", two(position.scores()), two(self.scores)));
        }
        if self.faults.iter().zip(missable).any(|(&faults, missable)| faults > missable) {
            return Err(format!("its faults are {}, and its moves have at most {}", two(self.faults), two(missable)));
        }
        if self.opening > moves.len() {
            return Err(format!("its opening of {} moves is longer than the game", self.opening));
        }
        Ok((board, moves))
    }
}

/// The beginning of each line that [`MatchLog`](super::MatchLog) writes.
const START: &[u8] = b"{\"board\":\"";

/// Returns `true` if a line begins as [`MatchLog`](super::MatchLog) writes it.
pub(super) fn begins_game(line: &[u8]) -> bool {
    !line.is_empty() && (START.starts_with(line) || line.starts_with(START))
}

/// An error in a line of a match log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoggedGameError {
    /// The line ends within a game, as a kill leaves it.
    #[error("it is cut short")]
    CutShort,
    /// The line is not JSON.
    #[error("not JSON: {0}")]
    Json(JsonError),
    /// The line is longer than any game.
    #[error("the line has {0} bytes: at most {MAX_LINE} are read")]
    Long(usize),
    /// A field is missing or malformed.
    #[error("field `{field}` must be {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// A description of a valid value.
        expected: &'static str,
    },
}

/// Formats the numbers of both seats.
fn two([first, second]: [usize; 2]) -> String {
    format!("{first} and {second}")
}

/// Returns the number, if it is a count.
fn count(value: &Json) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

/// Returns what two values of a list are read as.
fn pair<T>(value: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<[T; 2]> {
    let [first, second] = value.as_list()? else { return None };
    Some([read(first)?, read(second)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"board":"1x1","bots":["a","b"],"nonce":18446744073709551615,"opening":0,"moves":[0,1,2,3],"scores":[0,1],"faults":[0,0],"seconds":[0.1,1e-7],"longest":[0.0,0.0]}"#;

    #[test]
    fn games_are_read_back_and_in_other_notations() {
        let game = LoggedGame::parse(LINE.as_bytes()).unwrap();
        assert_eq!(game.nonce, Some(u64::MAX));
        assert_eq!(LoggedGame::parse(&serde_json::to_vec(&game).unwrap()), Ok(game.clone()));
        let other = LINE.replace("[0,1,2,3]", "[0.0, 1, 2, 3,]").replace("\"a\"", "'a'").replace("1x1", "01x001");
        assert_eq!(LoggedGame::parse(other.as_bytes()), Ok(game.clone()));
        let short = r#"{"board":"1x1","bots":["a","b"],"moves":[0,1,2,3],"scores":[0,1]}"#;
        assert_eq!(LoggedGame::parse(short.as_bytes()).unwrap().replay(), game.replay());
    }

    #[test]
    fn a_malformed_field_is_named() {
        for (from, to, field) in [
            ("\"board\":\"1x1\"", "\"board\":1", "board"),
            ("[\"a\",\"b\"]", "[\"a\"]", "bots"),
            ("[0,1,2,3]", "[0,-1,2,3]", "moves"),
            ("[0,1,2,3]", "[0,1.5,2,3]", "moves"),
            ("\"scores\":[0,1]", "\"scores\":[0]", "scores"),
            ("\"faults\":[0,0]", "\"faults\":[0,\"x\"]", "faults"),
            ("\"opening\":0", "\"opening\":-1", "opening"),
        ] {
            assert!(LINE.contains(from), "{from}");
            let error = LoggedGame::parse(LINE.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(matches!(error, LoggedGameError::Field { field: found, .. } if found == field), "{to}: {error}");
        }
        assert!(matches!(LoggedGame::parse(&LINE.as_bytes()[..60]), Err(LoggedGameError::CutShort)));
    }
}
