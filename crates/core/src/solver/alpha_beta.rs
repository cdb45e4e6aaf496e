//! Alpha-beta search with zero windows over capture-free positions.
//!
//! A node is a capture-free position that is expanded, because neither the closed form nor the
//! table settles it.
//!
//! Two rules matter most for speed. Each player tries safe edges in a fixed order (`graph/order.rs`), so
//! that variations transpose. A move's key is computed before its graph, because the table settles
//! two moves of three. Techniques that were measured, those that do not pay included, are in
//! docs/experiments/solver.md#n70.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::board::{MAX_BOXES, State};

use super::Bounds;
use super::graph::{
    Graph, Handout, Handouts, Key, Move, Mover, NodeSummary, Plan, STRING_PLACES, Successor, bits, state_after,
};
use super::known::Known;
use super::lemma::Lemma;
use super::prefetch::PrefetchBuffer;
use super::shared::{MoveProgress, REPORTED_PLIES, Shared};
use super::table::Table;

/// The largest number of moves in a row: each removes a string or an independent component.
const MAX_PLIES: usize = STRING_PLACES + MAX_BOXES;

/// The largest number of entries of a solver's own table, chosen so that the table fits into the
/// processor's caches.
const NEAR_ENTRIES: usize = 1 << 18;

/// The number of entries from which a table is huge: its pages exceed the processor's cache of page
/// addresses (docs/experiments/solver.md#n72).
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
    /// The flag that ends queries when it is set from outside, beside that of `shared`.
    pub stop: Arc<AtomicBool>,
    near: Table,
    /// The number of safe edges below which a position goes into `near`. Most positions are such and
    /// take little to search again, while each probe of a large table waits for memory
    /// (docs/experiments/solver.md#n108).
    near_safe: u32,
    /// `true` if other workers search the same position.
    pub is_parallel: bool,
    /// `true` if the moves that are being tried are reported.
    pub reports_moves: bool,
    /// The queried state.
    root: State,
    /// The player to move in the queried state. Some move of theirs is expected to reach the target, and none of the
    /// other player's (Knuth and Moore, *An analysis of alpha-beta pruning*, 1975).
    prover: Mover,
    /// The moves from the queried state to the position being searched, and their number.
    line: [Move; MAX_PLIES],
    ply: usize,
    /// The move that last reached its target.
    cut_off: Move,
    nodes: u64,
    /// The number of times that a table was asked for a position.
    probes: u64,
    /// The part of `nodes` that is reported to the shared state.
    reported: u64,
    /// The budget of the query, in nodes, as far as it is this worker's own.
    pub limit: u64,
    is_stopped: bool,
}

/// The error of a search that ended before its answer, because the node budget ran out or the
/// solver was stopped.
#[derive(Debug)]
pub(super) struct Interrupted;

impl AlphaBeta {
    pub fn new(plan: Arc<Plan>, shared: Arc<Shared>) -> AlphaBeta {
        let entries = shared.table.entries();
        let near = Table::new(entries.min(NEAR_ENTRIES));
        // The own table takes a larger share where it is not small beside the shared one.
        let near_safe = if entries < 2 * NEAR_ENTRIES { 6 } else { 3 };
        AlphaBeta {
            root: State::new(plan.board()),
            prover: Mover::First,
            plan,
            shared,
            stop: Arc::default(),
            near,
            near_safe,
            is_parallel: false,
            reports_moves: false,
            line: [Move::NONE; MAX_PLIES],
            ply: 0,
            cut_off: Move::NONE,
            nodes: 0,
            probes: 0,
            reported: 0,
            limit: 0,
            is_stopped: false,
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
        (self.nodes, self.reported, self.probes) = (0, 0, 0);
        (self.limit, self.is_stopped, self.ply) = (limit, false, 0);
        if self.reports_moves {
            self.shared.clear_progress(0);
        }
    }

    /// Returns the constants of the positions of the query.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the number of nodes of the last query.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the number of times that the last query looked a position up in a table.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// Returns `true` if the last query was stopped from outside.
    pub fn was_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Returns a bound of the value of a state with this graph: a lower bound if it is at least
    /// `target`, otherwise an upper bound.
    pub fn search<K: Key>(&mut self, state: State, graph: &Graph<K>, target: i32) -> Result<i32, Interrupted> {
        (self.root, self.prover) = (state, Mover::to_move(state));
        let summary = graph.summary();
        match self.known(summary, target) {
            Known::Bound(bound) => Ok(bound),
            Known::ClosedForm => Ok(-graph.independent.controller_margin()),
            Known::Open(bounds) => self.visit(graph, summary, bounds, target, self.prover),
        }
    }

    fn search_after<K: Key>(
        &mut self,
        graph: &Graph<K>,
        successor: &Successor,
        target: i32,
        mover: Mover,
    ) -> Result<i32, Interrupted> {
        match self.known(successor.summary(), target) {
            Known::Bound(bound) => Ok(bound),
            Known::ClosedForm => Ok(-successor.graph(&self.plan, graph).independent.controller_margin()),
            Known::Open(bounds) => {
                self.line[self.ply - 1] = successor.played();
                let mut after = *graph;
                after.apply(&self.plan, successor.played());
                self.visit(&after, successor.summary(), bounds, target, mover)
            }
        }
    }

    /// Returns the facts known about a position without a search.
    #[inline]
    fn known(&mut self, summary: NodeSummary, target: i32) -> Known {
        let NodeSummary { key, safe, boxes, .. } = summary;
        let all = Bounds::of_open_boxes(boxes);
        if target > boxes || target <= -boxes {
            return Known::from_bounds(all, target);
        }
        if summary.is_independent {
            return Known::ClosedForm;
        }
        self.probes += 1;
        let mut bounds = self.table(safe).probe(key, boxes).unwrap_or(all);
        if safe >= self.shared.lemmas.least_safe() {
            bounds = self.shared.lemmas.narrow(key, bounds);
        }
        Known::from_bounds(bounds, target)
    }

    /// Searches a position that neither the closed form nor the table settles.
    fn visit<K: Key>(
        &mut self,
        graph: &Graph<K>,
        summary: NodeSummary,
        mut bounds: Bounds,
        target: i32,
        mover: Mover,
    ) -> Result<i32, Interrupted> {
        let NodeSummary { key, safe, .. } = summary;
        self.count_node()?;
        let before = self.nodes;
        let is_claimed = self.is_parallel && safe >= CLAIMED_SAFE;
        if is_claimed {
            self.shared.claim(key);
        }
        self.ply += 1;
        let bound = self.expand(graph, target, mover);
        self.ply -= 1;
        if is_claimed {
            self.shared.release(key);
        }
        let bound = bound?;
        bounds.narrow(target, bound);
        let nodes = self.nodes - before;
        self.table(safe).store(key, bounds, nodes);
        if nodes >= self.shared.lemmas.least_nodes() {
            // What was known before stands elsewhere.
            let mut proved = Bounds::of_open_boxes(summary.boxes);
            proved.narrow(target, bound);
            self.keep_lemma::<K>(summary, proved, nodes);
            if bound >= target {
                self.keep_cut_off(graph);
            }
        }
        Ok(bound)
    }

    /// Reports the bounds of the position being searched as a lemma.
    #[cold]
    fn keep_lemma<K: Key>(&mut self, NodeSummary { key, safe, .. }: NodeSummary, bounds: Bounds, nodes: u64) {
        if self.shared.lemmas.add(key, safe, bounds) {
            let state = state_after::<K>(&self.plan, self.root, &self.line[..self.ply]);
            state.into_iter().for_each(|state| self.shared.lemmas.report(Lemma { state, bounds, nodes }));
        }
    }

    /// Reports the position after the move that reached the target of this one as a lemma, whatever
    /// it took. So a reader of the lemmas knows the move.
    #[cold]
    fn keep_cut_off<K: Key>(&mut self, graph: &Graph<K>) {
        let summary = Successor::new(&self.plan, graph, self.cut_off).summary();
        let NodeSummary { key, safe, boxes, is_independent } = summary;
        if is_independent {
            return;
        }
        if let Some(bounds) = self.table(safe).probe(key, boxes) {
            self.line[self.ply] = self.cut_off;
            self.ply += 1;
            self.keep_lemma::<K>(summary, bounds, 0);
            self.ply -= 1;
        }
    }

    /// Tries the moves of a position: the safe ones first, then the openings.
    fn expand<K: Key>(&mut self, graph: &Graph<K>, target: i32, mover: Mover) -> Result<i32, Interrupted> {
        let mut best = i32::MIN;
        let safe = self.plan.without_twins(graph.safe);
        // All successors are computed early if all moves are likely to be tried, or if there are so
        // many that a move which the table proves to be enough saves much.
        let probes_all = graph.safe.count_ones() >= PROBE_ALL_SAFE;
        let tries_all = mover != self.prover;
        let places = self.plan.places(safe, mover);
        let move_at = |plan: &Plan, place: usize| Move::String(plan.string_at(place, mover));
        let mut buffer = PrefetchBuffer::new();
        if probes_all || tries_all {
            self.fill_buffer(&mut buffer, graph, bits(places).map(|place| move_at(&self.plan, place)));
        }
        if probes_all {
            for successor in buffer.successors() {
                match self.known(successor.summary(), 1 - target) {
                    Known::Bound(bound) if -bound >= target => {
                        self.cut_off = successor.played();
                        return Ok(-bound);
                    }
                    _ => {}
                }
            }
        }
        // Moves that another worker is searching wait once, for the table to know their values.
        let mut waiting = places;
        while waiting != 0 {
            let tried = std::mem::take(&mut waiting);
            for (index, place) in bits(places).enumerate().filter(|&(_, place)| tried >> place & 1 == 1) {
                let successor = buffer.successor(index, &self.plan, graph, move_at(&self.plan, place));
                let may_wait = self.is_parallel && tried == places && best > i32::MIN;
                if may_wait && self.is_claimed(successor.summary()) {
                    waiting |= 1 << place;
                    continue;
                }
                self.report_move(index, places);
                best = best.max(-self.search_after(graph, &successor, 1 - target, mover.other())?);
                if best >= target {
                    self.cut_off = successor.played();
                    return Ok(best);
                }
            }
        }
        let handouts = Handouts::new(graph, target);
        best = best.max(handouts.ceiling);
        buffer.clear();
        if tries_all {
            self.fill_buffer(&mut buffer, graph, handouts.as_slice().iter().map(|handout| handout.played));
        }
        for (index, handout) in handouts.as_slice().iter().enumerate() {
            let rest = buffer.successor(index, &self.plan, graph, handout.played);
            best = best.max(self.hand_out(graph, handout, &rest, target, mover)?);
            if best >= target {
                self.cut_off = handout.played;
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// Reports which of the safe moves is tried, near the queried position.
    #[inline]
    fn report_move(&self, index: usize, places: u64) {
        if self.ply <= REPORTED_PLIES && self.reports_moves {
            let progress = MoveProgress { number: index + 1, of: places.count_ones() as usize };
            self.shared.report_move(self.ply - 1, progress);
        }
    }

    /// Returns a bound of the value of handing these boxes to the opponent.
    fn hand_out<K: Key>(
        &mut self,
        graph: &Graph<K>,
        handout: &Handout,
        rest: &Successor,
        target: i32,
        mover: Mover,
    ) -> Result<i32, Interrupted> {
        let taken = rest.taken();
        // Take all: x must stay at or below -taken - target.
        let x = self.search_after(graph, rest, 1 - taken - target, mover.other())?;
        let Some(price) = handout.price(taken).filter(|_| x <= -taken - target) else {
            return Ok(-taken - x);
        };
        // Keep control: x must reach taken + target - price.
        let y = self.search_after(graph, rest, taken + target - price, mover)?;
        if y < taken + target - price {
            return Ok(price - taken + y);
        }
        Ok((-taken - x).min(price - taken + y))
    }

    /// Computes the successors of the first moves and prefetches their entries of the table, so
    /// that the waits for memory overlap. In a huge table the entries are prefetched in a row
    /// afterwards, so that the searches for their pages overlap too.
    fn fill_buffer<K: Key>(&self, buffer: &mut PrefetchBuffer, graph: &Graph<K>, moves: impl Iterator<Item = Move>) {
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
        if safe < self.near_safe { &self.near } else { &self.shared.table }
    }

    fn prefetch(&self, NodeSummary { key, safe, .. }: NodeSummary) {
        self.table(safe).prefetch(key);
    }

    fn count_node(&mut self) -> Result<(), Interrupted> {
        if self.is_stopped || self.nodes >= self.limit && !self.raise_limit() {
            return Err(Interrupted);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(STOP_INTERVAL) {
            self.shared.report(self.nodes - self.reported);
            self.reported = self.nodes;
            // The flag stays set, so that all parts of the query are stopped.
            self.is_stopped = self.shared.is_stopped() || self.stop.load(Relaxed);
            if self.is_stopped {
                return Err(Interrupted);
            }
        }
        Ok(())
    }

    /// Raises the limit by nodes of the budget that workers share, and returns `false` if none are left.
    #[cold]
    fn raise_limit(&mut self) -> bool {
        let more = self.shared.take_budget(STOP_INTERVAL);
        self.limit += more;
        more > 0
    }
}
