//! Boxes on offer, resolved into "take all" and "keep control".

use super::State;
use super::strings::{AnyLayout, Layout, Strings, with_layout};
use super::word::Word;
use crate::float::larger;

/// The two choices in a state with boxes on offer: to take all of them, or to leave the last few
/// and so keep control (docs/strategy.md, section 8; Barker and Korf 2012).
///
/// Both choices lead to the same capture-free state, with one or the other player to move.
///
/// ```
/// use doublecross_core::board::State;
/// // A chain of three, opened at one end, and nothing else.
/// let state: State = "1x3:0x7f".parse()?;
/// let offer = state.offer();
/// assert_eq!((offer.taken, offer.price), (3, Some(4)));
/// assert!(offer.rest.is_over());
/// // Taking all gives 3. Keeping control gives 1 and leaves 2 to the opponent.
/// assert_eq!(offer.margin(0), 3);
/// assert_eq!(offer.kept(0), Some(-1));
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The number of boxes that can be taken one after another.
    pub taken: i32,
    /// The capture-free state when all of them are taken.
    pub rest: State,
    /// The price of keeping control, in margin: 4 with a half-open run of two or more boxes, 8 with
    /// only a closed run of four or more, `None` if control cannot be kept.
    pub price: Option<i32>,
}

impl State {
    /// Resolves the boxes on offer. For a capture-free state, `taken` is 0 and `rest` the state
    /// itself.
    pub fn offer(self) -> Offer {
        with_layout!(self.board(), layout => {
            let strings = layout.strings(self.undrawn());
            let Resolved { taken, rest, price } = resolve(layout, strings);
            let rest = self.after_all(layout.edges(strings.without(rest)));
            Offer { taken, rest, price }
        })
    }
}

impl Offer {
    /// Returns the margin of keeping control, given the margin of the player to move in `rest`, or
    /// `None` if control cannot be kept.
    pub fn kept(&self, rest: i32) -> Option<i32> {
        self.price.map(|price| self.taken - price - rest)
    }

    /// Returns the margin of the player to move, given the margin of the player to move in `rest`.
    pub fn margin(&self, rest: i32) -> i32 {
        margin(self.taken, self.price, rest)
    }

    /// Returns the expected margin of the player to move, given the expected margin of the player
    /// to move in `rest`.
    pub fn expected_margin(&self, rest: f32) -> f32 {
        self.taken as f32 + self.price.map_or(rest, |price| larger(rest, -price as f32 - rest))
    }

    /// Returns `true` if keeping control is the better choice, given the expected margin of the
    /// player to move in `rest`.
    pub fn keeps_control(&self, rest: f32) -> bool {
        self.price.is_some_and(|price| -price as f32 - rest > rest)
    }
}

/// An offer with its rest in the form of strings.
struct Resolved<W> {
    taken: i32,
    rest: Strings<W>,
    price: Option<i32>,
}

pub(super) fn margin(taken: i32, price: Option<i32>, rest: i32) -> i32 {
    let take_all = taken + rest;
    price.map_or(take_all, |price| take_all.max(taken - price - rest))
}

fn resolve<W: Word>(layout: &Layout<W>, strings: Strings<W>) -> Resolved<W> {
    let rest = take_all(layout, strings);
    // Counted from the final state: a box between two that are captured at once goes from two
    // strings to none without ever being on offer.
    let captured = layout.beside(strings) & !layout.beside(rest);
    let mut price = None;
    let mut left = captured;
    while left != W::ZERO && price != Some(4) {
        let run = layout.connected(strings, left.lowest(), captured);
        left &= !run;
        price = run_price(layout, strings, run).or(price);
    }
    Resolved { taken: captured.count() as i32, rest, price }
}

/// Takes boxes on offer until none is left.
pub(super) fn take_all<W: Word>(layout: &Layout<W>, mut strings: Strings<W>) -> Strings<W> {
    loop {
        let ready = layout.degrees(strings).one;
        if ready == W::ZERO {
            return strings;
        }
        strings = strings.without(layout.touching(strings, ready));
    }
}

/// Returns the price of keeping control with one run.
///
/// The boxes of a run form a tree. Its strings are as many as its boxes if one string leads out of
/// it (half-open), and one fewer if none does (closed).
fn run_price<W: Word>(layout: &Layout<W>, strings: Strings<W>, run: W) -> Option<i32> {
    let boxes = run.count();
    let ties = layout.touching(strings, run);
    if ties.len() == boxes {
        // The last two boxes can be left as a pair, which one edge captures.
        return (boxes >= 2).then_some(4);
    }
    // Of four boxes in a row, two pairs can be left. A star, one box tied to all others, has no four
    // boxes in a row.
    let degrees = layout.degrees(strings);
    let is_star = (boxes == 4 && run & degrees.three != W::ZERO) || (boxes == 5 && run & degrees.four != W::ZERO);
    (boxes >= 4 && !is_star).then_some(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn control_cannot_be_kept_with_a_star_of_five() {
        // Only the four sides of the center box are undrawn: four boxes on offer around one joint.
        let board = Board::new(3, 3).unwrap();
        let offer = State::from_undrawn(board, board.sides(4)).offer();
        assert_eq!((offer.taken, offer.price), (5, None));
    }
}
