//! Alpha-beta with zero windows over capture-free positions.
//!
//! A node is a capture-free position that neither the closed form nor the table settles and that is expanded.
//!
//! What pays (median nodes on positions of careful play with 38 undrawn edges of 5x5, if not said otherwise): keys of
//! graphs instead of edges, 74,600 to 49,000; openings in the order of their length, to 48,300 (a ninth less on strong
//! play with 32); only the shortest of chains that are alike, to 47,200; symmetries, 7.05 M to 1.8 M
//! on 3x4 (margin and best edges, keys of edges); two threads on 4x4, 1.88 times less time.
//!
//! What was tried and does not pay: looking for a cut-off among the table's entries of all children first saves 4 % of
//! the nodes and costs a quarter of the speed; a best move kept in the table saves nothing, as long as safe edges are
//! tried in one fixed order; counting which edges cut off (history) and trying those first takes 1.6 times the nodes,
//! because a fixed order makes lines meet; edges between two boxes of three sides first save a tenth there and cost a
//! fifth on 3x4; opening before safe edges when the target is low takes 1.3 to 1.9 times the nodes; a key that also
//! forgets where a component with a single joint lies saves a tenth (3x4 a seventh) and costs more time than that;
//! fetching table entries ahead of their use gains less than what preparing them costs where a safe edge cuts off.
//! A fixed order is worth more than a good one, because both players' lines meet in what it leaves open: on 3x4, keeping
//! the answer that last cut off after the same move (countermoves) takes 49 times the nodes, completing what half a turn
//! of the board leaves unmatched takes 2.3 times; the last cut-off at the same depth (killers) is even, 4 % less with 40
//! undrawn and 6 % more on 3x4. Fixed orders found by climbing took a third less where they were found (3x4), and half
//! as much again on 4x4, when found on 3x4, 3x5, 4x4 and 4x5 with some edges drawn.

use std::sync::Arc;

use super::graph::{Graph, bits};
use super::handouts::{Handouts, Opened};
use super::plan::Plan;
use super::shared::Shared;
use super::table::{Bounds, Table};
use super::window::Window;

/// The most entries of a solver's own table, so that it fits into the processor's caches (see [`Plan::near_safe`]).
const NEAR_ENTRIES: usize = 1 << 17;

/// Positions with at least this many safe edges are claimed, when several solvers work together.
const CLAIMED_SAFE: u32 = 8;

/// After how many nodes a solver looks whether it is to stop.
const BETWEEN_LOOKS: u64 = 1 << 10;

pub(super) struct AlphaBeta {
    plan: Arc<Plan>,
    pub shared: Arc<Shared>,
    near: Table,
    /// Whether other solvers work on the same position.
    pub in_company: bool,
    nodes: u64,
    reported: u64,
    limit: u64,
}

/// The node budget is spent, or the solver was stopped.
#[derive(Debug)]
pub(super) struct Spent;

impl AlphaBeta {
    pub fn new(plan: Arc<Plan>, shared: Arc<Shared>) -> AlphaBeta {
        let near = Table::new(shared.table.entries().min(NEAR_ENTRIES));
        AlphaBeta { plan, shared, near, in_company: false, nodes: 0, reported: 0, limit: 0 }
    }

    pub fn forget(&mut self) {
        self.shared.table.forget();
        self.near.forget();
    }

    /// Changes how many nodes the question may take in all.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Starts counting nodes for a question about positions of this plan.
    pub fn start(&mut self, plan: Arc<Plan>, limit: u64) {
        self.plan = plan;
        (self.nodes, self.reported) = (0, 0);
        self.limit = limit;
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a position, or the bounds proved when the budget ends. The zero windows step from `guess` towards
    /// the value (as MTD(f) does), so that a spent budget leaves bounds on this or that side of it.
    pub fn value<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, guess: i32) -> Result<i32, (i32, i32)> {
        let mut window = Window::new(graph.boxes as i32);
        while !window.is_closed() {
            let target = window.next(guess);
            match self.search(graph, target) {
                Ok(bound) => window.narrow(target, bound),
                Err(Spent) => return Err((window.lower, window.upper)),
            }
        }
        Ok(window.lower)
    }

    /// A bound of the value: a lower one when it is at least `target`, else an upper one.
    pub fn search<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, target: i32) -> Result<i32, Spent> {
        let boxes = graph.boxes as i32;
        if target > boxes {
            return Ok(boxes);
        }
        if target <= -boxes {
            return Ok(-boxes);
        }
        if graph.is_free() {
            return Ok(-graph.free.controller_margin());
        }
        let key = graph.key();
        let safe = graph.safe.count_ones();
        let mut bounds = Bounds { lower: -boxes, upper: boxes };
        if let Some(known) = self.table(safe).get(key) {
            bounds = known;
            if bounds.lower >= target {
                return Ok(bounds.lower);
            }
            if bounds.upper < target {
                return Ok(bounds.upper);
            }
        }
        self.count_node()?;
        let before = self.nodes;
        let is_claimed = self.in_company && safe >= CLAIMED_SAFE;
        if is_claimed {
            self.shared.claim(key);
        }
        let bound = self.expand(graph, target);
        if is_claimed {
            self.shared.release(key);
        }
        let bound = bound?;
        if bound >= target {
            bounds.lower = bounds.lower.max(bound);
        } else {
            bounds.upper = bounds.upper.min(bound);
        }
        self.table(safe).put(key, bounds, self.nodes - before);
        Ok(bound)
    }

    /// Tries the moves of a position: the safe ones, then the openings.
    fn expand<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, target: i32) -> Result<i32, Spent> {
        let mut best = i32::MIN;
        let mut put_off = 0;
        for string in bits(graph.safe) {
            if graph.safe & self.plan.twins[string] != 0 {
                continue;
            }
            let after = graph.without(&self.plan, string);
            if self.in_company && best > i32::MIN && self.is_claimed(&after) {
                put_off |= 1 << string;
                continue;
            }
            best = best.max(-self.search(&after, 1 - target)?);
            if best >= target {
                return Ok(best);
            }
        }
        for string in bits(put_off) {
            best = best.max(-self.search(&graph.without(&self.plan, string), 1 - target)?);
            if best >= target {
                return Ok(best);
            }
        }
        for handout in Handouts::new(graph).as_slice() {
            let too_low = |ceiling: &i32| *ceiling < target || *ceiling <= best;
            if let Some(ceiling) = handout.ceiling().filter(too_low) {
                best = best.max(ceiling);
                continue;
            }
            best = best.max(self.hand_out(&handout.open(&self.plan, graph), target)?);
            if best >= target {
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// A bound of the value of handing this to the opponent.
    fn hand_out<const IMAGES: usize>(&mut self, opened: &Opened<IMAGES>, target: i32) -> Result<i32, Spent> {
        let Opened { taken, price, rest } = opened;
        // Take all: x must stay at or below -taken - target.
        let x = self.search(rest, 1 - taken - target)?;
        if x > -taken - target || *price == 0 {
            return Ok(-taken - x);
        }
        // Keep control: x must reach taken + target - price.
        let y = self.search(rest, taken + target - price)?;
        if y < taken + target - price {
            return Ok(price - taken + y);
        }
        Ok((-taken - x).min(price - taken + y))
    }

    fn is_claimed<const IMAGES: usize>(&self, graph: &Graph<IMAGES>) -> bool {
        graph.safe.count_ones() >= CLAIMED_SAFE && self.shared.is_claimed(graph.key())
    }

    fn table(&self, safe: u32) -> &Table {
        if safe < self.plan.near_safe { &self.near } else { &self.shared.table }
    }

    fn count_node(&mut self) -> Result<(), Spent> {
        if self.nodes >= self.limit {
            return Err(Spent);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(BETWEEN_LOOKS) {
            self.shared.report(self.nodes - self.reported);
            self.reported = self.nodes;
            if self.shared.is_stopped() {
                return Err(Spent);
            }
        }
        Ok(())
    }
}
