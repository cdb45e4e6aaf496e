//! The moves of a position that hand boxes to the opponent: openings of chains and loops.

use crate::board::MAX_BOXES;

use super::graph::{Graph, bits};
use super::plan::Plan;

/// A chain or loop that can be opened.
#[derive(Clone, Copy)]
pub(super) struct Handout {
    /// Boxes of the chain or loop itself; the opponent may get more where a run goes on through a joint.
    pub length: i32,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    Hanging(u8),
    Chain,
    Loop,
}

/// What the opponent gets to choose from.
pub(super) struct Opened<const IMAGES: usize> {
    /// Boxes on offer.
    pub taken: i32,
    /// What keeping control costs; 0 when there is nothing to keep control with.
    pub price: i32,
    /// The position when all of them are taken.
    pub rest: Graph<IMAGES>,
}

/// The openings worth trying, the smallest first.
pub(super) struct Handouts {
    list: [Handout; MAX_BOXES],
    count: usize,
}

impl Handouts {
    pub fn new<const IMAGES: usize>(graph: &Graph<IMAGES>) -> Handouts {
        let mut handouts = Handouts { list: [Handout { length: 0, place: Place::Chain }; MAX_BOXES], count: 0 };
        let short = [1, 2].into_iter().filter(|&length| graph.free.has_chain(length));
        for length in short.chain(graph.free.shortest_long_chain()) {
            handouts.add(length as i32, Place::Chain);
        }
        if let Some(length) = graph.free.shortest_loop() {
            handouts.add(length as i32, Place::Loop);
        }
        for string in bits(graph.hanging).filter(|&string| !graph.is_outdone(string)) {
            handouts.add(graph.length(string) as i32, Place::Hanging(string as u8));
        }
        handouts
    }

    pub fn as_slice(&self) -> &[Handout] {
        &self.list[..self.count]
    }

    fn add(&mut self, length: i32, place: Place) {
        let mut at = self.count;
        while at > 0 && self.list[at - 1].length > length {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = Handout { length, place };
        self.count += 1;
    }
}

impl Handout {
    /// The most that opening it can be worth to whoever opens it, where control can be kept: the opponent then gets
    /// `taken + max(x, -price - x)`, which is at least `taken - price / 2` whatever `x` is.
    pub fn ceiling(&self) -> Option<i32> {
        let price = self.price();
        (price > 0).then_some(price / 2 - self.length)
    }

    pub fn open<const IMAGES: usize>(&self, plan: &Plan, graph: &Graph<IMAGES>) -> Opened<IMAGES> {
        let mut rest = graph.clone();
        let (taken, price) = match self.place {
            Place::Hanging(string) => match rest.remove(plan, string as usize) as i32 {
                taken @ ..=2 => (taken, 0),
                taken => (taken, 4),
            },
            Place::Chain => {
                rest.remove_chain(plan, self.length as usize);
                (self.length, self.price())
            }
            Place::Loop => {
                rest.remove_loop(plan, self.length as usize);
                (self.length, self.price())
            }
        };
        Opened { taken, price, rest }
    }

    /// What keeping control costs when the run does not go on. A chain of two is best opened by its middle edge, which
    /// leaves nothing to keep control with.
    fn price(&self) -> i32 {
        match self.place {
            Place::Loop => 8,
            _ if self.length <= 2 => 0,
            _ => 4,
        }
    }
}
