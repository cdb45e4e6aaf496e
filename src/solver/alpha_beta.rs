//! Alpha-beta with zero windows over capture-free positions.
//!
//! A node is a capture-free position that neither the closed form nor the table settles and that is expanded.
//!
//! What pays (median nodes on positions of careful play with 38 undrawn edges of 5x5, if not said otherwise): keys of
//! graphs instead of edges, 74,600 to 49,000; openings in the order of their length, to 48,300 (a ninth less on strong
//! play with 32); only the shortest of chains that are alike, to 47,200; symmetries, 7.05 M to 1.8 M
//! on 3x4 (margin and best edges, keys of edges); pairs of short chains come to nothing, 641 to 511 on strong play with 32,
//! and bounds are rounded to the parity of the boxes, to 497; two threads on 4x4, 1.5 to 1.8 times less time, which memory
//! sets the limit to.
//!
//! What makes nodes cheaper (time, on positions met by the network's play with 36 undrawn edges): entries of one word,
//! eight to a cache line, 0.90, and then twice as many near ones, 0.93; a move's key before its graph, for two moves of
//! three lead to what the table settles, 0.87; looking ahead where no cut-off is expected, 0.97, and 0.84 on 4x4, where
//! the table is larger than the caches; a number for each pair of ends, where numbers of the ends were mixed by a product,
//! 0.78 on careful play with as many. Only since then does it pay to ask the table about all moves before the first is
//! searched: 0.85, a seventh of the nodes less there and on 4x4, a ninth on 3x4. What a move leads to
//! is found out where it is kept, for a copy waits for what is still on its way to memory, and a number's eight images are
//! added and compared by one instruction each: 0.75 on 4x4, nothing where there is one image. In huge tables all that is
//! looked ahead to is fetched in a row: see `look_ahead`.
//!
//! What was tried and does not pay: asking the table about all openings first as well saves 2 % of the nodes and costs 5 %
//! of the speed; a best move kept in the table saves nothing, as long as safe edges are tried in one fixed order; counting
//! which edges cut off (history) and trying those first takes 1.6 times the nodes, because a fixed order makes lines meet;
//! edges between two boxes of three sides first save a tenth there and cost a fifth on 3x4; opening before safe edges when
//! the target is low takes 1.3 to 1.9 times the nodes; asking about control before taking all where no edge is safe, or
//! beginning the zero windows elsewhere, changes next to nothing (from the true value 6 % less); a key that also forgets
//! where a component with a single joint lies saves a tenth (3x4 a seventh) and costs more time than that; regions of the
//! table for positions that are alike in part (the same strings to the ground, the same joints about the centre), so that
//! what is looked at together lies together, change little or fill unevenly (up to 19 times the nodes); looking for only
//! the first eight or four moves in the table takes 2 and 5 % more nodes, and as long or longer; a single image where
//! fewer than 3, 5 or 8 safe edges are left takes 5, 15 and 40 % more nodes on 4x4, and no less time; asking the table about
//! a move while those behind it are found out, or having its lines fetched by twos, fours or eights, changes nothing.
//! A fixed order is worth more than a good one, because both players' lines meet in what it leaves open: on 3x4, keeping
//! the answer that last cut off after the same move (countermoves) takes 49 times the nodes, completing what half a turn
//! of the board leaves unmatched takes 2.3 times; the last cut-off at the same depth (killers) is even, 4 % less with 40
//! undrawn and 6 % more on 3x4. Fixed orders found by climbing took a third less where they were found (3x4), and half
//! as much again on 4x4, when found on 3x4, 3x5, 4x4 and 4x5 with some edges drawn.
//!
//! What moves that turn out wrong cost, on 4x4: told by a search that has ended which moves are enough, and trying the
//! first of these in the fixed order first, «at least 0?» takes 6.8 M instead of 10.6 M nodes and «at least 2?» 13.6 M
//! instead of 32.4 M; 20.0 M when only positions with at least 24 safe edges are told so, 23.7 M with 30. A network does
//! not know it so far from the end: that of 4x4 asked about each move of positions with at least 24 safe edges, the first
//! of the fixed order that it holds to be enough, before all others, takes 49.2 M; all of those 47.2 M; the likeliest, in
//! tenths, 60.8 M, and that only where a cut-off is expected 29.6 M. Moves of which the same reply two plies before has
//! proved that they do not reach the target (sleep sets) need no look into the table: leaving them out saves a tenth on
//! 3x4 with a table smaller than the search, and takes 1 to 8 % more on 4x4, because what they prove is the weaker bound.
//! Proof numbers (Nagai's df-pn, on positions with at least 8 safe edges, this search below) choose no smaller proofs: on 3x4
//! «at least 2?» takes 295,000 nodes below and 71,000 above instead of 265,000, with 1.9 M visits; numbers that add the
//! largest and the count of moves instead of all, or that begin with what a position is likely to cost, take more; on 4x4
//! none of three settings ended in four times the time.

use std::sync::Arc;

use super::ahead::Ahead;
use super::bits::bits;
use super::graph::Graph;
use super::handouts::{Handout, Handouts};
use super::plan::Plan;
use super::shared::{Shared, TOLD_PLIES, Try};
use super::step::{Facts, Removed, Step};
use super::table::Table;
use super::window::Window;

/// The most entries of a solver's own table, so that it fits into the processor's caches (see [`Plan::near_safe`]).
const NEAR_ENTRIES: usize = 1 << 18;

/// A table of at least this many entries has more pages than the processor remembers.
const HUGE_ENTRIES: usize = 1 << 29;

/// Positions with at least this many safe edges are claimed, when several solvers work together.
const CLAIMED_SAFE: u32 = 8;

/// In positions with at least this many safe edges the table is asked about all moves before the first is searched
/// (Schaeffer and Plaat, *New advances in alpha-beta searching*, 1996: enhanced transposition cut-offs).
const KNOWN_FIRST_SAFE: u32 = 4;

/// After how many nodes a solver looks whether it is to stop.
const BETWEEN_LOOKS: u64 = 1 << 10;

pub(super) struct AlphaBeta {
    plan: Arc<Plan>,
    pub shared: Arc<Shared>,
    near: Table,
    /// Whether other solvers work on the same position.
    pub in_company: bool,
    /// Whether it tells what it is trying.
    pub tells: bool,
    /// How many positions the current one is away from the one that was asked for.
    ply: usize,
    nodes: u64,
    reported: u64,
    limit: u64,
    is_stopped: bool,
}

/// The node budget is spent, or the solver was stopped.
#[derive(Debug)]
pub(super) struct Spent;

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
    /// Nothing but independent chains and loops is left, so the closed form tells.
    Free,
    /// Too little.
    Within(Window),
}

impl Known {
    fn settled(bounds: Window, target: i32) -> Known {
        match bounds {
            Window { lower, .. } if lower >= target => Known::Bound(lower),
            Window { upper, .. } if upper < target => Known::Bound(upper),
            within => Known::Within(within),
        }
    }
}

impl AlphaBeta {
    pub fn new(plan: Arc<Plan>, shared: Arc<Shared>) -> AlphaBeta {
        let near = Table::new(shared.table.entries().min(NEAR_ENTRIES));
        let (nodes, reported, limit, is_stopped) = (0, 0, 0, false);
        AlphaBeta { plan, shared, near, in_company: false, tells: false, ply: 0, nodes, reported, limit, is_stopped }
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
        self.shared.report(self.nodes - self.reported);
        (self.nodes, self.reported) = (0, 0);
        (self.limit, self.is_stopped, self.ply) = (limit, false, 0);
        if self.tells {
            self.shared.tell_no_more(0);
        }
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
        let facts = graph.facts();
        match self.known(facts, target) {
            Known::Bound(bound) => Ok(bound),
            Known::Free => Ok(-graph.free.controller_margin()),
            Known::Within(bounds) => self.visit(graph, facts, bounds, target, Expected::CutOff),
        }
    }

    fn search_after<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        step: &Step,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Spent> {
        match self.known(step.facts(), target) {
            Known::Bound(bound) => Ok(bound),
            Known::Free => Ok(-step.graph(&self.plan, graph).free.controller_margin()),
            Known::Within(bounds) => self.visit(&step.graph(&self.plan, graph), step.facts(), bounds, target, expected),
        }
    }

    /// What is known without a search.
    #[inline]
    fn known(&self, facts: Facts, target: i32) -> Known {
        let Facts { key, safe, boxes, .. } = facts;
        let all = Window::new(boxes);
        if target > boxes || target <= -boxes {
            return Known::settled(all, target);
        }
        if facts.is_free {
            return Known::Free;
        }
        Known::settled(self.table(safe).get(key, boxes).unwrap_or(all), target)
    }

    /// Searches a position that neither the closed form nor the table settles.
    fn visit<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        facts: Facts,
        mut bounds: Window,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Spent> {
        let Facts { key, safe, .. } = facts;
        self.count_node()?;
        let before = self.nodes;
        let is_claimed = self.in_company && safe >= CLAIMED_SAFE;
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
        self.table(safe).put(key, bounds, self.nodes - before);
        Ok(bound)
    }

    /// Tries the moves of a position: the safe ones, then the openings.
    fn expand<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Spent> {
        let after = expected.after();
        let mut best = i32::MIN;
        let mut put_off = 0;
        let safe = self.plan.without_twins(graph.safe);
        // What all moves lead to is of use where all are likely to be tried, or where one that the table knows to be
        // enough saves much.
        let looks_for_known = graph.safe.count_ones() >= KNOWN_FIRST_SAFE;
        let mut ahead = Ahead::new();
        if looks_for_known || expected == Expected::NoCutOff {
            self.look_ahead(&mut ahead, graph, bits(safe).map(|string| Removed::String(string as u8)));
        }
        if looks_for_known {
            for step in ahead.steps() {
                match self.known(step.facts(), 1 - target) {
                    Known::Bound(bound) if -bound >= target => return Ok(-bound),
                    _ => {}
                }
            }
        }
        for (index, string) in bits(safe).enumerate() {
            let step = ahead.step(index, &self.plan, graph, Removed::String(string as u8));
            if self.in_company && best > i32::MIN && self.is_claimed(step.facts()) {
                put_off |= 1 << string;
                continue;
            }
            self.tell(index, safe);
            best = best.max(-self.search_after(graph, &step, 1 - target, after)?);
            if best >= target {
                return Ok(best);
            }
        }
        for string in bits(put_off) {
            self.tell((safe & ((1 << string) - 1)).count_ones() as usize, safe);
            let step = Step::new(&self.plan, graph, Removed::String(string as u8));
            best = best.max(-self.search_after(graph, &step, 1 - target, after)?);
            if best >= target {
                return Ok(best);
            }
        }
        let handouts = Handouts::new(graph, target);
        best = best.max(handouts.ceiling);
        ahead.clear();
        if expected == Expected::NoCutOff {
            self.look_ahead(&mut ahead, graph, handouts.as_slice().iter().map(|handout| handout.removed));
        }
        for (index, handout) in handouts.as_slice().iter().enumerate() {
            let rest = ahead.step(index, &self.plan, graph, handout.removed);
            best = best.max(self.hand_out(graph, handout, &rest, target, expected)?);
            if best >= target {
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// Tells, near the position that was asked for, which of the safe moves is tried.
    #[inline]
    fn tell(&self, index: usize, safe: u64) {
        if self.ply <= TOLD_PLIES && self.tells {
            self.shared.tell(self.ply - 1, Try { number: index + 1, of: safe.count_ones() as usize });
        }
    }

    /// A bound of the value of handing this to the opponent.
    fn hand_out<const IMAGES: usize>(
        &mut self,
        graph: &Graph<IMAGES>,
        handout: &Handout,
        rest: &Step,
        target: i32,
        expected: Expected,
    ) -> Result<i32, Spent> {
        let taken = rest.taken();
        let price = handout.price(taken);
        // Take all: x must stay at or below -taken - target.
        let x = self.search_after(graph, rest, 1 - taken - target, expected.after())?;
        if x > -taken - target || price == 0 {
            return Ok(-taken - x);
        }
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
    fn look_ahead<const IMAGES: usize>(
        &self,
        ahead: &mut Ahead,
        graph: &Graph<IMAGES>,
        moves: impl Iterator<Item = Removed>,
    ) {
        let is_huge = self.shared.table.entries() >= HUGE_ENTRIES;
        ahead.fill(&self.plan, graph, moves, |facts| {
            if !is_huge {
                self.fetch(facts);
            }
        });
        if is_huge {
            ahead.steps().iter().for_each(|step| self.fetch(step.facts()));
        }
    }

    fn is_claimed(&self, facts: Facts) -> bool {
        facts.safe >= CLAIMED_SAFE && self.shared.is_claimed(facts.key)
    }

    fn table(&self, safe: u32) -> &Table {
        if safe < self.plan.near_safe { &self.near } else { &self.shared.table }
    }

    fn fetch(&self, Facts { key, safe, .. }: Facts) {
        self.table(safe).fetch(key);
    }

    fn count_node(&mut self) -> Result<(), Spent> {
        if self.nodes >= self.limit || self.is_stopped {
            return Err(Spent);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(BETWEEN_LOOKS) {
            self.shared.report(self.nodes - self.reported);
            self.reported = self.nodes;
            // Whoever asks again for the same question is stopped as well.
            self.is_stopped = self.shared.is_stopped();
            if self.is_stopped {
                return Err(Spent);
            }
        }
        Ok(())
    }
}
