//! What a move leads to: the key at once, the graph on demand.
//!
//! The table settles two thirds of the positions that a search looks at, and these need no graph.

use super::bits::bits;
use super::graph::Graph;
use super::plan::{GROUND, MAX_IMAGES, Plan};
use super::sums::{Key, Sums};

/// What a move takes out of a graph, with all boxes that this puts on offer.
#[derive(Clone, Copy)]
pub(super) enum Removed {
    String(u8),
    /// An independent chain of this length.
    Chain(u8),
    /// An independent loop of this length.
    Loop(u8),
}

/// A graph with something taken out of it.
pub(super) struct Step<'a, const IMAGES: usize> {
    before: &'a Graph<IMAGES>,
    removed: Removed,
    taken: i32,
    facts: Facts,
}

/// What a search asks of a position before it asks for its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub key: Key,
    /// How many safe strings are left.
    pub safe: u32,
    /// Open boxes that are left, without those of short chains that vanish in pairs.
    pub boxes: i32,
    /// Whether only independent chains and loops are left.
    pub is_free: bool,
}

impl<'a, const IMAGES: usize> Step<'a, IMAGES> {
    pub fn new(plan: &Plan, before: &'a Graph<IMAGES>, removed: Removed) -> Self {
        let facts = match removed {
            Removed::String(string) => before.facts_without(plan, string as usize),
            Removed::Chain(length) => Some(before.facts_without_free(plan.free_chain(length as usize), length)),
            Removed::Loop(length) => Some(before.facts_without_free(plan.free_loop(length as usize), length)),
        };
        let (taken, facts) = facts.unwrap_or_else(|| {
            let mut after = before.clone();
            let taken = after.take_out(plan, removed);
            (taken as i32, after.facts())
        });
        Step { before, removed, taken, facts }
    }

    /// How many boxes go with what is taken out.
    #[inline]
    pub fn taken(&self) -> i32 {
        self.taken
    }

    #[inline]
    pub fn facts(&self) -> Facts {
        self.facts
    }

    #[inline]
    pub fn graph(&self, plan: &Plan) -> Graph<IMAGES> {
        let mut after = self.before.clone();
        after.take_out(plan, self.removed);
        after
    }
}

impl<const IMAGES: usize> Graph<IMAGES> {
    /// The facts of the graph itself.
    pub fn facts(&self) -> Facts {
        let (key, safe) = (self.key(), self.safe.count_ones());
        Facts { key, safe, boxes: self.boxes as i32, is_free: self.is_free() }
    }

    /// Takes something out; gives how many boxes go with it.
    #[inline]
    fn take_out(&mut self, plan: &Plan, removed: Removed) -> u32 {
        match removed {
            Removed::String(string) => self.remove(plan, string as usize),
            Removed::Chain(length) => self.remove_chain(plan, length as usize),
            Removed::Loop(length) => self.remove_loop(plan, length as usize),
        }
    }

    fn facts_without_free(&self, free: &Sums<MAX_IMAGES>, length: u8) -> (i32, Facts) {
        let mut sums = self.sums;
        sums.subtract(free);
        let length = length as i32;
        (length, Facts { key: sums.key(), boxes: self.boxes as i32 - length, ..self.facts() })
    }

    /// The boxes that go with a string and the facts of what is left; `None` where its ends have to do with each other,
    /// and [`Graph::remove`] has to tell: the string is a loop, another one joins the boxes, or two short chains alike
    /// come about.
    fn facts_without(&self, plan: &Plan, string: usize) -> Option<(i32, Facts)> {
        let [a, b] = self.ends[string];
        if a == b {
            return None;
        }
        let mut sums = self.sums;
        sums.subtract(&self.sums_of(plan, string));
        let taken = self.length(string) as i32;
        let mut boxes = self.boxes as i32 - taken;
        let mut gone = 1u64 << string;
        let mut is_free = true;
        let mut short = 0;
        for end in [a, b] {
            if end == GROUND || self.degree[end as usize] != 3 {
                continue;
            }
            // The box vanishes into a chain of what is left beside it.
            let beside = self.ties[end as usize] & !(1 << string);
            if beside & gone != 0 {
                return None;
            }
            gone |= beside;
            bits(beside).for_each(|joined| sums.subtract(&self.sums_of(plan, joined)));
            let first = beside.trailing_zeros() as usize;
            let second = 63 - beside.leading_zeros() as usize;
            if first == second {
                sums.add(plan.free_loop(self.length(first) as usize + 1));
                continue;
            }
            let length = (self.length(first) + self.length(second) + 1) as usize;
            match [self.other_end(first, end), self.other_end(second, end)] {
                [GROUND, GROUND] if length <= 2 => {
                    if std::mem::replace(&mut short, length) == length {
                        return None;
                    }
                    if self.free.has_chain(length) {
                        sums.subtract(plan.free_chain(length));
                        boxes -= 2 * length as i32;
                    } else {
                        sums.add(plan.free_chain(length));
                    }
                }
                [GROUND, GROUND] => sums.add(plan.free_chain(length)),
                ends => {
                    sums.add(&plan.chain::<IMAGES>(ends, length as u8));
                    is_free = false;
                }
            }
        }
        is_free &= (self.safe | self.hanging) & !gone == 0;
        let safe = (self.safe & !gone).count_ones();
        Some((taken, Facts { key: sums.key(), safe, boxes, is_free }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::some_capture_free;
    use super::super::plan::Order;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_step_knows_what_its_graph_says((board, drawn) in some_capture_free()) {
            let plan = Plan::new(board, Order::Distance);
            let graph = Graph::<4>::new(&plan, drawn);
            let strings = bits(graph.safe | graph.hanging).map(|string| Removed::String(string as u8));
            let chain = graph.free.shortest_long_chain().map(|length| Removed::Chain(length as u8));
            let short = graph.free.shortest_short_chain().map(|length| Removed::Chain(length as u8));
            let ring = graph.free.shortest_loop().map(|length| Removed::Loop(length as u8));
            for removed in strings.chain(chain).chain(short).chain(ring) {
                let step = Step::new(&plan, &graph, removed);
                let mut after = graph.clone();
                let taken = after.take_out(&plan, removed) as i32;
                prop_assert_eq!((step.taken(), step.facts()), (taken, after.facts()));
                prop_assert_eq!(step.graph(&plan).facts(), after.facts());
            }
        }
    }
}
