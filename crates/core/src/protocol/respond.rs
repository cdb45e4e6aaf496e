//! Actions in response to lines that may be anything.

use super::action::{format_action, write_action};
use super::lines::MAX_LINE;
use super::observation::{is_drawn, read_observation, salvage_position};
use super::{Json, ObservationError};
use crate::board::{Edge, Orientation, Position};

/// The answer to a line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The action.
    pub action: String,
    /// The reason for which the line is not an observation, if it is none. Its fields were used as
    /// far as they could be read.
    pub trouble: Option<ObservationError>,
}

/// Returns the action for a line of input, whatever it holds. `choose` returns the edge to draw in
/// a position that is not over, given the nonce.
///
/// * A valid observation gets the chosen edge.
/// * So does a line of which only the edges can be read. The score is used if the owners or the
///   scores tell it, and a missing nonce is 0.
/// * A board with more than 180 edges, or malformed lists of edges, get the first edge that can be
///   read as undrawn.
/// * Anything else, and a game that is over, gets `H(0, 0)`.
///
/// If `choose` returns an edge that is not undrawn, the first undrawn edge replaces it. Of a line
/// with more than [`MAX_LINE`] bytes, those are read.
///
/// ```
/// use doublecross_core::protocol::respond;
/// let answer = respond(b"{\"h\": [[true", |position, _| position.undrawn().lowest().unwrap());
/// assert_eq!(answer, r#"{"orient":"H","r":0,"c":0}"#);
/// ```
pub fn respond(line: &[u8], choose: impl FnMut(&Position, u64) -> Edge) -> String {
    response(line, choose).action
}

/// Returns the action for a line of input as [`respond`] does, and what is wrong with the line.
pub fn response(line: &[u8], mut choose: impl FnMut(&Position, u64) -> Edge) -> Response {
    let (value, damage) = Json::salvage(&line[..line.len().min(MAX_LINE)]);
    let (position, nonce, trouble) = match read_observation(&value) {
        Ok(observation) => (Some(observation.position), observation.nonce, None),
        Err(error) => (salvage_position(&value), value.get("nonce").as_u64().unwrap_or(0), Some(error)),
    };
    let trouble = damage.map(ObservationError::Json).or(trouble);
    let Some(position) = position else { return Response { action: first_undrawn(&value), trouble } };
    let Some(default) = position.undrawn().lowest() else {
        return Response { action: write_action(Orientation::Horizontal, 0, 0), trouble };
    };
    let edge = choose(&position, nonce);
    let is_legal = position.undrawn().contains(edge);
    Response { action: format_action(position.board(), if is_legal { edge } else { default }), trouble }
}

/// Returns an action for the first edge that can be read as undrawn, all horizontal edges before
/// the vertical ones.
fn first_undrawn(value: &Json) -> String {
    for (orientation, field) in [(Orientation::Horizontal, "h"), (Orientation::Vertical, "v")] {
        for (row, line) in value.get(field).as_list().into_iter().flatten().enumerate() {
            for (col, cell) in line.as_list().into_iter().flatten().enumerate() {
                if is_drawn(cell) == Some(false) {
                    return write_action(orientation, row, col);
                }
            }
        }
    }
    write_action(Orientation::Horizontal, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges, State};
    use crate::protocol::observation::read_state;
    use crate::protocol::{format_observation, parse_action};
    use proptest::prelude::*;
    use serde_json::Value;

    fn last(position: &Position, _: u64) -> Edge {
        position.undrawn().iter().last().unwrap()
    }

    #[test]
    fn edges_alone_suffice_and_larger_boards_get_a_legal_edge() {
        let text = r#"{"h":[[true,false],[false,false],[true,true]],"v":[[false,false,true],[true,true,true]]}"#;
        assert_eq!(respond(text.as_bytes(), last), r#"{"orient":"V","r":0,"c":1}"#);
        let wide = format!(r#"{{"h":[{0},{0}],"v":[[false]]}}"#, format_args!("[{}false]", "true,".repeat(30)));
        assert_eq!(respond(wide.as_bytes(), last), r#"{"orient":"H","r":0,"c":30}"#);
        for line in [&b""[..], b"\xff\xfe", b"null", b"[[[[", "[".repeat(100_000).as_bytes()] {
            assert_eq!(respond(line, last), r#"{"orient":"H","r":0,"c":0}"#);
        }
    }

    #[test]
    fn an_illegal_choice_is_replaced_by_the_first_undrawn_edge() {
        let position = "2x2 H0,0".parse::<Position>().unwrap();
        let text = format_observation(&position, 1, 1);
        assert_eq!(respond(text.as_bytes(), |_, _| Edge::new(0)), r#"{"orient":"H","r":0,"c":1}"#);
        assert_eq!(respond(text.as_bytes(), |_, _| Edge::new(63)), r#"{"orient":"H","r":0,"c":1}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn any_bytes_get_a_well_formed_action(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let answer: Value = serde_json::from_str(&respond(&line, last)).unwrap();
            prop_assert!(answer["orient"] == "H" || answer["orient"] == "V");
        }

        #[test]
        fn a_damaged_observation_gets_a_legal_action_while_its_edges_can_be_read(
            word: u64, at in 0..4000usize, byte: u8, cut in 0..4000usize,
        ) {
            let board = Board::new(5, 5).unwrap();
            let state = State::from_drawn(board, Edges::from_bytes(&word.to_le_bytes()).intersection(board.all()));
            prop_assume!(!state.is_over());
            let mut text = format_observation(&Position::from_state(state), 0, 1).into_bytes();
            let index = at % text.len();
            text[index] = byte;
            text.truncate(cut.max(10));
            let answer = respond(&text, last);
            let (value, _) = Json::salvage(&text);
            if read_state(board, value.get("h"), value.get("v")) == Ok(state) {
                prop_assert!(state.undrawn().contains(parse_action(board, &answer).unwrap()));
            }
        }
    }
}
