//! Boxes on offer, resolved: take them all, or all but a few to keep control.

use crate::board::{Layout, Strings};

/// What a position with boxes on offer comes to (THEORY: «Captures: at most two things to decide»; Barker and Korf
/// 2012). Both choices lead to the same capture-free position; only the player to move there differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How many boxes can be taken one after another.
    pub taken: i32,
    /// The capture-free position when all of them are taken.
    pub rest: Strings,
    /// What keeping control costs: 4 with a half-open run of two or more, 8 with only a closed run of four or more, 0
    /// when there is nothing to keep control with.
    pub price: i32,
}

impl Offer {
    /// Resolves a position. A capture-free one comes back as it is, with nothing taken.
    pub fn resolve(layout: &Layout, strings: Strings) -> Offer {
        let rest = take_all(layout, strings);
        // Counted by what is closed in the end: a box between two captured at once goes from two strings to none.
        let captured = layout.beside(strings) & !layout.beside(rest);
        let mut offer = Offer { taken: captured.count_ones() as i32, rest, price: 0 };
        let mut left = captured;
        while left != 0 && offer.price != 4 {
            let run = layout.connected(strings, left & left.wrapping_neg(), captured);
            left &= !run;
            offer.price = match run_price(layout, strings, run) {
                0 => offer.price,
                price => price,
            };
        }
        offer
    }

    /// The margin of the player to move, given the margin of whoever moves in `rest`.
    pub fn margin(&self, rest: i32) -> i32 {
        let take_all = self.taken + rest;
        if self.price == 0 { take_all } else { take_all.max(self.taken - self.price - rest) }
    }

    /// Whether keeping control is the better choice, given the margin that is expected in `rest`.
    pub fn keeps_control(&self, rest: f32) -> bool {
        self.price > 0 && -self.price as f32 - rest > rest
    }

    /// Bounds of the margin, given bounds of the margin in `rest`.
    pub fn bounds(&self, lower: i32, upper: i32) -> (i32, i32) {
        let lowest = if self.price == 0 {
            self.margin(lower)
        } else {
            // The better line is worst where the two meet, or beside it: margins have the parity of the bounds.
            let meet = (-self.price).div_euclid(2).max(lower).min(upper);
            self.margin(meet) + ((meet ^ lower) & 1)
        };
        (lowest, self.margin(lower).max(self.margin(upper)))
    }
}

/// Takes boxes on offer until there are none.
pub(super) fn take_all(layout: &Layout, mut strings: Strings) -> Strings {
    loop {
        let ready = layout.degrees(strings).one;
        if ready == 0 {
            return strings;
        }
        strings = strings.without(layout.touching(strings, ready));
    }
}

/// The boxes of a run hang together like a tree: as many strings as boxes when one string leads out (half-open), one
/// string fewer when none does (closed).
fn run_price(layout: &Layout, strings: Strings, run: u64) -> i32 {
    let boxes = run.count_ones();
    let ties = layout.touching(strings, run);
    if ties.len() == boxes {
        // The last two boxes can be left as one double cross.
        return if boxes >= 2 { 4 } else { 0 };
    }
    // Two double crosses are left of four boxes in a row; a star (one box tied to all others) has no four in a row.
    let degrees = layout.degrees(strings);
    let star = (boxes == 4 && run & degrees.three != 0) || (boxes == 5 && run & degrees.four != 0);
    if boxes >= 4 && !star { 8 } else { 0 }
}
