//! Proofs of puzzles anew, independently of how they were made.

use std::collections::BTreeMap;

use thiserror::Error;

use doublecross_core::board::{Board, Edge, Edges, State};
use doublecross_core::bots::{EvaluatorSource, LEVELS};
use doublecross_core::solver::{Bounds, Solver};

use super::grader::Grader;
use super::prover::MIN_MOVES;
use super::{Puzzle, Theme, distinct_moves};

/// A reason for which a puzzle is not shown to be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WrongPuzzle {
    /// The game is over.
    #[error("its game is over")]
    Over,
    /// The edges that win are others.
    #[error("its edges are stated as {stated}: those that win are {proved}")]
    Edges {
        /// The stated edges.
        stated: String,
        /// The edges that win.
        proved: String,
    },
    /// The edges that win are several moves.
    #[error("its edges are more than one move: {0}")]
    SeveralMoves(String),
    /// There are too few moves to choose from.
    #[error("its position has {0} distinct moves: a puzzle has at least {MIN_MOVES}")]
    FewMoves(usize),
    /// A number or the theme is another one.
    #[error("its {field} is stated as {stated}: it is {proved}")]
    Field {
        /// The name of the field.
        field: &'static str,
        /// The stated value.
        stated: String,
        /// The proved value.
        proved: String,
    },
    /// No move wins, or each of them does.
    #[error("{0} of its moves win: in a puzzle some win and others do not")]
    NoChoice(&'static str),
    /// No budget of the solver suffices.
    #[error("its position is out of the solver's reach")]
    OutOfReach,
    /// The solver's budget does not suffice.
    #[error("it is not settled within {0} nodes (raise --nodes)")]
    Unsettled(u64),
}

impl WrongPuzzle {
    /// Returns `true` if the puzzle may be right, since the solver left it open.
    pub fn is_open(&self) -> bool {
        matches!(self, WrongPuzzle::OutOfReach | WrongPuzzle::Unsettled(_))
    }
}

/// A checker of puzzles. It asks the solver for the margin of each edge by itself, and does not rely
/// on which edges are one move.
pub struct PuzzleChecker {
    grader: Grader,
    solvers: BTreeMap<(usize, usize), Solver>,
}

/// The number of entries of a solver's table, 11 bytes each.
const TABLE_ENTRIES: usize = 1 << 20;

impl PuzzleChecker {
    /// Creates a checker. The last level asks `evaluators` if the position cannot be settled within its
    /// budget.
    pub fn new(evaluators: &EvaluatorSource) -> PuzzleChecker {
        PuzzleChecker { grader: Grader::new(evaluators, LEVELS.len()), solvers: BTreeMap::new() }
    }

    /// Checks a puzzle, with at most `nodes` nodes of the solver for each edge.
    ///
    /// # Errors
    /// Returns the first fault found.
    pub fn check(&mut self, puzzle: &Puzzle, nodes: u64) -> Result<(), WrongPuzzle> {
        let (position, board) = (&puzzle.position, puzzle.position.board());
        let (state, lead) = (position.state(), position.lead());
        if position.is_over() {
            return Err(WrongPuzzle::Over);
        }
        let mut finals: Vec<(Edge, i32)> = Vec::new();
        for edge in position.undrawn() {
            if !Solver::is_in_reach(state.after(edge)) {
                return Err(WrongPuzzle::OutOfReach);
            }
            let margin = self.edge_margin(state, edge, nodes).ok_or(WrongPuzzle::Unsettled(nodes))?;
            finals.push((edge, lead + margin));
        }
        let winning: Edges = finals.iter().filter(|(_, margin)| *margin > 0).map(|(edge, _)| *edge).collect();
        let of = |is_winning: bool| {
            let part = finals.iter().filter(move |(edge, _)| winning.contains(*edge) == is_winning);
            part.map(|(_, margin)| *margin).max()
        };
        if winning != puzzle.edges {
            let [stated, proved] = [puzzle.edges, winning].map(|edges| names(board, edges));
            return Err(WrongPuzzle::Edges { stated, proved });
        }
        let moves = distinct_moves(state);
        let (Some(margin), Some(next)) = (of(true), of(false)) else {
            return Err(WrongPuzzle::NoChoice(if winning.is_empty() { "none" } else { "all" }));
        };
        if !moves.contains(&winning) {
            return Err(WrongPuzzle::SeveralMoves(names(board, winning)));
        }
        if moves.len() < MIN_MOVES {
            return Err(WrongPuzzle::FewMoves(moves.len()));
        }
        same("margin", puzzle.margin, margin)?;
        same("next", puzzle.next, next)?;
        same("theme", puzzle.theme, Theme::of(state, winning))?;
        let level = self.grader.level(position, winning);
        same("level", puzzle.level.to_string(), level.map_or("none".into(), |level| level.to_string()))
    }

    /// Returns the margin of the player to move after drawing an edge.
    fn edge_margin(&mut self, state: State, edge: Edge, nodes: u64) -> Option<i32> {
        let board = state.board();
        let solver =
            self.solvers.entry((board.rows(), board.cols())).or_insert_with(|| Solver::new(board, TABLE_ENTRIES));
        let rest = solver.margin(state.after(edge), nodes)?;
        Bounds::exact(rest).after(state.captures(edge)).margin()
    }
}

/// Returns the names of edges in one text.
fn names(board: Board, edges: Edges) -> String {
    let names: Vec<String> = edges.iter().map(|edge| board.edge_name(edge)).collect();
    if names.is_empty() { "none".into() } else { names.join(" ") }
}

/// Returns an error if a stated value is not the proved one.
fn same<T: PartialEq + ToString>(field: &'static str, stated: T, proved: T) -> Result<(), WrongPuzzle> {
    if stated == proved {
        return Ok(());
    }
    Err(WrongPuzzle::Field { field, stated: stated.to_string(), proved: proved.to_string() })
}
