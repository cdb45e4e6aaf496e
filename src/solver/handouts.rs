//! The moves of a position that hand boxes to the opponent: openings of chains and loops.

use crate::board::MAX_BOXES;

use super::bits::bits;
use super::graph::Graph;
use super::step::Removed;

/// A chain or loop that can be opened.
#[derive(Clone, Copy)]
pub(super) struct Handout {
    /// Boxes of the chain or loop itself; the opponent may get more where a run goes on through a joint.
    length: i32,
    pub removed: Removed,
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
        let none = Handout { length: 0, removed: Removed::Chain(0) };
        let mut handouts = Handouts { list: [none; MAX_BOXES], count: 0, ceiling: i32::MIN };
        for length in graph.free.shortest_short_chain().into_iter().chain(graph.free.shortest_long_chain()) {
            handouts.add(length, Removed::Chain(length as u8), target);
        }
        if let Some(length) = graph.free.shortest_loop() {
            handouts.add(length, Removed::Loop(length as u8), target);
        }
        for string in bits(graph.hanging).filter(|&string| !graph.is_outdone(string)) {
            handouts.add(graph.length(string) as usize, Removed::String(string as u8), target);
        }
        handouts
    }

    pub fn as_slice(&self) -> &[Handout] {
        &self.list[..self.count]
    }

    fn add(&mut self, length: usize, removed: Removed, target: i32) {
        let handout = Handout { length: length as i32, removed };
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
        let price = self.price(self.length);
        (price > 0).then_some(price / 2 - self.length)
    }

    /// What keeping control costs when this many boxes are on offer; 0 when there is nothing to keep control with. A
    /// chain of two is best opened by its middle edge, which leaves nothing.
    pub fn price(&self, taken: i32) -> i32 {
        match self.removed {
            Removed::Loop(_) => 8,
            _ if taken <= 2 => 0,
            _ => 4,
        }
    }
}
