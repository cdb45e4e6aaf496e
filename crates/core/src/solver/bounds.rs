//! Proved bounds of a margin.

use crate::board::{Offer, State};

/// Proved bounds of a margin, in boxes. They have the parity of the number of open boxes, as all
/// margins do.
///
/// ```
/// use doublecross_core::solver::Bounds;
/// let successor = Bounds::new(-2, 4);
/// // The player to move captures nothing, so the opponent is to move in the successor.
/// assert_eq!(successor.after(0), Bounds::new(-4, 2));
/// // The player to move captures a box and moves again.
/// assert_eq!(successor.after(1), Bounds::new(-1, 5));
/// // Two facts together.
/// let both = successor.intersect(Bounds::new(4, 8));
/// assert_eq!(both.margin(), Some(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The margin is at least this.
    pub lower: i32,
    /// The margin is at most this.
    pub upper: i32,
}

impl Bounds {
    /// Bounds that say nothing, of whatever state.
    pub const UNKNOWN: Bounds = Bounds { lower: i32::MIN, upper: i32::MAX };

    /// Creates bounds from `lower` to `upper`.
    pub const fn new(lower: i32, upper: i32) -> Bounds {
        Bounds { lower, upper }
    }

    /// Creates the bounds of a known margin.
    pub const fn exact(margin: i32) -> Bounds {
        Bounds { lower: margin, upper: margin }
    }

    /// Returns the widest bounds with this many open boxes.
    pub const fn of_open_boxes(boxes: i32) -> Bounds {
        Bounds { lower: -boxes, upper: boxes }
    }

    /// Returns the widest bounds of a state.
    pub fn of_state(state: State) -> Bounds {
        Bounds::of_open_boxes(state.open_boxes() as i32)
    }

    /// Returns `true` if the bounds leave nothing open. Bounds that contradict each other count as
    /// exact too.
    pub const fn is_exact(self) -> bool {
        self.lower >= self.upper
    }

    /// Returns the margin if the bounds meet.
    pub fn margin(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Returns `true` if the bounds allow this margin.
    pub const fn contains(self, margin: i32) -> bool {
        self.lower <= margin && margin <= self.upper
    }

    /// Returns the bounds of the other player's margin.
    #[must_use]
    pub const fn negate(self) -> Bounds {
        Bounds { lower: -self.upper, upper: -self.lower }
    }

    /// Returns the bounds of a margin that is larger by this number of boxes.
    #[must_use]
    pub const fn shift(self, boxes: i32) -> Bounds {
        Bounds { lower: self.lower + boxes, upper: self.upper + boxes }
    }

    /// Returns the bounds of the margin of the player to move after a move that captures `captures`
    /// boxes and leads to a state with these bounds.
    ///
    /// After a capture the same player moves again. After any other move the opponent does, and the
    /// margin changes its sign.
    #[must_use]
    pub const fn after(self, captures: usize) -> Bounds {
        if captures > 0 { self.shift(captures as i32) } else { self.negate() }
    }

    /// Returns the bounds of a state, given the bounds of the margin after a move that captures
    /// `captures` boxes and leads to it. The inverse of [`Bounds::after`].
    #[must_use]
    pub const fn before(self, captures: usize) -> Bounds {
        if captures > 0 { self.shift(-(captures as i32)) } else { self.negate() }
    }

    /// Returns the bounds that follow from both.
    #[must_use]
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// Narrows the bounds by the answer to the question "is the margin at least `target`?": `bound`
    /// is a lower bound if it reaches the target, and otherwise an upper bound. It is rounded to
    /// the parity of the bounds.
    pub fn narrow(&mut self, target: i32, bound: i32) {
        let odd = (bound ^ self.lower) & 1;
        if bound >= target {
            self.lower = bound + odd;
        } else {
            self.upper = bound - odd;
        }
    }

    /// Narrows the bounds by a yes or no to the question "is the margin at least `target`?".
    pub fn answer(&mut self, target: i32, is_reached: bool) {
        self.narrow(target, if is_reached { target } else { target - 1 });
    }

    /// Returns the target nearest to the guess for which the question "is the margin at least
    /// `target`?" is open.
    pub fn next_target(self, guess: i32) -> i32 {
        let guess = (guess + ((guess ^ self.lower) & 1)).clamp(self.lower, self.upper);
        if guess == self.lower { guess + 2 } else { guess }
    }
}

impl Offer {
    /// Returns the bounds of the margin, given bounds of the margin in `rest`.
    pub fn bounds(&self, rest: Bounds) -> Bounds {
        let Bounds { lower, upper } = rest;
        let lowest = match self.price {
            None => self.margin(lower),
            Some(price) => {
                // The better of the two choices is worst where they are worth the same, or beside
                // that point, since margins have the parity of the bounds.
                let meet = (-price).div_euclid(2).max(lower).min(upper);
                self.margin(meet) + ((meet ^ lower) & 1)
            }
        };
        Bounds { lower: lowest, upper: self.margin(lower).max(self.margin(upper)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use proptest::prelude::*;

    proptest! {
        /// The bounds of an offer are the smallest and the largest margin of the offer over all
        /// margins of the rest that the bounds of the rest allow.
        #[test]
        fn bounds_of_an_offer_are_those_of_its_margins(word in 0u64..1 << 24, low in -9..=9, width in 0..9) {
            let board = Board::new(3, 3).unwrap();
            let offer = State::from_drawn(board, Edges::from_bytes(&word.to_le_bytes())).offer();
            let rest = Bounds::new(low, low + 2 * width);
            let margins = (rest.lower..=rest.upper).step_by(2).map(|margin| offer.margin(margin));
            let found = offer.bounds(rest);
            prop_assert_eq!(Some(found.lower), margins.clone().min());
            prop_assert_eq!(Some(found.upper), margins.max());
        }

        /// Answering every open target in turn leads to the margin.
        #[test]
        fn answers_lead_to_the_margin(boxes in 0i32..25, index in 0i32..26, guess in -30..30) {
            let margin = -boxes + 2 * index.min(boxes);
            let mut bounds = Bounds::of_open_boxes(boxes);
            while !bounds.is_exact() {
                let target = bounds.next_target(guess);
                prop_assert!(bounds.lower < target && target <= bounds.upper);
                bounds.answer(target, margin >= target);
                prop_assert!(bounds.contains(margin));
            }
            prop_assert_eq!(bounds.margin(), Some(margin));
        }
    }
}
