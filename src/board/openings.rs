//! Openings of chains and loops: the moves of a capture-free state that put boxes on offer.

use super::offer::{margin, take_all};
use super::{Board, Degrees, Edges, Layout, Offer, State, Strings};

/// A chain or loop that can be opened.
///
/// Each of its edges leads to the same offer, except in a chain of two, which is opened by its
/// middle edge so that the opponent cannot keep control with it (docs/strategy.md, section 10).
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// The edges that open it equally well.
    pub edges: Edges,
    /// The number of boxes of the chain or loop itself.
    pub length: u32,
    /// `true` for a loop that touches no joint.
    pub is_loop: bool,
    /// The offer to the opponent.
    pub offer: Offer,
}

impl State {
    /// Returns the openings of a capture-free state, one for each chain or loop.
    pub fn openings(self) -> impl Iterator<Item = Opening> {
        let board = self.board();
        let openings = StringOpenings::new(board.layout(), self.strings());
        openings.map(move |opening| opening.on(board))
    }

    /// Returns the margin of the player to move in a capture-free state if both players always open
    /// the chain or loop that offers the fewest boxes, and keep control where that pays.
    ///
    /// The result is an estimate, and a good one only if no safe edge is left.
    pub fn smallest_first_margin(self) -> i32 {
        smallest_first(self.board().layout(), self.strings())
    }
}

fn smallest_first(layout: &Layout, strings: Strings) -> i32 {
    let smallest = StringOpenings::new(layout, strings).min_by_key(|opening| opening.taken);
    smallest.map_or(0, |opening| -margin(opening.taken, opening.price, smallest_first(layout, opening.rest)))
}

/// An opening in terms of strings.
struct StringOpening {
    edges: Strings,
    length: u32,
    is_loop: bool,
    taken: i32,
    rest: Strings,
    price: Option<i32>,
}

impl StringOpening {
    fn on(self, board: Board) -> Opening {
        let offer = Offer { taken: self.taken, rest: State::from_strings(board, self.rest), price: self.price };
        Opening { edges: board.layout().edges(self.edges), length: self.length, is_loop: self.is_loop, offer }
    }
}

struct StringOpenings<'a> {
    layout: &'a Layout,
    strings: Strings,
    degrees: Degrees,
    /// Boxes of chains and loops that are not yet listed.
    left: u64,
}

impl<'a> StringOpenings<'a> {
    fn new(layout: &'a Layout, strings: Strings) -> StringOpenings<'a> {
        let degrees = layout.degrees(strings);
        debug_assert_eq!(degrees.one, 0, "the state should be capture-free");
        StringOpenings { layout, strings, degrees, left: degrees.two }
    }
}

impl Iterator for StringOpenings<'_> {
    type Item = StringOpening;

    fn next(&mut self) -> Option<StringOpening> {
        if self.left == 0 {
            return None;
        }
        let (layout, strings) = (self.layout, self.strings);
        let seed = self.left & self.left.wrapping_neg();
        let chain = layout.connected(strings, seed, self.degrees.two);
        self.left &= !chain;
        let ties = layout.touching(strings, chain);
        let length = chain.count_ones();
        let is_loop = ties.len() == length;
        // A joint of three strings that holds both ends of this chain is left with one string, so
        // the run goes on through the joint.
        let rest = take_all(layout, strings.without(ties));
        let taken = (layout.beside(strings) & !layout.beside(rest)).count_ones() as i32;
        let price = match taken {
            _ if is_loop => Some(8),
            1 | 2 => None,
            _ => Some(4),
        };
        let edges = if length == 2 && taken == 2 { middle(layout, ties, chain) } else { ties };
        Some(StringOpening { edges, length, is_loop, taken, rest, price })
    }
}

/// Returns the string between the two boxes of a chain.
fn middle(layout: &Layout, ties: Strings, chain: u64) -> Strings {
    // A string to the ground touches one box only, so the string that joins the two boxes is the
    // one that touches both.
    let horizontal = ties.horizontal & chain & chain << layout.stride();
    let vertical = ties.vertical & chain & chain << 1;
    let inner = Strings { horizontal, vertical };
    debug_assert_eq!(inner.len(), 1);
    inner
}
