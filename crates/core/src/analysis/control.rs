//! Control: the player who has it when the safe edges are gone.

use crate::board::{Edge, State};

/// The budgets with which each question is asked in turn, in nodes. An optimal edge that the search
/// for the margin has followed is proved with few, and then no other one has to be disproved.
const BUDGETS: [u64; 4] = [1_000, 30_000, 1_000_000, u64::MAX];

/// Returns `Some(true)` if the player to move will be the controller, who does not have to be the
/// first to open a long chain or a loop, and `Some(false)` if the opponent will be.
///
/// The function follows a line of optimal play from a state with this margin, with safe edges first
/// and then short chains. `is_at_least` decides within a budget of nodes if the margin of a state is
/// at least a target. The function returns `None` if that leaves a question open, or if no long
/// chain or loop is opened any more.
pub fn controls(
    mut state: State,
    mut margin: i32,
    mut is_at_least: impl FnMut(State, i32, u64) -> Option<bool>,
) -> Option<bool> {
    let mut is_mover = true;
    loop {
        let offer = state.offer();
        state = offer.rest;
        // Keeping control passes the turn to the opponent.
        margin = match offer.price {
            Some(price) if !is_at_least(state, -price / 2, u64::MAX)? => {
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
    is_at_least: &mut impl FnMut(State, i32, u64) -> Option<bool>,
) -> Option<Option<Edge>> {
    let edges: Vec<Edge> = state.equivalent_edges().into_iter().filter_map(|edges| edges.lowest()).collect();
    let (safe, others): (Vec<Edge>, Vec<Edge>) = edges.into_iter().partition(|edge| state.safe_edges().contains(*edge));
    let opens_short_chain = |edge: &Edge| state.after(*edge).offer().price.is_none();
    for mut open in [safe, others.into_iter().filter(opens_short_chain).collect()] {
        for budget in BUDGETS {
            let mut unsettled = Vec::new();
            for edge in open {
                match is_at_least(state.after(edge), 1 - margin, budget) {
                    Some(false) => return Some(Some(edge)),
                    Some(true) => {}
                    None => unsettled.push(edge),
                }
            }
            open = unsettled;
        }
        if !open.is_empty() {
            return None;
        }
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::board::{Board, Edges};
    use crate::solver::Solver;
    use proptest::prelude::*;

    fn controller(text: &str) -> Option<bool> {
        let state: State = text.parse().unwrap();
        let mut solver = Solver::new(state.board(), 1 << 12);
        let margin = solver.margin(state, u64::MAX).unwrap();
        controls(state, margin, |state, target, nodes| solver.is_at_least(state, target, nodes))
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

    /// What may be found for a state: the controllers by all lines of optimal play.
    fn expected(state: State, solver: &mut Solver) -> BTreeSet<Option<bool>> {
        let offer = state.offer();
        let (rest, solution) = (offer.rest, solver.solve(offer.rest, u64::MAX));
        let is_kept = offer.keeps_control(solution.margin().unwrap() as f32);
        let prevents_control = |edge: &Edge| rest.after(*edge).offer().price.is_none();
        let safe: Vec<Edge> = rest.safe_edges().intersection(solution.best).iter().collect();
        let edges = if safe.is_empty() { solution.best.iter().filter(prevents_control).collect() } else { safe };
        let mover_of_rest: BTreeSet<Option<bool>> = if edges.is_empty() {
            BTreeSet::from([(!solution.best.is_empty()).then_some(false)])
        } else {
            let after = edges.into_iter().flat_map(|edge| expected(rest.after(edge), solver));
            after.map(|controller| controller.map(|is_mover| !is_mover)).collect()
        };
        mover_of_rest.into_iter().map(|controller| controller.map(|is_mover| is_mover != is_kept)).collect()
    }

    proptest! {
        #[test]
        fn the_controller_is_that_of_optimal_play(rows in 1..4usize, cols in 2..4usize, word: u64, other: u64, third: u64) {
            let board = Board::new(rows, cols).unwrap();
            let state = State::from_drawn(board, Edges::from_bytes(&(word | other | third).to_le_bytes()).intersection(board.all()));
            let mut solver = Solver::new(board, 1 << 12);
            let margin = solver.margin(state, u64::MAX).unwrap();
            let found = controls(state, margin, |state, target, nodes| solver.is_at_least(state, target, nodes));
            prop_assert!(expected(state, &mut solver).contains(&found), "{} {:?}", state, found);
        }
    }
}
