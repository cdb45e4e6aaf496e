//! The successors of the first moves of a position, computed together so that their table entries
//! can be prefetched.

use super::cpu::Width;
use super::graph::{Graph, Key, Move, NodeSummary, Plan, Successor};

/// The largest index of successors in a buffer.
const CAPACITY: usize = 16;

/// The successors of the first moves of a position, in the order of the moves.
pub(super) struct PrefetchBuffer {
    successors: [Successor; CAPACITY],
    count: usize,
}

impl PrefetchBuffer {
    /// Creates an empty buffer.
    pub fn new() -> PrefetchBuffer {
        PrefetchBuffer { successors: [Successor::BLANK; CAPACITY], count: 0 }
    }

    /// Returns the successors in the buffer.
    pub fn successors(&self) -> &[Successor] {
        &self.successors[..self.count]
    }

    /// Empties the buffer.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Returns the successor of the move with this index, from the buffer if it is there.
    pub fn successor<K: Key>(&self, index: usize, plan: &Plan, graph: &Graph<K>, played: Move) -> Successor {
        self.successors().get(index).copied().unwrap_or_else(|| Successor::new(plan, graph, played))
    }

    /// Replaces the contents by the successors of the first of these moves, and calls `each` with
    /// the summary of each as soon as it is computed.
    pub fn fill<K: Key>(
        &mut self,
        plan: &Plan,
        graph: &Graph<K>,
        moves: impl Iterator<Item = Move>,
        each: impl Fn(NodeSummary),
    ) {
        match plan.vectors.width() {
            // SAFETY: only `Vectors::detect` returns vectors of this width, and only where the processor has them.
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => unsafe { self.fill_avx512(plan, graph, moves, each) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => unsafe { self.fill_avx2(plan, graph, moves, each) },
            Width::Portable => self.fill_portable(plan, graph, moves, each),
        }
    }

    /// Does the same, compiled so that one instruction adds the eight images of a key.
    /// [`Vectors::detect`](super::cpu::Vectors::detect) checks for the features that are named here.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn fill_avx512<K: Key>(
        &mut self,
        plan: &Plan,
        graph: &Graph<K>,
        moves: impl Iterator<Item = Move>,
        each: impl Fn(NodeSummary),
    ) {
        self.fill_portable(plan, graph, moves, each);
    }

    /// Does the same, compiled so that one instruction adds four images of a key.
    /// [`Vectors::detect`](super::cpu::Vectors::detect) checks for the features that are named here.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn fill_avx2<K: Key>(
        &mut self,
        plan: &Plan,
        graph: &Graph<K>,
        moves: impl Iterator<Item = Move>,
        each: impl Fn(NodeSummary),
    ) {
        self.fill_portable(plan, graph, moves, each);
    }

    #[inline(always)]
    fn fill_portable<K: Key>(
        &mut self,
        plan: &Plan,
        graph: &Graph<K>,
        moves: impl Iterator<Item = Move>,
        each: impl Fn(NodeSummary),
    ) {
        let mut count = 0;
        for (successor, played) in self.successors.iter_mut().zip(moves) {
            successor.set(plan, graph, played);
            each(successor.summary());
            count += 1;
        }
        self.count = count;
    }
}

#[cfg(test)]
mod tests {
    use super::super::cpu::Vectors;
    use super::super::graph::Order;
    use super::super::graph::any_capture_free;
    use super::super::graph::{PlainKey, SymmetricKey, bits};
    use super::*;
    use crate::board::State;
    use proptest::prelude::*;
    use std::cell::RefCell;

    fn fill<K: Key>(plan: &Plan, state: State) -> (Vec<NodeSummary>, Vec<NodeSummary>, usize) {
        let graph = Graph::<K>::new(plan, state);
        let moves = || bits(graph.safe | graph.hanging).map(|string| Move::String(string as u8));
        let reported = RefCell::new(Vec::new());
        let mut buffer = PrefetchBuffer::new();
        buffer.fill(plan, &graph, moves(), |summary| reported.borrow_mut().push(summary));
        for (index, played) in moves().enumerate() {
            let successor = Successor::new(plan, &graph, played);
            assert_eq!(buffer.successor(index, plan, &graph, played).summary(), successor.summary());
        }
        let summary = buffer.successors().iter().map(Successor::summary).collect();
        (summary, reported.into_inner(), moves().count())
    }

    fn check<K: Key>(state: State) {
        let mut plan = Plan::new(state.board(), Order::Early);
        let (summary, reported, moves) = fill::<K>(&plan, state);
        assert_eq!(summary, reported);
        assert_eq!(summary.len(), moves.min(CAPACITY));
        plan.vectors = Vectors::PORTABLE;
        assert_eq!(fill::<K>(&plan, state).0, summary);
    }

    proptest! {
        #[test]
        fn the_buffer_holds_the_successors_of_the_first_moves(state in any_capture_free()) {
            check::<PlainKey>(state);
            check::<SymmetricKey<4>>(state);
            check::<SymmetricKey<8>>(state);
        }
    }
}
