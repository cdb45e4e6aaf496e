//! What the first moves of a position lead to, found out together.

use super::graph::Graph;
use super::plan::Plan;
use super::successor::{Move, NodeSummary, Successor};

/// How many moves of a position are looked ahead to at most.
const AHEAD: usize = 16;

/// What the first moves of a position lead to, in the order of the moves.
pub(super) struct PrefetchBuffer {
    steps: [Successor; AHEAD],
    count: usize,
}

impl PrefetchBuffer {
    /// Nothing yet.
    pub fn new() -> PrefetchBuffer {
        PrefetchBuffer { steps: [Successor::BLANK; AHEAD], count: 0 }
    }

    /// What has been found out.
    pub fn steps(&self) -> &[Successor] {
        &self.steps[..self.count]
    }

    /// Forgets it.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// What a move leads to, the one of this number if it has been looked ahead to.
    pub fn step<const IMAGES: usize>(
        &self,
        number: usize,
        plan: &Plan,
        graph: &Graph<IMAGES>,
        played: Move,
    ) -> Successor {
        self.steps().get(number).copied().unwrap_or_else(|| Successor::new(plan, graph, played))
    }

    /// Finds out what the first of these moves lead to, in place of what was known, and tells of each at once.
    pub fn fill<const IMAGES: usize>(
        &mut self,
        plan: &Plan,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Move>,
        found: impl Fn(NodeSummary),
    ) {
        match plan.has_avx512 {
            // SAFETY: a plan asks `has_avx512`.
            #[cfg(target_arch = "x86_64")]
            true => unsafe { self.fill_by_avx512(plan, graph, moves, found) },
            _ => self.fill_by_any(plan, graph, moves, found),
        }
    }

    /// The same, compiled so that one instruction adds a number's eight images. What is named here [`has_avx512`] asks for.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn fill_by_avx512<const IMAGES: usize>(
        &mut self,
        plan: &Plan,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Move>,
        found: impl Fn(NodeSummary),
    ) {
        self.fill_by_any(plan, graph, moves, found);
    }

    #[inline(always)]
    fn fill_by_any<const IMAGES: usize>(
        &mut self,
        plan: &Plan,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Move>,
        found: impl Fn(NodeSummary),
    ) {
        let mut count = 0;
        for (step, played) in self.steps.iter_mut().zip(moves) {
            step.set(plan, graph, played);
            found(step.summary());
            count += 1;
        }
        self.count = count;
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::bits;
    use super::super::graph::tests::some_capture_free;
    use super::super::plan::Order;
    use super::*;
    use crate::board::State;
    use proptest::prelude::*;
    use std::cell::RefCell;

    fn found<const IMAGES: usize>(plan: &Plan, state: State) -> (Vec<NodeSummary>, Vec<NodeSummary>, usize) {
        let graph = Graph::<IMAGES>::new(plan, state);
        let moves = || bits(graph.safe | graph.hanging).map(|string| Move::String(string as u8));
        let told = RefCell::new(Vec::new());
        let mut buffer = PrefetchBuffer::new();
        buffer.fill(plan, &graph, moves(), |summary| told.borrow_mut().push(summary));
        for (number, played) in moves().enumerate() {
            let step = Successor::new(plan, &graph, played);
            assert_eq!(buffer.step(number, plan, &graph, played).summary(), step.summary());
        }
        let summary = buffer.steps().iter().map(Successor::summary).collect();
        (summary, told.into_inner(), moves().count())
    }

    fn agrees<const IMAGES: usize>(state: State) {
        let mut plan = Plan::new(state.board(), Order::MiddleLines);
        let (summary, told, moves) = found::<IMAGES>(&plan, state);
        assert_eq!(summary, told);
        assert_eq!(summary.len(), moves.min(AHEAD));
        plan.has_avx512 = false;
        assert_eq!(found::<IMAGES>(&plan, state).0, summary);
    }

    proptest! {
        #[test]
        fn looking_ahead_finds_what_each_step_says(state in some_capture_free()) {
            agrees::<1>(state);
            agrees::<4>(state);
            agrees::<8>(state);
        }
    }
}
