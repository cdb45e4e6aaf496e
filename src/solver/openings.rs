//! Openings of chains and loops: the moves of a capture-free position that put boxes on offer.

use crate::board::{Degrees, Layout, Strings};

use super::Offer;
use super::offer::take_all;

/// One chain or loop that can be opened. Any of its edges leads to the same offer, but for a chain of two, which is
/// opened by its middle edge so that control cannot be kept with it.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// The edges that open it equally well.
    pub edges: Strings,
    /// The boxes on the chain or loop itself.
    pub length: u32,
    /// Whether it is a loop that touches no joint.
    pub is_loop: bool,
    /// What the opponent is offered.
    pub offer: Offer,
}

/// The openings of a capture-free position, one for each chain or loop.
pub struct Openings<'a> {
    layout: &'a Layout,
    strings: Strings,
    degrees: Degrees,
    /// Boxes of chains and loops not listed yet.
    left: u64,
}

impl<'a> Openings<'a> {
    /// Lists the openings of a capture-free position.
    pub fn new(layout: &'a Layout, strings: Strings) -> Openings<'a> {
        let degrees = layout.degrees(strings);
        debug_assert_eq!(degrees.one, 0, "a capture-free position");
        Openings { layout, strings, degrees, left: degrees.two }
    }
}

impl Iterator for Openings<'_> {
    type Item = Opening;

    fn next(&mut self) -> Option<Opening> {
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
        // A joint of three strings with both ends of this chain is left with one: the run goes on through it.
        let rest = take_all(layout, strings.without(ties));
        let taken = (layout.beside(strings) & !layout.beside(rest)).count_ones();
        let price = match taken {
            _ if is_loop => 8,
            1 | 2 => 0,
            _ => 4,
        };
        let edges = if length == 2 && taken == 2 { middle(layout, ties, chain) } else { ties };
        Some(Opening { edges, length, is_loop, offer: Offer { taken: taken as i32, rest, price } })
    }
}

/// The margin of the player to move in a capture-free position, if both players always open what gives least and keep
/// control where that pays. A guess, and a good one only where there is no safe edge left.
pub fn smallest_first(layout: &Layout, strings: Strings) -> i32 {
    let smallest = Openings::new(layout, strings).min_by_key(|opening| opening.offer.taken);
    smallest.map_or(0, |opening| -opening.offer.margin(smallest_first(layout, opening.offer.rest)))
}

/// The string between the two boxes of a chain.
fn middle(layout: &Layout, ties: Strings, chain: u64) -> Strings {
    // Strings to the ground touch one box only, so they are found by leaving out what joins the two boxes.
    let horizontal = ties.horizontal & chain & chain << layout.stride();
    let vertical = ties.vertical & chain & chain << 1;
    let inner = Strings { horizontal, vertical };
    debug_assert_eq!(inner.len(), 1);
    inner
}
