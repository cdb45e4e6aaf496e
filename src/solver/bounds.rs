//! Proved bounds of a margin, and the next question worth asking.

use crate::board::{Offer, State};

/// Proved bounds of a margin. Margins have the parity of the open boxes, and so have their bounds.
///
/// ```
/// use doublecross::solver::Bounds;
/// let successor = Bounds::new(-2, 4);
/// // The player to move captures nothing, so the opponent is to move in the successor.
/// assert_eq!(successor.after(0), Bounds::new(-4, 2));
/// // The player to move captures a box and moves again.
/// assert_eq!(successor.after(1), Bounds::new(-1, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The margin is at least this.
    pub lower: i32,
    /// The margin is at most this.
    pub upper: i32,
}

impl Bounds {
    /// The margin lies from `lower` to `upper`.
    pub const fn new(lower: i32, upper: i32) -> Bounds {
        Bounds { lower, upper }
    }

    /// The margin is known.
    pub const fn exact(margin: i32) -> Bounds {
        Bounds { lower: margin, upper: margin }
    }

    /// All that this many open boxes leave possible.
    pub const fn of_open_boxes(boxes: i32) -> Bounds {
        Bounds { lower: -boxes, upper: boxes }
    }

    /// All that a state leaves possible.
    pub fn of_state(state: State) -> Bounds {
        Bounds::of_open_boxes(state.open_boxes() as i32)
    }

    /// Returns `true` if nothing is left to ask. Bounds that contradict each other count as exact too.
    pub const fn is_exact(self) -> bool {
        self.lower >= self.upper
    }

    /// The margin, if the bounds meet.
    pub fn margin(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Returns `true` if the margin may be this.
    pub const fn contains(self, margin: i32) -> bool {
        self.lower <= margin && margin <= self.upper
    }

    /// Bounds of the other player's margin.
    #[must_use]
    pub const fn negate(self) -> Bounds {
        Bounds { lower: -self.upper, upper: -self.lower }
    }

    /// Bounds of a margin that is larger by so many boxes.
    #[must_use]
    pub const fn shift(self, boxes: i32) -> Bounds {
        Bounds { lower: self.lower + boxes, upper: self.upper + boxes }
    }

    /// Bounds of the mover's margin with a move that captures so many boxes and leads to a state with these bounds.
    ///
    /// A capture keeps the turn; any other move passes it on, and the margin changes its sign.
    #[must_use]
    pub const fn after(self, captures: usize) -> Bounds {
        if captures > 0 { self.shift(captures as i32) } else { self.negate() }
    }

    /// Bounds that hold if both hold.
    #[must_use]
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// Takes in an answer to "at least `target`?": `bound` is a lower bound if it reaches the target, and otherwise an
    /// upper one. It is rounded to the parity of the bounds.
    pub fn narrow(&mut self, target: i32, bound: i32) {
        let odd = (bound ^ self.lower) & 1;
        if bound >= target {
            self.lower = bound + odd;
        } else {
            self.upper = bound - odd;
        }
    }

    /// Takes in a plain yes or no to "at least `target`?".
    pub fn answer(&mut self, target: i32, is_reached: bool) {
        self.narrow(target, if is_reached { target } else { target - 1 });
    }

    /// The open question "at least this?" that is nearest to the guess.
    pub fn next_target(self, guess: i32) -> i32 {
        let guess = (guess + ((guess ^ self.lower) & 1)).clamp(self.lower, self.upper);
        if guess == self.lower { guess + 2 } else { guess }
    }
}

impl Offer {
    /// Bounds of the margin, given bounds of the margin in `rest`.
    pub fn bounds(&self, rest: Bounds) -> Bounds {
        let Bounds { lower, upper } = rest;
        let lowest = match self.price {
            None => self.margin(lower),
            Some(price) => {
                // The better line is worst where the two meet, or beside it: margins have the parity of the bounds.
                let meet = (-price).div_euclid(2).max(lower).min(upper);
                self.margin(meet) + ((meet ^ lower) & 1)
            }
        };
        Bounds { lower: lowest, upper: self.margin(lower).max(self.margin(upper)) }
    }
}

/// A question about a successor that tells whether a move is worth a margin.
#[derive(Clone, Copy, Debug)]
pub struct MoveQuestion {
    /// The margin that is asked for in the successor: "at least this?".
    pub target: i32,
    /// The answer that says that the move reaches its margin.
    pub wanted: bool,
}

impl MoveQuestion {
    /// The question for "at least `margin` for the mover?" about a move that captures so many boxes.
    pub const fn new(captures: usize, margin: i32) -> MoveQuestion {
        match captures {
            0 => MoveQuestion { target: 1 - margin, wanted: false },
            _ => MoveQuestion { target: margin - captures as i32, wanted: true },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use proptest::prelude::*;

    proptest! {
        /// Bounds of an offer hold what the offer says for every margin of the rest that the bounds leave possible, and are
        /// as close as that allows.
        #[test]
        fn bounds_of_an_offer_are_those_of_its_margins(word in 0u64..1 << 24, low in -9..=9, width in 0..9) {
            let board = Board::new(3, 3).unwrap();
            let offer = State::from_drawn(board, Edges::from_bytes(word.to_le_bytes())).offer();
            let rest = Bounds::new(low, low + 2 * width);
            let margins = (rest.lower..=rest.upper).step_by(2).map(|margin| offer.margin(margin));
            let found = offer.bounds(rest);
            prop_assert_eq!(Some(found.lower), margins.clone().min());
            prop_assert_eq!(Some(found.upper), margins.max());
        }

        /// Asking for every open target in turn finds the margin.
        #[test]
        fn questions_lead_to_the_margin(boxes in 0i32..25, index in 0i32..26, guess in -30..30) {
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

        #[test]
        fn a_move_reaches_what_its_question_says(captures in 0..3usize, rest in -9..9, margin in -12..12) {
            let MoveQuestion { target, wanted } = MoveQuestion::new(captures, margin);
            let reached = Bounds::exact(rest).after(captures).lower >= margin;
            prop_assert_eq!((rest >= target) == wanted, reached);
        }
    }
}
