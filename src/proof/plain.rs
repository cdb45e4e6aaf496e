//! A second solver, as plain as it can be and still answer: the referee of proofs.

use std::collections::HashMap;

use crate::board::{Edge, Edges, Orientation, State};
use crate::solver::Bounds;

use super::Claim;

/// An alpha-beta search that shares nothing with [`Solver`](crate::solver::Solver).
///
/// It searches over edges, resolves boxes on offer as docs/strategy.md, section 8, says, and
/// remembers the bounds of every position that it visits under the position itself. It has no
/// graphs, no keys that could be mistaken, no closed forms, no symmetries and no evictions, so it
/// is slow and takes some 40 bytes for each position.
///
/// ```
/// use doublecross::proof::{Claim, PlainSolver};
/// let mut plain = PlainSolver::new();
/// assert_eq!(plain.is_true(Claim::at_least("2x3".parse()?, -2), 1_000_000), Some(true));
/// assert_eq!(plain.is_true(Claim::at_least("2x3".parse()?, 0), 1_000_000), Some(false));
/// # Ok::<(), doublecross::board::TextError>(())
/// ```
#[derive(Debug, Default)]
pub struct PlainSolver {
    /// The bounds of the margins of capture-free states, by their drawn edges.
    known: HashMap<Edges, [i8; 2]>,
    /// The number of positions that may still be visited.
    left: u64,
}

impl PlainSolver {
    /// Creates a solver that knows nothing.
    pub fn new() -> PlainSolver {
        PlainSolver::default()
    }

    /// Returns the answer to a claim, or `None` if it takes more than `positions` positions. What
    /// was found for earlier claims is forgotten.
    pub fn is_true(&mut self, claim: Claim, positions: u64) -> Option<bool> {
        self.known.clear();
        self.left = positions;
        self.reaches(claim.state, claim.target).map(|reached| reached == claim.is_reached)
    }

    /// Returns `true` if the margin of any state is at least `target`.
    fn reaches(&mut self, state: State, target: i32) -> Option<bool> {
        let offer = state.offer();
        if self.rest_reaches(offer.rest, target - offer.taken)? {
            return Some(true);
        }
        match offer.price {
            None => Some(false),
            // Keeping control reaches the target if taken - price - V(rest) >= target.
            Some(price) => Some(!self.rest_reaches(offer.rest, offer.taken - price - target + 1)?),
        }
    }

    /// Returns `true` if the margin of a capture-free state is at least `target`.
    fn rest_reaches(&mut self, state: State, target: i32) -> Option<bool> {
        let known = self.known.get(&state.drawn()).map(|known| known.map(i32::from));
        let mut bounds = known.map_or_else(|| Bounds::of_state(state), |[lower, upper]| Bounds::new(lower, upper));
        if let Some(reached) = Claim::at_least(state, target).follows_from(bounds) {
            return Some(reached);
        }
        self.left = self.left.checked_sub(1)?;
        let mut reached = false;
        for successor in successors(state) {
            if !self.reaches(successor, 1 - target)? {
                reached = true;
                break;
            }
        }
        bounds.answer(target, reached);
        // No board has more boxes than fit.
        self.known.insert(state.drawn(), [bounds.lower as i8, bounds.upper as i8]);
        Some(reached)
    }
}

/// Returns the states after each edge: the safe ones first, from the centre of the board, then
/// those that open the least. Edges that lead to the same capture-free state are taken once.
fn successors(state: State) -> Vec<State> {
    let board = state.board();
    let place = |edge: Edge| {
        let (orientation, row, col) = board.coordinates(edge);
        let (y, x) = match orientation {
            Orientation::Horizontal => (2 * row, 2 * col + 1),
            Orientation::Vertical => (2 * row + 1, 2 * col),
        };
        y.abs_diff(board.rows()) + x.abs_diff(board.cols())
    };
    let mut moves: Vec<(i32, usize, State)> = Vec::new();
    let mut rests = Vec::new();
    for edge in state.undrawn() {
        let offer = state.after(edge).offer();
        if !rests.contains(&offer) {
            rests.push(offer);
            moves.push((offer.taken, place(edge), state.after(edge)));
        }
    }
    moves.sort_by_key(|&(taken, place, _)| (taken, place));
    moves.into_iter().map(|(_, _, after)| after).collect()
}
