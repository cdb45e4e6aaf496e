//! Successors of a position: the key at once, the graph on demand.
//!
//! The table settles two thirds of the positions that a search reaches, and these need no graph.

use super::change::Change;
use super::components::Components as _;
use super::graph::Graph;
use super::key::{Key, TableKey};
use super::plan::Plan;
use super::zobrist::GROUND;

/// A move, by the string or component that it removes from a graph. All boxes that this puts on
/// offer are removed with it.
#[derive(Clone, Copy)]
pub(crate) enum Move {
    /// A string, by its rank.
    String(u8),
    /// An independent chain of this length.
    Chain(u8),
    /// An independent loop of this length.
    Loop(u8),
}

impl Move {
    /// A placeholder. All its bytes are 0, so that an array of placeholders takes little to write.
    pub const NONE: Move = Move::String(0);
}

/// The graph after a move, by its summary.
#[derive(Clone, Copy)]
pub(crate) struct Successor {
    played: Move,
    taken: i32,
    summary: NodeSummary,
}

/// The facts about a graph that a search needs before the graph itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeSummary {
    pub key: TableKey,
    /// The number of safe strings.
    pub safe: u32,
    /// The number of open boxes, without those of short chains that cancel in pairs.
    pub boxes: i32,
    /// `true` if only independent chains and loops are left.
    pub is_independent: bool,
}

impl Successor {
    /// A placeholder.
    pub const BLANK: Successor = Successor {
        played: Move::NONE,
        taken: 0,
        summary: NodeSummary { key: 0, safe: 0, boxes: 0, is_independent: false },
    };

    /// Computes the successor of a graph after a move. Where many are computed, [`Successor::set`]
    /// is compiled in place; one copy is enough for all other callers.
    #[inline(never)]
    pub fn new<K: Key>(plan: &Plan, before: &Graph<K>, played: Move) -> Successor {
        let mut successor = Successor::BLANK;
        successor.set(plan, before, played);
        successor
    }

    /// Computes the successor in place. A copy of a summary that was just written would have to
    /// wait for the write.
    #[inline(always)]
    pub fn set<K: Key>(&mut self, plan: &Plan, before: &Graph<K>, played: Move) {
        self.played = played;
        match played {
            Move::String(string) => {
                let string = string as usize;
                let is_set = match before.is_large(string) {
                    true => self.set_without_string::<K, true>(plan, before, string),
                    false => self.set_without_string::<K, false>(plan, before, string),
                };
                if !is_set {
                    self.set_by_graph(plan, before);
                }
            }
            Move::Chain(length) => {
                self.set_without_component(before, plan.zobrist.independent_chain(length as usize), length)
            }
            Move::Loop(length) => {
                self.set_without_component(before, plan.zobrist.independent_loop(length as usize), length)
            }
        }
    }

    /// Returns the move.
    #[inline]
    pub fn played(&self) -> Move {
        self.played
    }

    /// Returns the number of boxes that the move removes.
    #[inline]
    pub fn taken(&self) -> i32 {
        self.taken
    }

    /// Returns the summary of the graph after the move.
    #[inline]
    pub fn summary(&self) -> NodeSummary {
        self.summary
    }

    /// Returns the graph after the move, given the graph before it.
    #[inline]
    pub fn graph<K: Key>(&self, plan: &Plan, before: &Graph<K>) -> Graph<K> {
        let mut after = *before;
        after.apply(plan, self.played);
        after
    }

    /// Computes the successor by building its graph. This is seldom needed, and kept out of line so
    /// that the common cases stay small.
    #[cold]
    #[inline(never)]
    fn set_by_graph<K: Key>(&mut self, plan: &Plan, before: &Graph<K>) {
        let mut after = *before;
        self.taken = after.apply(plan, self.played) as i32;
        self.summary = after.summary();
    }

    /// Computes the successor after removing an independent component with this key.
    #[inline(always)]
    fn set_without_component<K: Key>(&mut self, before: &Graph<K>, component: K, length: u8) {
        self.taken = length as i32;
        let boxes = before.boxes as i32 - self.taken;
        self.summary = NodeSummary { key: before.zobrist.minus(component).table_key(), boxes, ..before.summary() };
    }

    /// Computes the successor after removing a string of a large or small component, without
    /// building its graph. Returns `false` if the graph has to be built, because the two ends of
    /// the string affect each other: they are the same joint, another string joins them, or two
    /// equal short chains arise.
    ///
    /// It is compiled in place for the instruction set of its caller. A module has only one, and is
    /// to be small.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn set_without_string<K: Key, const IS_LARGE: bool>(
        &mut self,
        plan: &Plan,
        before: &Graph<K>,
        string: usize,
    ) -> bool {
        let [a, b] = before.ends[string];
        if a == b {
            return false;
        }
        let mut key = before.zobrist;
        if IS_LARGE {
            key = key.minus(before.key_of(plan, string));
        }
        let taken = before.length(string) as i32;
        let mut boxes = before.boxes as i32 - taken;
        let mut change = Change::of(before, string);
        let mut is_independent = true;
        let mut short = 0;
        for end in [a, b] {
            if end == GROUND || before.degree[end as usize] != 3 {
                continue;
            }
            // The box merges with the strings that are left beside it.
            let beside = before.ties[end as usize] & !(1 << string);
            if beside & change.removed != 0 {
                return false;
            }
            change.removed |= beside;
            change.merging |= 1 << end;
            let first = beside.trailing_zeros() as usize;
            let second = 63 - beside.leading_zeros() as usize;
            if IS_LARGE {
                key = key.minus(before.key_of(plan, first));
            }
            if first == second {
                key = key.plus(plan.zobrist.independent_loop(before.length(first) as usize + 1));
                continue;
            }
            if IS_LARGE {
                key = key.minus(before.key_of(plan, second));
            }
            let length = (before.length(first) + before.length(second) + 1) as usize;
            match [before.other_end(first, end), before.other_end(second, end)] {
                [GROUND, GROUND] if length <= 2 => {
                    if std::mem::replace(&mut short, length) == length {
                        return false;
                    }
                    if before.independent.has_chain(length) {
                        key = key.minus(plan.zobrist.independent_chain(length));
                        boxes -= 2 * length as i32;
                    } else {
                        key = key.plus(plan.zobrist.independent_chain(length));
                    }
                }
                [GROUND, GROUND] => key = key.plus(plan.zobrist.independent_chain(length)),
                ends => {
                    if IS_LARGE {
                        key = key.plus(plan.zobrist.chain(ends, length as u8));
                    }
                    change.merge(ends, length as u8);
                    is_independent = false;
                }
            }
        }
        key = match IS_LARGE {
            true => K::Components::key_after_large(before, plan, key, &change),
            false => K::Components::key_after_small(before, key, &change),
        };
        is_independent &= (before.safe | before.hanging) & !change.removed == 0;
        let safe = (before.safe & !change.removed).count_ones();
        self.taken = taken;
        self.summary = NodeSummary { key: key.table_key(), safe, boxes, is_independent };
        true
    }
}

impl<K: Key> Graph<K> {
    /// Returns the summary of the graph itself.
    pub fn summary(&self) -> NodeSummary {
        let (key, safe) = (self.key(), self.safe.count_ones());
        NodeSummary { key, safe, boxes: self.boxes as i32, is_independent: self.is_independent() }
    }

    /// Makes a move and returns the number of boxes that it removes.
    #[inline]
    pub fn apply(&mut self, plan: &Plan, played: Move) -> u32 {
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
    use super::super::graph::tests::any_capture_free;
    use super::super::key::SymmetricKey;
    use super::super::order::Order;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn successors_agree_with_their_graphs(state in any_capture_free()) {
            let plan = Plan::new(state.board(), Order::Distance);
            let graph = Graph::<SymmetricKey<4>>::new(&plan, state);
            let strings = bits(graph.safe | graph.hanging).map(|string| Move::String(string as u8));
            let chain = graph.independent.shortest_long_chain().map(|length| Move::Chain(length as u8));
            let short = graph.independent.shortest_short_chain().map(|length| Move::Chain(length as u8));
            let smallest_loop = graph.independent.shortest_loop().map(|length| Move::Loop(length as u8));
            for played in strings.chain(chain).chain(short).chain(smallest_loop) {
                let successor = Successor::new(&plan, &graph, played);
                let mut after = graph;
                let taken = after.apply(&plan, played) as i32;
                prop_assert_eq!((successor.taken(), successor.summary()), (taken, after.summary()));
                prop_assert_eq!(successor.graph(&plan, &graph).summary(), after.summary());
            }
        }
    }
}
