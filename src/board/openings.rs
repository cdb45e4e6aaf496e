//! Openings of chains and loops: the moves of a capture-free state that put boxes on offer.

use super::offer::{margin, take_all};
use super::strings::{AnyLayout, Degrees, Layout, Strings, with_layout};
use super::word::Word;
use super::{Board, Edges, Offer, State};

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
        let (board, undrawn) = (self.board(), self.undrawn());
        let strings = match board.layout() {
            AnyLayout::Narrow(layout) => AnyOpenings::Narrow(StringOpenings::new(layout, layout.strings(undrawn))),
            AnyLayout::Wide(layout) => AnyOpenings::Wide(StringOpenings::new(layout, layout.strings(undrawn))),
        };
        Openings { board, strings }
    }

    /// Returns the margin of the player to move in a capture-free state if both players always open
    /// the chain or loop that offers the fewest boxes, and keep control where that pays.
    ///
    /// The result is an estimate, and a good one only if no safe edge is left.
    pub fn smallest_first_margin(self) -> i32 {
        with_layout!(self.board(), layout => smallest_first(layout, layout.strings(self.undrawn())))
    }
}

/// The openings of a state that are not yet listed.
struct Openings {
    board: Board,
    strings: AnyOpenings,
}

/// Openings in the word of their board.
enum AnyOpenings {
    Narrow(StringOpenings<'static, u64>),
    Wide(StringOpenings<'static, u128>),
}

impl Iterator for Openings {
    type Item = Opening;

    fn next(&mut self) -> Option<Opening> {
        match &mut self.strings {
            AnyOpenings::Narrow(strings) => strings.next().map(|opening| opening.on(self.board, strings.layout)),
            AnyOpenings::Wide(strings) => strings.next().map(|opening| opening.on(self.board, strings.layout)),
        }
    }
}

fn smallest_first<W: Word>(layout: &Layout<W>, strings: Strings<W>) -> i32 {
    let smallest = StringOpenings::new(layout, strings).min_by_key(|opening| opening.taken);
    smallest.map_or(0, |opening| -margin(opening.taken, opening.price, smallest_first(layout, opening.rest)))
}

/// An opening in terms of strings.
struct StringOpening<W> {
    edges: Strings<W>,
    length: u32,
    is_loop: bool,
    taken: i32,
    rest: Strings<W>,
    price: Option<i32>,
}

impl<W: Word> StringOpening<W> {
    fn on(self, board: Board, layout: &Layout<W>) -> Opening {
        let rest = State::from_undrawn(board, layout.edges(self.rest));
        let offer = Offer { taken: self.taken, rest, price: self.price };
        Opening { edges: layout.edges(self.edges), length: self.length, is_loop: self.is_loop, offer }
    }
}

struct StringOpenings<'a, W> {
    layout: &'a Layout<W>,
    strings: Strings<W>,
    degrees: Degrees<W>,
    /// Boxes of chains and loops that are not yet listed.
    left: W,
}

impl<'a, W: Word> StringOpenings<'a, W> {
    fn new(layout: &'a Layout<W>, strings: Strings<W>) -> StringOpenings<'a, W> {
        let degrees = layout.degrees(strings);
        debug_assert_eq!(degrees.one, W::ZERO, "the state should be capture-free");
        StringOpenings { layout, strings, degrees, left: degrees.two }
    }
}

impl<W: Word> Iterator for StringOpenings<'_, W> {
    type Item = StringOpening<W>;

    fn next(&mut self) -> Option<StringOpening<W>> {
        if self.left == W::ZERO {
            return None;
        }
        let (layout, strings) = (self.layout, self.strings);
        let chain = layout.connected(strings, self.left.lowest(), self.degrees.two);
        self.left &= !chain;
        let ties = layout.touching(strings, chain);
        let length = chain.count();
        let is_loop = ties.len() == length;
        // A joint of three strings that holds both ends of this chain is left with one string, so
        // the run goes on through the joint.
        let rest = take_all(layout, strings.without(ties));
        let taken = (layout.beside(strings) & !layout.beside(rest)).count() as i32;
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
fn middle<W: Word>(layout: &Layout<W>, ties: Strings<W>, chain: W) -> Strings<W> {
    // A string to the ground touches one box only, so the string that joins the two boxes is the
    // one that touches both.
    let horizontal = ties.horizontal & chain & chain << layout.stride();
    let vertical = ties.vertical & chain & chain << 1;
    let inner = Strings { horizontal, vertical };
    debug_assert_eq!(inner.len(), 1);
    inner
}
