//! Suites of positions of random careful play, the same whenever they are made.

use std::collections::HashSet;

use rayon::prelude::*;

use super::{Suite, SuitePosition};
use crate::random::{Purpose, careful_state, stream};
use doublecross_core::board::{Board, State};
use doublecross_core::search::reach_on;
use doublecross_core::solver::Solver;

/// The entries of each solver's table.
///
/// The positions that a budget settles depend on it, and the suite must depend on its settings
/// alone.
pub(super) const TABLE: usize = 1 << 18;

/// The settings of a suite of random careful play, which do not depend on a run's seed, so that runs
/// can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvedSuiteSettings {
    /// The board.
    pub board: Board,
    /// The number of positions.
    pub positions: usize,
    /// The fewest undrawn edges of a position.
    pub least_undrawn: usize,
    /// The most undrawn edges of a position; there are more where safe edges run out.
    pub most_undrawn: usize,
    /// The nodes that the solver may spend on a position. Those that it does not settle are left
    /// out.
    pub nodes: u64,
}

/// A suite, and all positions that were found for it.
#[derive(Clone, Debug)]
pub struct SolvedSuite {
    /// The positions that the solver settled.
    pub suite: Suite,
    /// The canonical forms of all positions.
    pub held_out: HashSet<State>,
}

impl SolvedSuiteSettings {
    /// Returns the settings of a board's default suite, which are those of the built-in configs.
    pub fn default_of(board: Board) -> SolvedSuiteSettings {
        let least_undrawn = (board.edges() / 2).min(reach_on(board, 28));
        let most_undrawn = least_undrawn + (board.edges() / 4).min(8);
        SolvedSuiteSettings { board, positions: 200, least_undrawn, most_undrawn, nodes: 1_000_000 }
    }

    /// Returns the name of the suite: that of the board's default suite, or else "suite".
    pub fn name(&self) -> String {
        if *self == SolvedSuiteSettings::default_of(self.board) {
            format!("{}-default", self.board)
        } else {
            "suite".into()
        }
    }

    /// Finds and solves the positions on rayon's threads, and calls `report` after each. Returns all
    /// positions that were found, of which the suite has those that the solver settled.
    pub fn make(&self, report: &(dyn Fn() + Sync)) -> SolvedSuite {
        let (positions, held_out) = self.find();
        let solver = || Solver::new(self.board, TABLE);
        let solved = positions.into_par_iter().map_init(solver, |solver, state| {
            // The positions that are settled must not depend on those that this thread solved before.
            solver.clear();
            let position = SuitePosition::solve(solver, state, self.nodes);
            report();
            position
        });
        let positions = solved.flatten().collect();
        SolvedSuite { suite: Suite { name: self.name(), board: self.board, positions }, held_out }
    }

    /// Returns the positions that a run with this suite learns nothing from, in their canonical
    /// form.
    pub fn held_out(&self) -> HashSet<State> {
        self.find().1
    }

    /// Finds distinct positions, and returns them with their canonical forms: fewer than asked for if
    /// the board lacks them.
    fn find(&self) -> (Vec<State>, HashSet<State>) {
        let (mut positions, mut held_out) = (Vec::new(), HashSet::new());
        for number in 0..20 * self.positions as u64 {
            if positions.len() == self.positions {
                break;
            }
            let mut rng = stream(0, 0, number, Purpose::Suite);
            let state = careful_state(self.board, self.least_undrawn..=self.most_undrawn, &mut rng);
            if held_out.insert(state.canonical().0) {
                positions.push(state);
            }
        }
        (positions, held_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_a_default_suite() {
        for (rows, cols) in [(1, 1), (1, 4), (2, 2), (2, 5), (4, 5)] {
            let board = Board::new(rows, cols).unwrap();
            let suite = SolvedSuiteSettings::default_of(board).make(&|| ()).suite;
            assert!(!suite.positions.is_empty() && suite.name == format!("{board}-default"), "{board}");
        }
    }
}
