//! The moves of a position that hand boxes to the opponent: openings of chains and loops.

use crate::board::MAX_BOXES;

use super::bits::bits;
use super::graph::Graph;
use super::successor::Move;

/// A chain or loop that can be opened.
#[derive(Clone, Copy)]
pub(super) struct Handout {
    /// Boxes of the chain or loop itself; the opponent may get more where a run goes on through a joint.
    length: i32,
    pub played: Move,
}

/// The openings worth trying, the smallest first.
pub(super) struct Handouts {
    list: [Handout; MAX_BOXES],
    count: usize,
    /// The most that those can be worth that are left out because they cannot be worth enough.
    pub ceiling: i32,
}

impl Handouts {
    /// The openings that may be worth `target` to whoever opens them.
    pub fn new<const IMAGES: usize>(graph: &Graph<IMAGES>, target: i32) -> Handouts {
        let none = Handout { length: 0, played: Move::Chain(0) };
        let mut handouts = Handouts { list: [none; MAX_BOXES], count: 0, ceiling: i32::MIN };
        for length in graph.free.shortest_short_chain().into_iter().chain(graph.free.shortest_long_chain()) {
            handouts.add(length, Move::Chain(length as u8), target);
        }
        if let Some(length) = graph.free.shortest_loop() {
            handouts.add(length, Move::Loop(length as u8), target);
        }
        for string in bits(graph.hanging).filter(|&string| !graph.is_outdone(string)) {
            handouts.add(graph.length(string) as usize, Move::String(string as u8), target);
        }
        handouts
    }

    pub fn as_slice(&self) -> &[Handout] {
        &self.list[..self.count]
    }

    fn add(&mut self, length: usize, played: Move, target: i32) {
        let handout = Handout { length: length as i32, played };
        if let Some(ceiling) = handout.ceiling().filter(|&ceiling| ceiling < target) {
            self.ceiling = self.ceiling.max(ceiling);
            return;
        }
        let mut at = self.count;
        while at > 0 && self.list[at - 1].length > handout.length {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = handout;
        self.count += 1;
    }
}

impl Handout {
    /// The most that opening it can be worth to whoever opens it, where control can be kept: the opponent then gets
    /// `taken + max(x, -price - x)`, which is at least `taken - price / 2` whatever `x` is.
    fn ceiling(&self) -> Option<i32> {
        self.price(self.length).map(|price| price / 2 - self.length)
    }

    /// The price of keeping control when this many boxes are on offer; `None` when there is nothing to keep control with. A
    /// chain of two is best opened by its middle edge, which leaves nothing.
    pub fn price(&self, taken: i32) -> Option<i32> {
        match self.played {
            Move::Loop(_) => Some(8),
            _ if taken <= 2 => None,
            _ => Some(4),
        }
    }
}
