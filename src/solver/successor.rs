//! What a move leads to: the key at once, the graph on demand.
//!
//! The table settles two thirds of the positions that a search looks at, and these need no graph.

use super::graph::Graph;
use super::plan::Plan;
use super::zobrist::{GROUND, MAX_IMAGES, TableKey, ZobristKey};

/// What a move takes out of a graph, with all boxes that this puts on offer.
#[derive(Clone, Copy)]
pub(super) enum Move {
    String(u8),
    /// An independent chain of this length.
    Chain(u8),
    /// An independent loop of this length.
    Loop(u8),
}

/// What is left of a graph when something is taken out of it.
#[derive(Clone, Copy)]
pub(super) struct Successor {
    played: Move,
    taken: i32,
    summary: NodeSummary,
}

/// What a search asks of a position before it asks for its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeSummary {
    pub key: TableKey,
    /// How many safe strings are left.
    pub safe: u32,
    /// Open boxes that are left, without those of short chains that vanish in pairs.
    pub boxes: i32,
    /// Whether only independent chains and loops are left.
    pub is_free: bool,
}

impl Successor {
    /// A place for one.
    pub const BLANK: Successor = Successor {
        played: Move::Chain(0),
        taken: 0,
        summary: NodeSummary { key: 0, safe: 0, boxes: 0, is_free: false },
    };

    /// What is left of a graph without this.
    pub fn new<const IMAGES: usize>(plan: &Plan, before: &Graph<IMAGES>, played: Move) -> Successor {
        let mut step = Successor::BLANK;
        step.set(plan, before, played);
        step
    }

    /// The same in place: whoever copies summary that are on their way to memory waits for them.
    #[inline(always)]
    pub fn set<const IMAGES: usize>(&mut self, plan: &Plan, before: &Graph<IMAGES>, played: Move) {
        self.played = played;
        match played {
            Move::String(string) => {
                if !self.take_string(plan, before, string as usize) {
                    self.take_by_graph(plan, before);
                }
            }
            Move::Chain(length) => self.take_free(before, plan.zobrist.free_chain(length as usize), length),
            Move::Loop(length) => self.take_free(before, plan.zobrist.free_loop(length as usize), length),
        }
    }

    /// How many boxes go with what is taken out.
    #[inline]
    pub fn taken(&self) -> i32 {
        self.taken
    }

    #[inline]
    pub fn summary(&self) -> NodeSummary {
        self.summary
    }

    /// What is left of the graph that the step was made for.
    #[inline]
    pub fn graph<const IMAGES: usize>(&self, plan: &Plan, before: &Graph<IMAGES>) -> Graph<IMAGES> {
        let mut after = before.clone();
        after.take_out(plan, self.played);
        after
    }

    /// Seldom needed, and too long to stand in the way of the others.
    #[cold]
    #[inline(never)]
    fn take_by_graph<const IMAGES: usize>(&mut self, plan: &Plan, before: &Graph<IMAGES>) {
        let mut after = before.clone();
        self.taken = after.take_out(plan, self.played) as i32;
        self.summary = after.summary();
    }

    #[inline(always)]
    fn take_free<const IMAGES: usize>(&mut self, before: &Graph<IMAGES>, free: &ZobristKey<MAX_IMAGES>, length: u8) {
        self.taken = length as i32;
        let boxes = before.boxes as i32 - self.taken;
        self.summary = NodeSummary { key: before.zobrist.minus(free).table_key(), boxes, ..before.summary() };
    }

    /// Takes out a string with the boxes that go with it; false where its ends have to do with each other, so that
    /// [`Graph::remove`] has to tell: the string is a loop, another one joins the boxes, or two short chains alike come about.
    #[inline(always)]
    fn take_string<const IMAGES: usize>(&mut self, plan: &Plan, before: &Graph<IMAGES>, string: usize) -> bool {
        let [a, b] = before.ends[string];
        if a == b {
            return false;
        }
        let mut key = before.zobrist.minus(&before.number_of(plan, string));
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
            key = key.minus(&before.number_of(plan, first));
            if first == second {
                key = key.plus(plan.zobrist.free_loop(before.length(first) as usize + 1));
                continue;
            }
            key = key.minus(&before.number_of(plan, second));
            let length = (before.length(first) + before.length(second) + 1) as usize;
            match [before.other_end(first, end), before.other_end(second, end)] {
                [GROUND, GROUND] if length <= 2 => {
                    if std::mem::replace(&mut short, length) == length {
                        return false;
                    }
                    if before.free.has_chain(length) {
                        key = key.minus(plan.zobrist.free_chain(length));
                        boxes -= 2 * length as i32;
                    } else {
                        key = key.plus(plan.zobrist.free_chain(length));
                    }
                }
                [GROUND, GROUND] => key = key.plus(plan.zobrist.free_chain(length)),
                ends => {
                    key = key.plus(&plan.zobrist.chain::<IMAGES>(ends, length as u8));
                    is_free = false;
                }
            }
        }
        is_free &= (before.safe | before.hanging) & !gone == 0;
        let safe = (before.safe & !gone).count_ones();
        self.taken = taken;
        self.summary = NodeSummary { key: key.table_key(), safe, boxes, is_free };
        true
    }
}

impl<const IMAGES: usize> Graph<IMAGES> {
    /// The summary of the graph itself.
    pub fn summary(&self) -> NodeSummary {
        let (key, safe) = (self.key(), self.safe.count_ones());
        NodeSummary { key, safe, boxes: self.boxes as i32, is_free: self.is_free() }
    }

    /// Takes something out; gives how many boxes go with it.
    #[inline]
    fn take_out(&mut self, plan: &Plan, played: Move) -> u32 {
        match played {
            Move::String(string) => self.remove(plan, string as usize),
            Move::Chain(length) => self.remove_chain(plan, length as usize),
            Move::Loop(length) => self.remove_loop(plan, length as usize),
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
        fn a_successor_knows_what_its_graph_says(state in some_capture_free()) {
            let plan = Plan::new(state.board(), Order::Distance);
            let graph = Graph::<4>::new(&plan, state);
            let strings = bits(graph.safe | graph.hanging).map(|string| Move::String(string as u8));
            let chain = graph.free.shortest_long_chain().map(|length| Move::Chain(length as u8));
            let short = graph.free.shortest_short_chain().map(|length| Move::Chain(length as u8));
            let ring = graph.free.shortest_loop().map(|length| Move::Loop(length as u8));
            for played in strings.chain(chain).chain(short).chain(ring) {
                let step = Successor::new(&plan, &graph, played);
                let mut after = graph.clone();
                let taken = after.take_out(&plan, played) as i32;
                prop_assert_eq!((step.taken(), step.summary()), (taken, after.summary()));
                prop_assert_eq!(step.graph(&plan, &graph).summary(), after.summary());
            }
        }
    }
}
