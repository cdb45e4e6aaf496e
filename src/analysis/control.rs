//! Control: the player who has it when the safe edges are gone.

use crate::board::{Edge, State};
use crate::solver::Solution;

/// Returns `Some(true)` if the player to move will be the controller, who does not have to be the
/// first to open a long chain or a loop, and `Some(false)` if the opponent will be.
///
/// The function follows optimal play, with safe edges first and then short chains. It returns
/// `None` if `solve` leaves a state open, or if no long chain or loop is opened any more.
pub fn controls(mut state: State, mut solve: impl FnMut(State) -> Solution) -> Option<bool> {
    let mut is_mover = true;
    loop {
        let offer = state.offer();
        state = offer.rest;
        let solution = solve(state);
        if offer.keeps_control(solution.margin()? as f32) {
            // Keeping control passes the turn to the opponent.
            is_mover = !is_mover;
        }
        // Edges with which the opponent cannot keep control: safe edges first, then those that open
        // short chains.
        let prevents_control = |edge: &Edge| state.after(*edge).offer().price.is_none();
        let safe = state.safe_edges().intersection(solution.best).lowest();
        match safe.or_else(|| solution.best.iter().find(prevents_control)) {
            Some(edge) => state = state.after(edge),
            None => return (!solution.best.is_empty()).then_some(!is_mover),
        }
        is_mover = !is_mover;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Solver;

    fn controller(text: &str) -> Option<bool> {
        let state: State = text.parse().unwrap();
        let mut solver = Solver::new(state.board(), 1 << 12);
        controls(state, |state| solver.solve(state, u64::MAX))
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
}
