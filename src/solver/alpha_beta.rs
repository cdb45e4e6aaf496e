//! Alpha-beta with zero windows over capture-free positions.
//!
//! A node is a capture-free position that neither the closed form nor the table settles and that is expanded.
//!
//! What pays, what does not, and by how much is in `docs/experiments/0070-what-makes-alpha-beta-fast.md`. The two rules that
//! matter most when changing it: safe edges are tried in one fixed order, because both players' variations then transpose, and
//! a move's key is computed before its graph, because the table settles two moves of three.

use std::sync::Arc;

use super::bits::bits;
use super::bounds::Bounds;
use super::graph::Graph;
use super::handouts::{Handout, Handouts};
use super::plan::Plan;
use super::prefetch::PrefetchBuffer;
use super::shared::{MoveProgress, REPORTED_PLIES, Shared};
use super::successor::{Move, NodeSummary, Successor};
use super::table::Table;

/// The most entries of a solver's own table, so that it fits into the processor's caches (see [`Plan::near_safe`]).
const NEAR_ENTRIES: usize = 1 << 18;

/// A table of at least this many entries has more pages than the processor remembers.
const HUGE_ENTRIES: usize = 1 << 29;

/// Positions with at least this many safe edges are claimed, when several solvers work together.
const CLAIMED_SAFE: u32 = 8;

/// In positions with at least this many safe edges the table is asked about all moves before the first is searched
/// (Schaeffer and Plaat, *New advances in alpha-beta searching*, 1996: enhanced transposition cut-offs).
const KNOWN_FIRST_SAFE: u32 = 4;

/// Nodes between two checks of the stop flag.
const STOP_INTERVAL: u64 = 1 << 10;

/// A search, its own small table, and what it shares with other workers.
pub(super) struct AlphaBeta {
    plan: Arc<Plan>,
    pub shared: Arc<Shared>,
    near: Table,
    /// Whether other workers search the same position.
    pub is_parallel: bool,
    /// Whether the moves that are being tried are reported.
    pub reports_moves: bool,
    /// The distance in positions from the one that was asked for.
    ply: usize,
    nodes: u64,
    reported: u64,
    limit: u64,
    is_stopped: bool,
}

/// A search that ended before its answer: the node budget ran out, or the solver was stopped.
#[derive(Debug)]
pub(super) struct Interrupted;

/// What a search of a position is likely to come to (Knuth and Moore, *An analysis of alpha-beta pruning*, 1975).
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    /// Some move reaches the target, perhaps the first.
    CutOff,
    /// None does, so all are tried.
    NoCutOff,
}

impl Expected {
    /// What is expected after a move, for the other player.
    fn after(self) -> Expected {
        match self {
            Expected::CutOff => Expected::NoCutOff,
            Expected::NoCutOff => Expected::CutOff,
        }
    }
}

/// What is known of a position without a search.
enum Known {
    /// Enough.
    Bound(i32),
    /// Nothing but independent chains and loops is left, so the closed form reports_moves.
    Free,
    /// Too little.
    Within(Bounds),
}

impl Known {
    fn settled(bounds: Bounds, target: i32) -> Known {
        match bounds {
            Bounds { lower, .. } if lower >= target => Known::Bound(lower),
            Bounds { upper, .. } if upper < target => Known::Bound(upper),
            within => Known::Within(within),
        }
    }
}

/// A question being worked on. All that is asked through it shares one budget of nodes.
pub(super) struct Query<'a>(&'a mut AlphaBeta);

impl Query<'_> {
    /// Changes how many nodes the question may take in all.
    pub fn set_limit(&mut self, limit: u64) {
        self.0.limit = limit;
    }

    /// The value of a position, or the bounds proved when the budget ends.
    ///
    /// The zero windows step from `guess` towards the value (as MTD(f) does), so that a spent budget leaves bounds on this
    /// or that side of it.
    pub fn value<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, guess: i32) -> Result<i32, Bounds> {
        let mut bounds = Bounds::of_open_boxes(graph.boxes as i32);
        while !bounds.is_exact() {
            let target = bounds.next_target(guess);
            match self.0.search(graph, target) {
                Ok(bound) => bounds.narrow(target, bound),
                Err(Interrupted) => return Err(bounds),
            }
        }
        Ok(bounds.lower)
    }

    /// A bound of the value: a lower one when it is at least `target`, else an upper one.
    pub fn bound<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, target: i32) -> Result<i32, Interrupted> {
        self.0.search(graph, target)
    }
}

impl AlphaBeta {
    pub fn new(plan: Arc<Plan>, shared: Arc<Shared>) -> AlphaBeta {
        let near = Table::new(shared.table.entries().min(NEAR_ENTRIES));
        let (nodes, reported, limit, is_stopped) = (0, 0, 0, false);
        AlphaBeta {
            plan,
            shared,
            near,
            is_parallel: false,
            reports_moves: false,
            ply: 0,
            nodes,
            reported,
            limit,
            is_stopped,
        }
    }

    pub fn clear(&mut self) {
        self.shared.table.clear();
        self.near.clear();
    }

    /// Begins a question about positions of this plan, with a budget of nodes.
    pub fn query(&mut self, plan: &Arc<Plan>, limit: u64) -> Query<'_> {
        self.plan = plan.clone();
        self.shared.report(self.nodes - self.reported);
        (self.nodes, self.reported) = (0, 0);
        (self.limit, self.is_stopped, self.ply) = (limit, false, 0);
        if self.reports_moves {
            self.shared.clear_progress(0);
        }
        Query(self)
    }

    /// Nodes of the last question.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the last question was stopped from outside.
    pub fn was_stopped(&self) -> bool {
        self.is_stopped
    }

    /// A bound of the value: a lower one when it is at least `target`, else an upper one.
    fn search<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, target: i32) -> Result<i32, Interrupted> {
        let summary = graph.summary();
        match self.known(summary, target) {
            Known::Bound(bound) => Ok(bound),
            Known::Free => Ok(-graph.free.controller_margin()),
            Known::Within(bounds) => self.visit(graph, summary, bounds, target, Expected::CutOff),
        }
    }

    fn search_after<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        step: &Successor,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Interrupted> {
        match self.known(step.summary(), target) {
            Known::Bound(bound) => Ok(bound),
            Known::Free => Ok(-step.graph(&self.plan, graph).free.controller_margin()),
            Known::Within(bounds) => {
                self.visit(&step.graph(&self.plan, graph), step.summary(), bounds, target, expected)
            }
        }
    }

    /// Returns what is known without a search.
    #[inline]
    fn known(&self, summary: NodeSummary, target: i32) -> Known {
        let NodeSummary { key, safe, boxes, .. } = summary;
        let all = Bounds::of_open_boxes(boxes);
        if target > boxes || target <= -boxes {
            return Known::settled(all, target);
        }
        if summary.is_free {
            return Known::Free;
        }
        Known::settled(self.table(safe).probe(key, boxes).unwrap_or(all), target)
    }

    /// Searches a position that neither the closed form nor the table settles.
    fn visit<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        summary: NodeSummary,
        mut bounds: Bounds,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Interrupted> {
        let NodeSummary { key, safe, .. } = summary;
        self.count_node()?;
        let before = self.nodes;
        let is_claimed = self.is_parallel && safe >= CLAIMED_SAFE;
        if is_claimed {
            self.shared.claim(key);
        }
        self.ply += 1;
        let bound = self.expand(graph, target, expected);
        self.ply -= 1;
        if is_claimed {
            self.shared.release(key);
        }
        let bound = bound?;
        bounds.narrow(target, bound);
        self.table(safe).store(key, bounds, self.nodes - before);
        Ok(bound)
    }

    /// Tries the moves of a position: the safe ones, then the openings.
    fn expand<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Interrupted> {
        let after = expected.after();
        let mut best = i32::MIN;
        let mut put_off = 0;
        let safe = self.plan.without_twins(graph.safe);
        // What all moves lead to is of use where all are likely to be tried, or where one that the table knows to be
        // enough saves much.
        let looks_for_known = graph.safe.count_ones() >= KNOWN_FIRST_SAFE;
        let mut buffer = PrefetchBuffer::new();
        if looks_for_known || expected == Expected::NoCutOff {
            self.prefetch(&mut buffer, graph, bits(safe).map(|string| Move::String(string as u8)));
        }
        if looks_for_known {
            for step in buffer.steps() {
                match self.known(step.summary(), 1 - target) {
                    Known::Bound(bound) if -bound >= target => return Ok(-bound),
                    _ => {}
                }
            }
        }
        for (index, string) in bits(safe).enumerate() {
            let step = buffer.step(index, &self.plan, graph, Move::String(string as u8));
            if self.is_parallel && best > i32::MIN && self.is_claimed(step.summary()) {
                put_off |= 1 << string;
                continue;
            }
            self.report_move(index, safe);
            best = best.max(-self.search_after(graph, &step, 1 - target, after)?);
            if best >= target {
                return Ok(best);
            }
        }
        for string in bits(put_off) {
            self.report_move((safe & ((1 << string) - 1)).count_ones() as usize, safe);
            let step = Successor::new(&self.plan, graph, Move::String(string as u8));
            best = best.max(-self.search_after(graph, &step, 1 - target, after)?);
            if best >= target {
                return Ok(best);
            }
        }
        let handouts = Handouts::new(graph, target);
        best = best.max(handouts.ceiling);
        buffer.clear();
        if expected == Expected::NoCutOff {
            self.prefetch(&mut buffer, graph, handouts.as_slice().iter().map(|handout| handout.played));
        }
        for (index, handout) in handouts.as_slice().iter().enumerate() {
            let rest = buffer.step(index, &self.plan, graph, handout.played);
            best = best.max(self.hand_out(graph, handout, &rest, target, expected)?);
            if best >= target {
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// Reports, near the position that was asked for, which of the safe moves is tried.
    #[inline]
    fn report_move(&self, index: usize, safe: u64) {
        if self.ply <= REPORTED_PLIES && self.reports_moves {
            self.shared.report_move(self.ply - 1, MoveProgress { number: index + 1, of: safe.count_ones() as usize });
        }
    }

    /// A bound of the value of handing this to the opponent.
    fn hand_out<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        handout: &Handout,
        rest: &Successor,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Interrupted> {
        let taken = rest.taken();
        // Take all: x must stay at or below -taken - target.
        let x = self.search_after(graph, rest, 1 - taken - target, expected.after())?;
        let Some(price) = handout.price(taken).filter(|_| x <= -taken - target) else {
            return Ok(-taken - x);
        };
        // Keep control: x must reach taken + target - price.
        let y = self.search_after(graph, rest, taken + target - price, expected)?;
        if y < taken + target - price {
            return Ok(price - taken + y);
        }
        Ok((-taken - x).min(price - taken + y))
    }

    /// Finds out what the first moves lead to. The table's lines for them are on their way then, so that they are waited
    /// for together. In a huge table each line also has its page to be found, which stops the processor until few
    /// instructions are left that it could go on with: all lines are then asked for in a row, so that their pages are
    /// looked for together too (4x4: 0.88 of the time with 4 GiB, 1.13 with 2 GiB).
    fn prefetch<const IMAGES: usize>(
        &self,
        buffer: &mut PrefetchBuffer,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Move>,
    ) {
        let is_huge = self.shared.table.entries() >= HUGE_ENTRIES;
        buffer.fill(&self.plan, graph, moves, |summary| {
            if !is_huge {
                self.fetch(summary);
            }
        });
        if is_huge {
            buffer.steps().iter().for_each(|step| self.fetch(step.summary()));
        }
    }

    fn is_claimed(&self, summary: NodeSummary) -> bool {
        summary.safe >= CLAIMED_SAFE && self.shared.is_claimed(summary.key)
    }

    fn table(&self, safe: u32) -> &Table {
        if safe < self.plan.near_safe { &self.near } else { &self.shared.table }
    }

    fn fetch(&self, NodeSummary { key, safe, .. }: NodeSummary) {
        self.table(safe).fetch(key);
    }

    fn count_node(&mut self) -> Result<(), Interrupted> {
        if self.nodes >= self.limit || self.is_stopped {
            return Err(Interrupted);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(STOP_INTERVAL) {
            self.shared.report(self.nodes - self.reported);
            self.reported = self.nodes;
            // The flag stays set, so that all parts of the question are stopped.
            self.is_stopped = self.shared.is_stopped();
            if self.is_stopped {
                return Err(Interrupted);
            }
        }
        Ok(())
    }
}
