//! Openings of chains and loops: the moves of a capture-free state that put boxes on offer.

use super::chains::{StringChain, StringChains};
use super::offer::{margin, take_all};
use super::strings::{AnyLayout, Layout, Strings, with_layout};
use super::word::Word;
use super::{Edges, Offer, State};

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
        let undrawn = self.undrawn();
        let openings = match self.board().layout() {
            AnyLayout::Narrow(layout) => AnyOpenings::Narrow(StringOpenings::new(layout, layout.strings(undrawn))),
            AnyLayout::Wide(layout) => AnyOpenings::Wide(StringOpenings::new(layout, layout.strings(undrawn))),
        };
        Openings { state: self, openings }
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
    state: State,
    openings: AnyOpenings,
}

/// Openings in the word of their board.
enum AnyOpenings {
    Narrow(StringOpenings<'static, u64>),
    Wide(StringOpenings<'static, u128>),
}

impl Iterator for Openings {
    type Item = Opening;

    fn next(&mut self) -> Option<Opening> {
        match &mut self.openings {
            AnyOpenings::Narrow(openings) => openings.next().map(|opening| opening.of(self.state, openings)),
            AnyOpenings::Wide(openings) => openings.next().map(|opening| opening.of(self.state, openings)),
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
    /// Returns the opening in terms of edges, of the state that the openings are of.
    fn of(self, state: State, openings: &StringOpenings<'_, W>) -> Opening {
        // The strings that go are fewer than those that stay, and mostly those of the chain alone.
        let gone = openings.strings.without(self.rest);
        let drawn = openings.layout.edges(gone);
        let edges = if self.edges == gone { drawn } else { openings.layout.edges(self.edges) };
        let offer = Offer { taken: self.taken, rest: state.after_all(drawn), price: self.price };
        Opening { edges, length: self.length, is_loop: self.is_loop, offer }
    }
}

struct StringOpenings<'a, W> {
    layout: &'a Layout<W>,
    strings: Strings<W>,
    chains: StringChains<'a, W>,
}

impl<'a, W: Word> StringOpenings<'a, W> {
    fn new(layout: &'a Layout<W>, strings: Strings<W>) -> StringOpenings<'a, W> {
        StringOpenings { layout, strings, chains: StringChains::new(layout, strings) }
    }
}

impl<W: Word> Iterator for StringOpenings<'_, W> {
    type Item = StringOpening<W>;

    fn next(&mut self) -> Option<StringOpening<W>> {
        let StringChain { boxes, ties, length, is_loop } = self.chains.next()?;
        let (layout, strings) = (self.layout, self.strings);
        // A joint of three strings that holds both ends of this chain is left with one string, so
        // the run goes on through the joint.
        let rest = take_all(layout, strings.without(ties));
        let taken = (layout.beside(strings) & !layout.beside(rest)).count() as i32;
        let price = match taken {
            _ if is_loop => Some(8),
            1 | 2 => None,
            _ => Some(4),
        };
        let edges = if length == 2 && taken == 2 { middle(layout, ties, boxes) } else { ties };
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
