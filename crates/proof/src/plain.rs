//! A second solver, as plain as it can be and still answer: the referee of proofs.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use doublecross_core::board::{Board, Edge, Offer, Orientation, State};
use doublecross_core::solver::Bounds;

use super::Claim;
use super::string_list::StringList;

/// An alpha-beta search that shares no code with the search of [`Solver`](doublecross_core::solver::Solver).
///
/// It draws edges, resolves boxes on offer as docs/strategy.md, section 8, says, and remembers the
/// bounds of every position that it visits under the list of its strings (section 9). It has no keys
/// that could be mistaken, no closed forms and no evictions, so it is slow and takes some 200 bytes
/// for each position.
///
/// ```
/// use doublecross_proof::{Claim, PlainSolver};
/// let mut plain = PlainSolver::new();
/// assert_eq!(plain.is_true(Claim::at_least("2x3".parse()?, -2), 1_000_000), Some(true));
/// assert_eq!(plain.is_true(Claim::at_least("2x3".parse()?, 0), 1_000_000), Some(false));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
#[derive(Debug, Default)]
pub struct PlainSolver {
    /// The bounds of the margins of capture-free states, by the lists of their strings.
    known: HashMap<Box<[u32]>, [i8; 2]>,
    /// The place of each edge in the order in which safe edges are tried.
    places: Vec<usize>,
    /// The number of positions that may still be visited.
    left: u64,
    stop: Arc<AtomicBool>,
}

impl PlainSolver {
    /// Creates a solver that knows nothing.
    pub fn new() -> PlainSolver {
        PlainSolver::default()
    }

    /// Creates a solver that gives up when `stop` is set.
    pub fn stopped_by(stop: Arc<AtomicBool>) -> PlainSolver {
        PlainSolver { stop, ..PlainSolver::default() }
    }

    /// Returns the answer to a claim, or `None` if it takes more than `positions` positions or the
    /// solver is stopped. What was found for earlier claims is forgotten.
    pub fn is_true(&mut self, claim: Claim, positions: u64) -> Option<bool> {
        self.known.clear();
        self.left = positions;
        // The player who has to find moves if the claim is true.
        let is_first = claim.state.drawn().len().is_multiple_of(2) == claim.is_reached;
        self.places = places(claim.state.board(), is_first);
        let reached = self.reaches(&Successor::of(claim.state.offer()), claim.target)?;
        Some(reached == claim.is_reached)
    }

    /// Returns `true` if the margin in a successor is at least `target`.
    fn reaches(&mut self, successor: &Successor, target: i32) -> Option<bool> {
        let Offer { taken, price, .. } = successor.offer;
        if self.rest_reaches(successor, target - taken)? {
            return Some(true);
        }
        match price {
            None => Some(false),
            // Keeping control reaches the target if taken - price - V(rest) >= target.
            Some(price) => Some(!self.rest_reaches(successor, taken - price - target + 1)?),
        }
    }

    /// Returns `true` if the margin in the rest of a successor is at least `target`.
    fn rest_reaches(&mut self, Successor { offer, strings }: &Successor, target: i32) -> Option<bool> {
        let mut bounds = self.known(strings).unwrap_or(Bounds::of_state(offer.rest));
        if let Some(reached) = Claim::at_least(offer.rest, target).follows_from(bounds) {
            return Some(reached);
        }
        self.left = self.left.checked_sub(1).filter(|_| !self.stop.load(Relaxed))?;
        let mut successors = Vec::new();
        let mut reached = false;
        // The search begins when no move is known to be enough.
        for successor in self.offers(offer.rest).into_iter().map(Successor::of) {
            reached = self.is_known_to_miss(&successor, 1 - target);
            if reached {
                break;
            }
            successors.push(successor);
        }
        let mut untried = successors.iter();
        while !reached && let Some(successor) = untried.next() {
            reached = !self.reaches(successor, 1 - target)?;
        }
        bounds.answer(target, reached);
        // No board has more boxes than fit.
        self.known.insert(strings.as_slice().into(), [bounds.lower as i8, bounds.upper as i8]);
        Some(reached)
    }

    /// Returns the bounds of a margin that are remembered.
    fn known(&self, strings: &StringList) -> Option<Bounds> {
        self.known.get(strings.as_slice()).map(|&[lower, upper]| Bounds::new(lower.into(), upper.into()))
    }

    /// Returns `true` if it is remembered that the margin in a successor is less than `target`.
    fn is_known_to_miss(&self, Successor { offer, strings }: &Successor, target: i32) -> bool {
        let bounds = self.known(strings).unwrap_or(Bounds::of_state(offer.rest));
        offer.taken + bounds.upper < target
            && offer.price.is_none_or(|price| offer.taken - price - bounds.lower < target)
    }

    /// Returns the offers after each edge: those of safe edges first, and then those with the fewest
    /// boxes. Edges that lead to the same capture-free state are taken once.
    fn offers(&self, state: State) -> Vec<Offer> {
        let safe = state.safe_edges();
        let mut moves: Vec<(usize, Offer)> = Vec::new();
        for edge in state.undrawn() {
            let is_safe = safe.contains(edge);
            let after = state.after(edge);
            let offer = if is_safe { Offer { taken: 0, rest: after, price: None } } else { after.offer() };
            // No two safe edges lead to the same state.
            if is_safe || moves.iter().all(|(_, other)| *other != offer) {
                moves.push((self.places[edge.index()], offer));
            }
        }
        moves.sort_by_key(|&(place, offer)| (offer.taken, place));
        moves.into_iter().map(|(_, offer)| offer).collect()
    }
}

/// A state with its boxes on offer resolved.
struct Successor {
    offer: Offer,
    /// The strings of the rest.
    strings: StringList,
}

impl Successor {
    fn of(offer: Offer) -> Successor {
        Successor { offer, strings: StringList::of(offer.rest) }
    }
}

/// Returns the place of each edge in the order that suits the first or the second player. One order
/// serves both: that of the player whose moves are all tried hardly matters
/// (docs/experiments/solver.md#n91).
fn places(board: Board, is_first: bool) -> Vec<usize> {
    let key = |edge: Edge| {
        let (orientation, row, col) = board.coordinates(edge);
        let (y, x) = match orientation {
            Orientation::Horizontal => (2 * row, 2 * col + 1),
            Orientation::Vertical => (2 * row + 1, 2 * col),
        };
        let (mut across, mut along) = (y.abs_diff(board.rows()), x.abs_diff(board.cols()));
        if board.rows() % 2 == 1 && board.cols().is_multiple_of(2) {
            (across, along) = (along, across);
        }
        let is_border = board.boxes_of(edge).len() == 1;
        match is_first {
            true => (is_border, along + across, Reverse(along)),
            false => (is_border, along, Reverse(across)),
        }
    };
    let mut edges: Vec<Edge> = board.all().iter().collect();
    edges.sort_by_key(|&edge| key(edge));
    let mut places = vec![0; board.edges()];
    for (place, edge) in edges.into_iter().enumerate() {
        places[edge.index()] = place;
    }
    places
}
