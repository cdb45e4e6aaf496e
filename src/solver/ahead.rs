//! What the first moves of a position lead to, found out together.

use super::graph::Graph;
use super::plan::Plan;
use super::step::{Facts, Removed, Step};

/// How many moves of a position are looked ahead to at most.
const AHEAD: usize = 16;

/// What the first moves of a position lead to, in the order of the moves.
pub(super) struct Ahead {
    steps: [Step; AHEAD],
    count: usize,
}

impl Ahead {
    /// Nothing yet.
    pub fn new() -> Ahead {
        Ahead { steps: [Step::BLANK; AHEAD], count: 0 }
    }

    /// What has been found out.
    pub fn steps(&self) -> &[Step] {
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
        removed: Removed,
    ) -> Step {
        self.steps().get(number).copied().unwrap_or_else(|| Step::new(plan, graph, removed))
    }

    /// Finds out what the first of these moves lead to, in place of what was known, and tells of each at once.
    pub fn fill<const IMAGES: usize>(
        &mut self,
        plan: &Plan,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Removed>,
        found: impl Fn(Facts),
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
        moves: impl Iterator<Item = Removed>,
        found: impl Fn(Facts),
    ) {
        self.fill_by_any(plan, graph, moves, found);
    }

    #[inline(always)]
    fn fill_by_any<const IMAGES: usize>(
        &mut self,
        plan: &Plan,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Removed>,
        found: impl Fn(Facts),
    ) {
        let mut count = 0;
        for (step, removed) in self.steps.iter_mut().zip(moves) {
            step.set(plan, graph, removed);
            found(step.facts());
            count += 1;
        }
        self.count = count;
    }
}

/// Whether the processor has all that `fill_by_avx512` is compiled for.
pub(super) fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

#[cfg(test)]
mod tests {
    use super::super::bits::bits;
    use super::super::graph::tests::some_capture_free;
    use super::super::plan::Order;
    use super::*;
    use crate::board::{Board, Edges};
    use proptest::prelude::*;
    use std::cell::RefCell;

    fn found<const IMAGES: usize>(plan: &Plan, drawn: Edges) -> (Vec<Facts>, Vec<Facts>, usize) {
        let graph = Graph::<IMAGES>::new(plan, drawn);
        let moves = || bits(graph.safe | graph.hanging).map(|string| Removed::String(string as u8));
        let told = RefCell::new(Vec::new());
        let mut ahead = Ahead::new();
        ahead.fill(plan, &graph, moves(), |facts| told.borrow_mut().push(facts));
        for (number, removed) in moves().enumerate() {
            let step = Step::new(plan, &graph, removed);
            assert_eq!(ahead.step(number, plan, &graph, removed).facts(), step.facts());
        }
        let facts = ahead.steps().iter().map(Step::facts).collect();
        (facts, told.into_inner(), moves().count())
    }

    fn agrees<const IMAGES: usize>(board: Board, drawn: Edges) {
        let mut plan = Plan::new(board, Order::MiddleLines);
        let (facts, told, moves) = found::<IMAGES>(&plan, drawn);
        assert_eq!(facts, told);
        assert_eq!(facts.len(), moves.min(AHEAD));
        plan.has_avx512 = false;
        assert_eq!(found::<IMAGES>(&plan, drawn).0, facts);
    }

    proptest! {
        #[test]
        fn looking_ahead_finds_what_each_step_says((board, drawn) in some_capture_free()) {
            agrees::<1>(board, drawn);
            agrees::<4>(board, drawn);
            agrees::<8>(board, drawn);
        }
    }
}
