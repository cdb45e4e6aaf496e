//! Handouts: the moves that give boxes to the opponent by opening a chain or a loop.

use super::bits::bits;
use super::graph::Graph;
use super::key::Key;
use super::places::STRING_PLACES;
use super::successor::Move;

/// A chain or loop that can be opened.
#[derive(Clone, Copy)]
pub(crate) struct Handout {
    /// The number of boxes of the chain or loop itself. The opponent may get more if a run goes on
    /// through a joint.
    length: u8,
    pub played: Move,
}

/// The openings worth trying, the smallest first.
pub(crate) struct Handouts {
    /// All hanging strings, two chains and a loop are the most.
    list: [Handout; STRING_PLACES + 3],
    count: usize,
    /// The largest value of the openings that were left out because they cannot reach the target.
    pub ceiling: i32,
}

impl Handouts {
    /// Lists the openings that may be worth `target` to the player who makes them.
    pub fn new<K: Key>(graph: &Graph<K>, target: i32) -> Handouts {
        let none = Handout { length: 0, played: Move::NONE };
        let mut handouts = Handouts { list: [none; STRING_PLACES + 3], count: 0, ceiling: i32::MIN };
        for length in
            graph.independent.shortest_short_chain().into_iter().chain(graph.independent.shortest_long_chain())
        {
            handouts.add(length, Move::Chain(length as u8), target);
        }
        if let Some(length) = graph.independent.shortest_loop() {
            handouts.add(length, Move::Loop(length as u8), target);
        }
        for string in bits(graph.hanging).filter(|&string| !graph.is_dominated(string)) {
            handouts.add(graph.length(string) as usize, Move::String(string as u8), target);
        }
        handouts
    }

    pub fn as_slice(&self) -> &[Handout] {
        &self.list[..self.count]
    }

    fn add(&mut self, length: usize, played: Move, target: i32) {
        let handout = Handout { length: length as u8, played };
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
    /// Returns the largest value of the opening for the player who makes it, if control can be kept
    /// with it: the opponent then gets `taken + max(x, -price - x)`, which is at least
    /// `taken - price / 2` for every `x`.
    fn ceiling(&self) -> Option<i32> {
        let length = self.length as i32;
        self.price(length).map(|price| price / 2 - length)
    }

    /// Returns the price of keeping control if this many boxes are on offer, or `None` if control
    /// cannot be kept. A chain of two is opened by its middle edge, so that control cannot be kept
    /// with it.
    pub fn price(&self, taken: i32) -> Option<i32> {
        match self.played {
            Move::Loop(_) => Some(8),
            _ if taken <= 2 => None,
            _ => Some(4),
        }
    }
}
