//! Who will be in control when the safe edges are gone.

use crate::board::{Board, Edges};
use crate::solver::{Offer, Solution, safe_edges};

/// Follows optimal play, safe edges first, to the first opening: the player who does not have to make it controls.
/// Whether that is the player to move; `None` when `solve` leaves a position open or nothing is opened any more.
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
        let safe = safe_edges(board, drawn).intersection(solution.best);
        match safe.lowest() {
            Some(edge) => drawn.insert(edge),
            None => return (!solution.best.is_empty()).then_some(!is_mover),
        }
        is_mover = !is_mover;
    }
}
