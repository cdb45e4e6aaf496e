//! Suites: files of positions with exact answers.
//!
//! Each line is a position, in columns separated by tabs: the board, the kind of the position,
//! the number of undrawn edges, the drawn edges as `0xMASK`, the exact margin still to come for the
//! player to move, and all optimal edges as `0xMASK`.

use std::path::Path;
use std::{fs, io};

use thiserror::Error;

use doublecross_core::board::{Board, Edges, State, TextError};
use doublecross_core::protocol::numbered_lines;
use doublecross_core::shell::shell_word;
use doublecross_core::solver::{Bounds, Solver};

/// A position with its exact answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuitePosition {
    /// The board with its drawn edges.
    pub state: State,
    /// The exact margin still to come for the player to move.
    pub margin: i32,
    /// All edges that reach it.
    pub best: Edges,
}

/// The positions of a suite, all on one board.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's name without folder and extension.
    pub name: String,
    /// The board.
    pub board: Board,
    /// The positions in the order of the file.
    pub positions: Vec<SuitePosition>,
}

/// An error in a suite.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("cannot read suite {}: {error}", shell_word(path))]
    Read {
        /// The file.
        path: String,
        /// The error.
        error: io::Error,
    },
    /// A line is not a position with its answer.
    #[error("{}, line {line}: {reason}", shell_word(path))]
    Line {
        /// The file.
        path: String,
        /// The number of the line, from 1 on.
        line: usize,
        /// A description of the error.
        reason: String,
    },
    /// The file holds no position.
    #[error("suite {} is empty: it holds no position", shell_word(path))]
    Empty {
        /// The file.
        path: String,
    },
}

impl SuitePosition {
    /// Solves a state. Returns `None` if that takes more nodes, or if the game is over.
    pub fn solve(solver: &mut Solver, state: State, nodes: u64) -> Option<SuitePosition> {
        let solution = solver.solve(state, nodes);
        let margin = solution.margin().filter(|_| !solution.best.is_empty())?;
        Some(SuitePosition { state, margin, best: solution.best })
    }

    /// Returns the line of a suite for this position, without a line break. `kind` names the
    /// kind of the position.
    pub fn line(&self, kind: &str) -> String {
        let SuitePosition { state, margin, best } = self;
        let undrawn = state.undrawn().len();
        format!("{}\t{kind}\t{undrawn}\t{:#x}\t{margin}\t{best:#x}", state.board(), state.drawn())
    }
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, holds no position, has a malformed line or an
    /// impossible margin, or has positions of several boards.
    pub fn read(path: &Path) -> Result<Suite, SuiteError> {
        let name = path.display().to_string();
        let text = fs::read(path).map_err(|error| SuiteError::Read { path: name.clone(), error })?;
        let mut suite = Suite::parse(&text, &name)?;
        suite.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(suite)
    }

    /// Reads a suite from its text. The suite and errors have this name.
    ///
    /// # Errors
    /// Returns an error as [`Suite::read`] does.
    pub fn parse(text: &[u8], name: &str) -> Result<Suite, SuiteError> {
        let mut suite: Option<Suite> = None;
        for (line, text) in position_lines(text) {
            let bad = |reason| SuiteError::Line { path: name.into(), line, reason };
            let position = parse_line(&String::from_utf8_lossy(text)).map_err(bad)?;
            let board = position.state.board();
            let suite = suite.get_or_insert_with(|| Suite { name: name.into(), board, positions: Vec::new() });
            if suite.board != board {
                return Err(bad(format!("its board is {board}, and that of the lines before is {}", suite.board)));
            }
            suite.positions.push(position);
        }
        suite.ok_or_else(|| SuiteError::Empty { path: name.into() })
    }
}

/// The lines of a suite that have a position, with their numbers.
pub(super) fn position_lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    numbered_lines(text).filter(|(_, line)| !line.starts_with(b"#"))
}

fn parse_line(line: &str) -> Result<SuitePosition, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [board, _, undrawn, drawn, margin, best] = columns[..] else {
        return Err(format!("it has {} columns: a position has 6, separated by tabs", columns.len()));
    };
    let board: Board = board.parse().map_err(|error: TextError| error.to_string())?;
    let edges = |mask: &str| board.parse_edges(mask).map_err(|error| error.to_string());
    let (state, best) = (State::from_drawn(board, edges(drawn)?), edges(best)?);
    let margin: i32 = margin.parse().map_err(|_| format!("margin {margin} is not a number"))?;
    if state.undrawn().len().to_string() != undrawn {
        return Err(format!("it states {undrawn} undrawn edges, and its drawn edges leave {}", state.undrawn().len()));
    }
    if best.is_empty() || !best.intersection(state.drawn()).is_empty() {
        return Err("its optimal edges are not among its undrawn edges".into());
    }
    let (open, bounds) = (state.open_boxes(), Bounds::of_state(state));
    // Each box that is still open goes to one of the players.
    if !(bounds.lower..=bounds.upper).contains(&margin) || (margin - open as i32) % 2 != 0 {
        let parity = if open % 2 == 0 { "even" } else { "odd" };
        let Bounds { lower, upper, .. } = bounds;
        return Err(format!("margin {margin} is impossible: there it must be {parity} and from {lower} to {upper}"));
    }
    Ok(SuitePosition { state, margin, best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_line_is_read_back() {
        let board = Board::new(2, 3).unwrap();
        let edges = |numbers: &[usize]| numbers.iter().map(|&number| board.all().iter().nth(number).unwrap()).collect();
        let state = State::from_drawn(board, edges(&[0, 3, 16]));
        let position = SuitePosition { state, margin: -2, best: edges(&[1, 15]) };
        let line = position.line("careful");
        assert_eq!(line, "2x3\tcareful\t14\t0x10009\t-2\t0x8002");
        assert_eq!(parse_line(&line), Ok(position));
    }

    #[test]
    fn impossible_margins_are_refused() {
        let line = |margin: i32| format!("2x2\tx\t12\t0x0\t{margin}\t0x1");
        for margin in [-6, 5, 6, 1, -3, i32::MAX, i32::MIN] {
            let error = parse_line(&line(margin)).unwrap_err();
            assert!(error.contains("even"), "{margin}: {error}");
        }
        assert!(parse_line(&line(-2)).is_ok());
    }
}
