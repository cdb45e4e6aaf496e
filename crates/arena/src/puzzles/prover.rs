//! Proofs that exactly one move of a position wins.

use doublecross_core::board::{Board, Edges, Position, State};
use doublecross_core::solver::{MoveQuestion, Solver};

use super::distinct_moves;

/// The fewest distinct moves of a position that is a puzzle.
pub(super) const MIN_MOVES: usize = 3;

/// The solution of a puzzle, with final margins of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Solution {
    /// The edges of the one winning move.
    pub edges: Edges,
    /// The margin after it.
    pub margin: i32,
    /// The largest margin after any other move, 0 or less.
    pub next: i32,
}

/// The result of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The budget does not suffice.
    Unsettled,
    /// The position is no puzzle: no move wins, several do, or there are fewer than [`MIN_MOVES`].
    NoPuzzle,
    /// Exactly one move wins.
    Puzzle(Solution),
}

/// A prover for positions of one board.
pub(super) struct Prover {
    solver: Solver,
    nodes_left: u64,
}

/// The number of entries of the solver's table, 11 bytes each.
const TABLE_ENTRIES: usize = 1 << 18;

/// The budget ended before the answer.
struct Exhausted;

impl Prover {
    pub fn new(board: Board) -> Prover {
        Prover { solver: Solver::new(board, TABLE_ENTRIES), nodes_left: 0 }
    }

    /// Returns the verdict on a position that is not over within a budget of `nodes` nodes. It does
    /// not depend on earlier positions.
    pub fn verdict(&mut self, position: &Position, nodes: u64) -> Verdict {
        let moves = distinct_moves(position.state());
        if moves.len() < MIN_MOVES {
            return Verdict::NoPuzzle;
        }
        self.solver.clear();
        self.nodes_left = nodes;
        match self.solution(position, &moves) {
            Ok(Some(solution)) => Verdict::Puzzle(solution),
            Ok(None) => Verdict::NoPuzzle,
            Err(Exhausted) => Verdict::Unsettled,
        }
    }

    /// The cheap questions come first: most positions are won by no move or by several.
    fn solution(&mut self, position: &Position, moves: &[Edges]) -> Result<Option<Solution>, Exhausted> {
        let (state, lead) = (position.state(), position.lead());
        if !self.is_at_least(state, 1 - lead)? {
            return Ok(None);
        }
        let mut winning = None;
        for &edges in moves {
            if self.reaches(state, edges, 1 - lead)? && winning.replace(edges).is_some() {
                return Ok(None);
            }
        }
        let Some(winning) = winning else { return Ok(None) };
        let margin = lead + self.margin_after(state, winning)?;
        let mut next = None;
        for &edges in moves.iter().filter(|&&edges| edges != winning) {
            next = next.max(Some(lead + self.margin_after(state, edges)?));
        }
        Ok(next.map(|next| Solution { edges: winning, margin, next }))
    }

    /// Returns `true` if the margin of the player to move is at least `margin`.
    fn is_at_least(&mut self, state: State, margin: i32) -> Result<bool, Exhausted> {
        let answer = self.solver.is_at_least(state, margin, self.nodes_left);
        self.spend(answer)
    }

    /// Returns `true` if a move leads to a margin of at least `margin`.
    fn reaches(&mut self, state: State, edges: Edges, margin: i32) -> Result<bool, Exhausted> {
        let Some(edge) = edges.lowest() else { return Ok(false) };
        let MoveQuestion { target, wanted } = MoveQuestion::new(state.captures(edge), margin);
        Ok(self.is_at_least(state.after(edge), target)? == wanted)
    }

    /// Returns the margin of the player to move after a move.
    fn margin_after(&mut self, state: State, edges: Edges) -> Result<i32, Exhausted> {
        let edge = edges.lowest().ok_or(Exhausted)?;
        let answer = self.solver.margin(state.after(edge), self.nodes_left);
        let rest = self.spend(answer)?;
        Ok(match state.captures(edge) as i32 {
            0 => -rest,
            captures => captures + rest,
        })
    }

    /// Takes the nodes of the last question from the budget.
    fn spend<T>(&mut self, answer: Option<T>) -> Result<T, Exhausted> {
        self.nodes_left = self.nodes_left.saturating_sub(self.solver.nodes());
        answer.ok_or(Exhausted)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, any_position};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn verdicts_agree_with_a_plain_minimax((_, position) in any_position(11)) {
            prop_assume!(!position.is_over());
            let verdict = Prover::new(position.board()).verdict(&position, u64::MAX);
            let (edges, margin, next) = answer(&position);
            let moves = distinct_moves(position.state());
            // One winning move is one group of edges, and there is another.
            let expected = match next.filter(|_| moves.len() >= MIN_MOVES && moves.contains(&edges)) {
                Some(next) => Verdict::Puzzle(Solution { edges, margin, next }),
                None => Verdict::NoPuzzle,
            };
            prop_assert_eq!(verdict, expected, "{}", position);
        }
    }

    #[test]
    fn a_budget_that_does_not_suffice_is_told() {
        let position = Position::new(Board::new(4, 4).unwrap());
        let mut prover = Prover::new(position.board());
        assert_eq!(prover.verdict(&position, 100), Verdict::Unsettled);
        assert_eq!(prover.verdict(&position, 0), Verdict::Unsettled);
    }
}
