//! Texts and logs of games.

use doublecross::arena;
use doublecross::board;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::invalid;
use crate::position::{EdgeArgument, parse, parse_board};

/// Returns a value as JSON.
pub fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Parses the board and the moves of a game, in any notation.
#[pyfunction]
pub fn parse_game(text: &str) -> PyResult<(String, Vec<usize>)> {
    let (board, moves) = parse(text, board::parse_game)?;
    Ok((board.to_string(), moves.into_iter().map(|edge| edge.index()).collect()))
}

/// Writes the moves of a game in a notation.
#[pyfunction]
pub fn write_game(board: &str, moves: Vec<EdgeArgument>, notation: &str) -> PyResult<String> {
    let board = parse_board(board)?;
    let moves = moves.iter().map(|edge| edge.of(board)).collect::<PyResult<Vec<_>>>()?;
    let text = match notation {
        "names" => Some(moves.iter().map(|&edge| board.edge_name(edge)).collect::<Vec<_>>().join(" ")),
        "cells" => board.cells(&moves),
        "dots" => board.turns(&moves),
        _ => {
            let error = format!("notation = {notation:?}: expected \"names\", \"cells\" or \"dots\"");
            return Err(PyValueError::new_err(error));
        }
    };
    text.ok_or_else(|| PyValueError::new_err(format!("{board} is too wide for a notation of letters")))
}

/// Parses a log of games, and returns its lines without those that are cut short, as a kill leaves
/// them, each as JSON of one form.
///
/// Raises `ValueError` for a line that is no game.
#[pyfunction]
pub fn parse_log(text: &[u8]) -> PyResult<Vec<String>> {
    let (games, damaged) = arena::parse_log(text);
    let is_damaged = |(_, error): &&(usize, arena::LoggedGameError)| *error != arena::LoggedGameError::CutShort;
    if let Some((line, error)) = damaged.iter().find(is_damaged) {
        return Err(invalid(format!("line {line} of the log is no game: {error}")));
    }
    let mut lines = Vec::with_capacity(games.len());
    for (line, game) in games {
        game.replay().map_err(|error| invalid(format!("line {line} of the log breaks the rules: {error}")))?;
        lines.push(json(&game)?);
    }
    Ok(lines)
}
