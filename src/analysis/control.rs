//! Who will be in control when the safe edges are gone.

use crate::board::{Board, Edge, Edges};
use crate::solver::{Offer, Solution, safe_edges};

/// Follows optimal play, safe edges first and then short chains, to the first opening of a long chain or a loop: the
/// player who does not have to make it controls. Whether that is the player to move; `None` when `solve` leaves a
/// position open or nothing is opened any more.
pub fn controls(board: Board, mut drawn: Edges, mut solve: impl FnMut(Edges) -> Solution) -> Option<bool> {
    let mut is_mover = true;
    loop {
        let offer = Offer::resolve(board.layout(), board.strings(drawn));
        drawn = board.drawn(offer.rest);
        let solution = solve(drawn);
        let margin = solution.margin()?;
        if offer.price > 0 && -offer.price - margin > margin {
            // Keeping control leaves the rest to the opponent.
            is_mover = !is_mover;
        }
        // What leaves the opponent nothing to keep control with: safe edges first, then those that open short chains.
        let keeps_no_control =
            |edge: &Edge| Offer::resolve(board.layout(), board.strings(drawn.with(*edge))).price == 0;
        let safe = safe_edges(board, drawn).intersection(solution.best).lowest();
        match safe.or_else(|| solution.best.iter().find(keeps_no_control)) {
            Some(edge) => drawn.insert(edge),
            None => return (!solution.best.is_empty()).then_some(!is_mover),
        }
        is_mover = !is_mover;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_edges;
    use crate::solver::Solver;

    fn who(text: &str) -> Option<bool> {
        let (board, drawn) = parse_edges(text).unwrap();
        let mut solver = Solver::new(board, 1 << 12);
        controls(board, drawn, |drawn| solver.solve(drawn, u64::MAX))
    }

    #[test]
    fn short_chains_are_opened_before_control_is_told() {
        // Chains of 1, 3 and 3: the mover gives one box, and the other player has to open the first long chain.
        assert_eq!(who("1x7:0x24f636"), Some(true));
        // A single chain of three, and no safe edge.
        assert_eq!(who("1x3:0x3f"), Some(false));
        // Two boxes that are taken at once: nothing is opened.
        assert_eq!(who("1x2:0x2f"), None);
    }
}
