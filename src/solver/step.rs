//! What a move leads to: the key at once, the graph on demand.
//!
//! The table settles two thirds of the positions that a search looks at, and these need no graph.

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

/// What is left of a graph when something is taken out of it.
#[derive(Clone, Copy)]
pub(super) struct Step {
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

impl Step {
    /// A place for one.
    pub const BLANK: Step =
        Step { removed: Removed::Chain(0), taken: 0, facts: Facts { key: 0, safe: 0, boxes: 0, is_free: false } };

    /// What is left of a graph without this.
    pub fn new<const IMAGES: usize>(plan: &Plan, before: &Graph<IMAGES>, removed: Removed) -> Step {
        let mut step = Step::BLANK;
        step.set(plan, before, removed);
        step
    }

    /// The same in place: whoever copies facts that are on their way to memory waits for them.
    #[inline(always)]
    pub fn set<const IMAGES: usize>(&mut self, plan: &Plan, before: &Graph<IMAGES>, removed: Removed) {
        self.removed = removed;
        match removed {
            Removed::String(string) => {
                if !self.take_string(plan, before, string as usize) {
                    self.take_by_graph(plan, before);
                }
            }
            Removed::Chain(length) => self.take_free(before, plan.free_chain(length as usize), length),
            Removed::Loop(length) => self.take_free(before, plan.free_loop(length as usize), length),
        }
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

    /// What is left of the graph that the step was made for.
    #[inline]
    pub fn graph<const IMAGES: usize>(&self, plan: &Plan, before: &Graph<IMAGES>) -> Graph<IMAGES> {
        let mut after = before.clone();
        after.take_out(plan, self.removed);
        after
    }

    /// Seldom needed, and too long to stand in the way of the others.
    #[cold]
    #[inline(never)]
    fn take_by_graph<const IMAGES: usize>(&mut self, plan: &Plan, before: &Graph<IMAGES>) {
        let mut after = before.clone();
        self.taken = after.take_out(plan, self.removed) as i32;
        self.facts = after.facts();
    }

    #[inline(always)]
    fn take_free<const IMAGES: usize>(&mut self, before: &Graph<IMAGES>, free: &Sums<MAX_IMAGES>, length: u8) {
        self.taken = length as i32;
        let boxes = before.boxes as i32 - self.taken;
        self.facts = Facts { key: before.sums.minus(free).key(), boxes, ..before.facts() };
    }

    /// Takes out a string with the boxes that go with it; false where its ends have to do with each other, so that
    /// [`Graph::remove`] has to tell: the string is a loop, another one joins the boxes, or two short chains alike come about.
    #[inline(always)]
    fn take_string<const IMAGES: usize>(&mut self, plan: &Plan, before: &Graph<IMAGES>, string: usize) -> bool {
        let [a, b] = before.ends[string];
        if a == b {
            return false;
        }
        let mut sums = before.sums.minus(&before.sums_of(plan, string));
        let taken = before.length(string) as i32;
        let mut boxes = before.boxes as i32 - taken;
        let mut gone = 1u64 << string;
        let mut is_free = true;
        let mut short = 0;
        for end in [a, b] {
            if end == GROUND || before.degree[end as usize] != 3 {
                continue;
            }
            // The box vanishes into a chain of what is left beside it.
            let beside = before.ties[end as usize] & !(1 << string);
            if beside & gone != 0 {
                return false;
            }
            gone |= beside;
            let first = beside.trailing_zeros() as usize;
            let second = 63 - beside.leading_zeros() as usize;
            sums = sums.minus(&before.sums_of(plan, first));
            if first == second {
                sums = sums.plus(plan.free_loop(before.length(first) as usize + 1));
                continue;
            }
            sums = sums.minus(&before.sums_of(plan, second));
            let length = (before.length(first) + before.length(second) + 1) as usize;
            match [before.other_end(first, end), before.other_end(second, end)] {
                [GROUND, GROUND] if length <= 2 => {
                    if std::mem::replace(&mut short, length) == length {
                        return false;
                    }
                    if before.free.has_chain(length) {
                        sums = sums.minus(plan.free_chain(length));
                        boxes -= 2 * length as i32;
                    } else {
                        sums = sums.plus(plan.free_chain(length));
                    }
                }
                [GROUND, GROUND] => sums = sums.plus(plan.free_chain(length)),
                ends => {
                    sums = sums.plus(&plan.chain::<IMAGES>(ends, length as u8));
                    is_free = false;
                }
            }
        }
        is_free &= (before.safe | before.hanging) & !gone == 0;
        let safe = (before.safe & !gone).count_ones();
        self.taken = taken;
        self.facts = Facts { key: sums.key(), safe, boxes, is_free };
        true
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
}

#[cfg(test)]
mod tests {
    use super::super::bits::bits;
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
                prop_assert_eq!(step.graph(&plan, &graph).facts(), after.facts());
            }
        }
    }
}
