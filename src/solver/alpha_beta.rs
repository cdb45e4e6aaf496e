//! Alpha-beta search with zero windows over capture-free positions.
//!
//! A node is a capture-free position that is expanded, because neither the closed form nor the
//! table settles it.
//!
//! Two rules matter most for speed. Safe edges are tried in one fixed order, so that the variations
//! of both players transpose. A move's key is computed before its graph, because the table settles
//! two moves of three. Techniques that were measured, those that do not pay included, are in
//! docs/experiments/0070-what-makes-alpha-beta-fast.md.

use std::sync::Arc;

use super::Bounds;
use super::bits::bits;
use super::expected::Expected;
use super::graph::Graph;
use super::handouts::{Handout, Handouts};
use super::known::Known;
use super::plan::Plan;
use super::prefetch::PrefetchBuffer;
use super::shared::{MoveProgress, REPORTED_PLIES, Shared};
use super::successor::{Move, NodeSummary, Successor};
use super::table::Table;

/// The largest number of entries of a solver's own table, chosen so that the table fits into the
/// processor's caches (see [`Plan::near_safe`]).
const NEAR_ENTRIES: usize = 1 << 18;

/// The number of entries from which a table is huge: its pages exceed the processor's cache of page
/// addresses (docs/experiments/0072-prefetch-in-huge-tables.md).
const HUGE_ENTRIES: usize = 1 << 29;

/// The number of safe edges from which a position is claimed when several solvers work together.
const CLAIMED_SAFE: u32 = 8;

/// The number of safe edges from which the table is probed for all moves before the first is
/// searched (enhanced transposition cut-offs: Schaeffer and Plaat, *New advances in alpha-beta
/// searching*, 1996).
const PROBE_ALL_SAFE: u32 = 4;

/// The number of nodes between two checks of the stop flag.
const STOP_INTERVAL: u64 = 1 << 10;

/// A search with its own small table, and the state that it shares with other workers.
pub(super) struct AlphaBeta {
    plan: Arc<Plan>,
    pub shared: Arc<Shared>,
    near: Table,
    /// `true` if other workers search the same position.
    pub is_parallel: bool,
    /// `true` if the moves that are being tried are reported.
    pub reports_moves: bool,
    /// The distance from the queried position, in positions.
    ply: usize,
    nodes: u64,
    /// The part of `nodes` that is reported to the shared state.
    reported: u64,
    /// The budget of the query, in nodes.
    pub limit: u64,
    is_stopped: bool,
}

/// The error of a search that ended before its answer, because the node budget ran out or the
/// solver was stopped.
#[derive(Debug)]
pub(super) struct Interrupted;

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

    /// Resets the counters for a new query about positions of this plan, with a budget of `limit`
    /// nodes. [`GraphQuery::new`](super::graph_query::GraphQuery::new) is the one caller.
    pub fn reset(&mut self, plan: &Arc<Plan>, limit: u64) {
        self.plan = plan.clone();
        self.shared.report(self.nodes - self.reported);
        (self.nodes, self.reported) = (0, 0);
        (self.limit, self.is_stopped, self.ply) = (limit, false, 0);
        if self.reports_moves {
            self.shared.clear_progress(0);
        }
    }

    /// Returns the number of nodes of the last query.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns `true` if the last query was stopped from outside.
    pub fn was_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Returns a bound of the value: a lower bound if it is at least `target`, otherwise an upper
    /// bound.
    pub fn search<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, target: i32) -> Result<i32, Interrupted> {
        let summary = graph.summary();
        match self.known(summary, target) {
            Known::Bound(bound) => Ok(bound),
            Known::ClosedForm => Ok(-graph.independent.controller_margin()),
            Known::Open(bounds) => self.visit(graph, summary, bounds, target, Expected::CutOff),
        }
    }

    fn search_after<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        successor: &Successor,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Interrupted> {
        match self.known(successor.summary(), target) {
            Known::Bound(bound) => Ok(bound),
            Known::ClosedForm => Ok(-successor.graph(&self.plan, graph).independent.controller_margin()),
            Known::Open(bounds) => {
                self.visit(&successor.graph(&self.plan, graph), successor.summary(), bounds, target, expected)
            }
        }
    }

    /// Returns the facts known about a position without a search.
    #[inline]
    fn known(&self, summary: NodeSummary, target: i32) -> Known {
        let NodeSummary { key, safe, boxes, .. } = summary;
        let all = Bounds::of_open_boxes(boxes);
        if target > boxes || target <= -boxes {
            return Known::from_bounds(all, target);
        }
        if summary.is_independent {
            return Known::ClosedForm;
        }
        Known::from_bounds(self.table(safe).probe(key, boxes).unwrap_or(all), target)
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

    /// Tries the moves of a position: the safe ones first, then the openings.
    fn expand<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Interrupted> {
        let after = expected.after();
        let mut best = i32::MIN;
        let mut deferred = 0;
        let safe = self.plan.without_twins(graph.safe);
        // All successors are computed early if all moves are likely to be tried, or if there are so
        // many that a move which the table proves to be enough saves much.
        let probes_all = graph.safe.count_ones() >= PROBE_ALL_SAFE;
        let mut buffer = PrefetchBuffer::new();
        if probes_all || expected == Expected::NoCutOff {
            self.fill_buffer(&mut buffer, graph, bits(safe).map(|string| Move::String(string as u8)));
        }
        if probes_all {
            for successor in buffer.successors() {
                match self.known(successor.summary(), 1 - target) {
                    Known::Bound(bound) if -bound >= target => return Ok(-bound),
                    _ => {}
                }
            }
        }
        for (index, string) in bits(safe).enumerate() {
            let successor = buffer.successor(index, &self.plan, graph, Move::String(string as u8));
            if self.is_parallel && best > i32::MIN && self.is_claimed(successor.summary()) {
                deferred |= 1 << string;
                continue;
            }
            self.report_move(index, safe);
            best = best.max(-self.search_after(graph, &successor, 1 - target, after)?);
            if best >= target {
                return Ok(best);
            }
        }
        for string in bits(deferred) {
            self.report_move((safe & ((1 << string) - 1)).count_ones() as usize, safe);
            let successor = Successor::new(&self.plan, graph, Move::String(string as u8));
            best = best.max(-self.search_after(graph, &successor, 1 - target, after)?);
            if best >= target {
                return Ok(best);
            }
        }
        let handouts = Handouts::new(graph, target);
        best = best.max(handouts.ceiling);
        buffer.clear();
        if expected == Expected::NoCutOff {
            self.fill_buffer(&mut buffer, graph, handouts.as_slice().iter().map(|handout| handout.played));
        }
        for (index, handout) in handouts.as_slice().iter().enumerate() {
            let rest = buffer.successor(index, &self.plan, graph, handout.played);
            best = best.max(self.hand_out(graph, handout, &rest, target, expected)?);
            if best >= target {
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// Reports which of the safe moves is tried, near the queried position.
    #[inline]
    fn report_move(&self, index: usize, safe: u64) {
        if self.ply <= REPORTED_PLIES && self.reports_moves {
            self.shared.report_move(self.ply - 1, MoveProgress { number: index + 1, of: safe.count_ones() as usize });
        }
    }

    /// Returns a bound of the value of handing these boxes to the opponent.
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

    /// Computes the successors of the first moves and prefetches their entries of the table, so
    /// that the waits for memory overlap. In a huge table the entries are prefetched in a row
    /// afterwards, so that the searches for their pages overlap too.
    fn fill_buffer<const IMAGES: usize>(
        &self,
        buffer: &mut PrefetchBuffer,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Move>,
    ) {
        let is_huge = self.shared.table.entries() >= HUGE_ENTRIES;
        buffer.fill(&self.plan, graph, moves, |summary| {
            if !is_huge {
                self.prefetch(summary);
            }
        });
        if is_huge {
            buffer.successors().iter().for_each(|successor| self.prefetch(successor.summary()));
        }
    }

    fn is_claimed(&self, summary: NodeSummary) -> bool {
        summary.safe >= CLAIMED_SAFE && self.shared.is_claimed(summary.key)
    }

    fn table(&self, safe: u32) -> &Table {
        if safe < self.plan.near_safe { &self.near } else { &self.shared.table }
    }

    fn prefetch(&self, NodeSummary { key, safe, .. }: NodeSummary) {
        self.table(safe).prefetch(key);
    }

    fn count_node(&mut self) -> Result<(), Interrupted> {
        if self.nodes >= self.limit || self.is_stopped {
            return Err(Interrupted);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(STOP_INTERVAL) {
            self.shared.report(self.nodes - self.reported);
            self.reported = self.nodes;
            // The flag stays set, so that all parts of the query are stopped.
            self.is_stopped = self.shared.is_stopped();
            if self.is_stopped {
                return Err(Interrupted);
            }
        }
        Ok(())
    }
}
