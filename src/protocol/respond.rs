//! Actions in response to lines that may be anything.

use super::Json;
use super::action::{format_action, write_action};
use super::observation::{parse_observation, parse_owners, parse_state};
use crate::board::{Board, Edge, Orientation, Position};

/// Returns the action for a line of input, whatever it holds. `choose` returns the edge to draw in
/// a position that is not over, given the nonce.
///
/// * A valid observation gets the chosen edge.
/// * So does a line of which only the edges can be read. Owners and the seat to move are used if
///   they are consistent, and a missing nonce is 0.
/// * A board with more than 64 edges, or malformed lists of edges, get the first edge that can be
///   read as undrawn.
/// * Anything else, and a game that is over, gets `H(0, 0)`.
///
/// If `choose` returns an edge that is not undrawn, the first undrawn edge replaces it.
///
/// ```
/// use doublecross::protocol::respond;
/// let answer = respond(b"{\"h\": [[true", |position, _| position.undrawn().lowest().unwrap());
/// assert_eq!(answer, r#"{"orient":"H","r":0,"c":0}"#);
/// ```
pub fn respond(line: &[u8], mut choose: impl FnMut(&Position, u64) -> Edge) -> String {
    let (position, nonce) = match parse_observation(line) {
        Ok(observation) => (observation.position, observation.nonce),
        Err(_) => {
            let value = Json::parse(line).unwrap_or(Json::Null);
            match salvage(&value) {
                Some(position) => (position, value.get("nonce").as_u64().unwrap_or(0)),
                None => return first_undrawn(&value),
            }
        }
    };
    let Some(default) = position.undrawn().lowest() else { return write_action(Orientation::Horizontal, 0, 0) };
    let edge = choose(&position, nonce);
    let is_legal = position.undrawn().contains(edge);
    format_action(position.board(), if is_legal { edge } else { default })
}

/// Returns the position of an observation whose edges can be read. The size of the board is that of
/// the lists of edges.
fn salvage(value: &Json) -> Option<Position> {
    let rows = value.get("v").as_list()?.len();
    let cols = value.get("h").as_list()?.first()?.as_list()?.len();
    let board = Board::new(rows, cols).ok()?;
    let state = parse_state(board, value.get("h"), value.get("v")).ok()?;
    let position = Position::from_state(state);
    // The score is used if possible, since it decides how much risk to take.
    let seat = value.get("to_move").as_u64().or(value.get("you").as_u64()).filter(|&seat| seat < 2);
    match (parse_owners(state, value.get("owner")), seat) {
        (Ok(owned), Some(seat)) => Some(position.with_owners(owned, seat as usize)),
        _ => Some(position),
    }
}

/// Returns an action for the first edge that can be read as undrawn, all horizontal edges before
/// the vertical ones.
fn first_undrawn(value: &Json) -> String {
    for (orientation, field) in [(Orientation::Horizontal, "h"), (Orientation::Vertical, "v")] {
        for (row, line) in value.get(field).as_list().into_iter().flatten().enumerate() {
            for (col, cell) in line.as_list().into_iter().flatten().enumerate() {
                if cell.as_bool() == Some(false) {
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
    use crate::board::{Edges, State};
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
            let state = State::from_drawn(board, Edges::from_bytes(word.to_le_bytes()).intersection(board.all()));
            prop_assume!(!state.is_over());
            let mut text = format_observation(&Position::from_state(state), 0, 1).into_bytes();
            let index = at % text.len();
            text[index] = byte;
            text.truncate(cut.max(10));
            let answer = respond(&text, last);
            let value = Json::parse(&text).unwrap_or(Json::Null);
            if parse_state(board, value.get("h"), value.get("v")) == Ok(state) {
                prop_assert!(state.undrawn().contains(parse_action(board, &answer).unwrap()));
            }
        }
    }
}
