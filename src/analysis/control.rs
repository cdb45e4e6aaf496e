//! Control: the player who has it when the safe edges are gone.

use crate::board::{Edge, State};

/// Returns `Some(true)` if the player to move will be the controller, who does not have to be the
/// first to open a long chain or a loop, and `Some(false)` if the opponent will be.
///
/// The function follows optimal play from a state with this margin, with safe edges first and then
/// short chains. `is_at_least` tells if the margin of a state is at least a target. The function
/// returns `None` if that leaves a question open, or if no long chain or loop is opened any more.
pub fn controls(
    mut state: State,
    mut margin: i32,
    mut is_at_least: impl FnMut(State, i32) -> Option<bool>,
) -> Option<bool> {
    let mut is_mover = true;
    loop {
        let offer = state.offer();
        state = offer.rest;
        // Keeping control passes the turn to the opponent.
        margin = match offer.price {
            Some(price) if !is_at_least(state, -price / 2)? => {
                is_mover = !is_mover;
                offer.taken - price - margin
            }
            _ => margin - offer.taken,
        };
        if state.is_over() {
            return None;
        }
        let Some(edge) = uncontrolled_edge(state, margin, &mut is_at_least)? else { return Some(!is_mover) };
        state = state.after(edge);
        margin = -margin;
        is_mover = !is_mover;
    }
}

/// Returns an optimal edge of a capture-free state with which the opponent cannot keep control:
/// a safe edge, or else one that opens a short chain.
fn uncontrolled_edge(
    state: State,
    margin: i32,
    is_at_least: &mut impl FnMut(State, i32) -> Option<bool>,
) -> Option<Option<Edge>> {
    let safe = state.safe_edges();
    let edges: Vec<Edge> = state.equivalent_edges().into_iter().filter_map(|edges| edges.lowest()).collect();
    let opens_short_chain = |edge: &&Edge| !safe.contains(**edge) && state.after(**edge).offer().price.is_none();
    let candidates = edges.iter().filter(|edge| safe.contains(**edge)).chain(edges.iter().filter(opens_short_chain));
    for &edge in candidates {
        if !is_at_least(state.after(edge), 1 - margin)? {
            return Some(Some(edge));
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::solver::Solver;
    use proptest::prelude::*;

    fn controller(text: &str) -> Option<bool> {
        let state: State = text.parse().unwrap();
        let mut solver = Solver::new(state.board(), 1 << 12);
        let margin = solver.margin(state, u64::MAX).unwrap();
        controls(state, margin, |state, target| solver.is_at_least(state, target, u64::MAX))
    }

    #[test]
    fn short_chains_are_opened_before_control_is_decided() {
        // Chains of 1, 3 and 3: the player to move gives one box, and the opponent has to open the
        // first long chain.
        assert_eq!(controller("1x7:0x24f636"), Some(true));
        // A single chain of three, and no safe edge.
        assert_eq!(controller("1x3:0x3f"), Some(false));
        // Two boxes that are taken at once: nothing is opened.
        assert_eq!(controller("1x2:0x2f"), None);
    }

    /// The controller by all optimal edges of each state on the way.
    fn expected(mut state: State, solver: &mut Solver) -> Option<bool> {
        let mut is_mover = true;
        loop {
            let offer = state.offer();
            state = offer.rest;
            let solution = solver.solve(state, u64::MAX);
            is_mover ^= offer.keeps_control(solution.margin()? as f32);
            let prevents_control = |edge: &Edge| state.after(*edge).offer().price.is_none();
            let safe = state.safe_edges().intersection(solution.best).lowest();
            match safe.or_else(|| solution.best.iter().find(prevents_control)) {
                Some(edge) => state = state.after(edge),
                None => return (!solution.best.is_empty()).then_some(!is_mover),
            }
            is_mover = !is_mover;
        }
    }

    proptest! {
        #[test]
        fn the_controller_is_that_of_optimal_play(rows in 1..4usize, cols in 2..4usize, word: u64, other: u64) {
            let board = Board::new(rows, cols).unwrap();
            let state = State::from_drawn(board, Edges::from_bytes((word | other).to_le_bytes()).intersection(board.all()));
            let mut solver = Solver::new(board, 1 << 12);
            let margin = solver.margin(state, u64::MAX).unwrap();
            let found = controls(state, margin, |state, target| solver.is_at_least(state, target, u64::MAX));
            prop_assert_eq!(found, expected(state, &mut solver), "{}", state);
        }
    }
}
