//! Alpha-beta with zero windows over capture-free positions.
//!
//! A node is a capture-free position that neither the closed form nor the table settles and that is expanded.

use std::sync::Arc;

use super::graph::{Graph, bits};
use super::plan::Plan;
use super::table::{Bounds, Table};

pub(super) struct AlphaBeta {
    plan: Arc<Plan>,
    pub table: Arc<Table>,
    nodes: u64,
    limit: u64,
}

/// The node budget is spent.
#[derive(Debug)]
pub(super) struct Spent;

/// A chain or loop that can be opened.
#[derive(Clone, Copy)]
enum Target {
    Hanging(u8),
    Chain(u8),
    Loop(u8),
}

/// The openings of a position, the smallest first.
struct Openings {
    list: [(u32, Target); crate::board::MAX_BOXES],
    count: usize,
}

impl Openings {
    fn new<const IMAGES: usize>(graph: &Graph<IMAGES>) -> Openings {
        let mut openings = Openings { list: [(0, Target::Chain(0)); crate::board::MAX_BOXES], count: 0 };
        for length in [1, 2].into_iter().filter(|&length| graph.free.has_chain(length)).chain(graph.free.shortest_long_chain()) {
            openings.add(length as u32, Target::Chain(length as u8));
        }
        if let Some(length) = graph.free.shortest_loop() {
            openings.add(length as u32, Target::Loop(length as u8));
        }
        for string in bits(graph.hanging) {
            if !graph.is_outdone(string) {
                openings.add(graph.length(string), Target::Hanging(string as u8));
            }
        }
        openings
    }

    fn add(&mut self, length: u32, target: Target) {
        let mut place = self.count;
        while place > 0 && self.list[place - 1].0 > length {
            self.list[place] = self.list[place - 1];
            place -= 1;
        }
        self.list[place] = (length, target);
        self.count += 1;
    }
}

impl AlphaBeta {
    pub fn new(plan: Arc<Plan>, table: Arc<Table>) -> AlphaBeta {
        AlphaBeta { plan, table, nodes: 0, limit: 0 }
    }

    /// Starts counting nodes for a question.
    pub fn start(&mut self, limit: u64) {
        self.nodes = 0;
        self.limit = limit;
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a position, or the bounds proved when the budget ends. The zero windows step from 0 towards the
    /// value (as MTD(f) does), so that a spent budget leaves bounds around the likeliest margins.
    pub fn value<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>) -> Result<i32, (i32, i32)> {
        let boxes = graph.boxes as i32;
        let (mut lower, mut upper) = (-boxes, boxes);
        let mut guess = boxes % 2;
        while lower < upper {
            // Margins have the parity of the open boxes.
            let target = if guess == lower { guess + 2 } else { guess };
            match self.search(graph, target) {
                Ok(bound) if bound >= target => lower = bound + ((bound ^ boxes) & 1),
                Ok(bound) => upper = bound - ((bound ^ boxes) & 1),
                Err(Spent) => return Err((lower, upper)),
            }
            guess = guess.clamp(lower, upper);
        }
        Ok(lower)
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
        let mut bounds = Bounds { lower: -boxes, upper: boxes };
        if let Some(known) = self.table.get(key) {
            bounds = known;
            if bounds.lower >= target {
                return Ok(bounds.lower);
            }
            if bounds.upper < target {
                return Ok(bounds.upper);
            }
        }
        if self.nodes >= self.limit {
            return Err(Spent);
        }
        self.nodes += 1;
        let before = self.nodes;
        let bound = self.expand(graph, target)?;
        if bound >= target {
            bounds.lower = bounds.lower.max(bound);
        } else {
            bounds.upper = bounds.upper.min(bound);
        }
        self.table.put(key, bounds, self.nodes - before);
        Ok(bound)
    }

    /// Tries the moves of a position: the safe ones, then the openings.
    fn expand<const IMAGES: usize>(&mut self, graph: &Graph<IMAGES>, target: i32) -> Result<i32, Spent> {
        let mut best = i32::MIN;
        for string in bits(graph.safe) {
            if graph.safe & self.plan.twins[string] != 0 {
                continue;
            }
            let mut after = graph.clone();
            after.remove(&self.plan, string);
            best = best.max(-self.search(&after, 1 - target)?);
            if best >= target {
                return Ok(best);
            }
        }
        let openings = Openings::new(graph);
        for &(length, opened) in &openings.list[..openings.count] {
            let price = match opened {
                Target::Loop(_) => 8,
                _ if length <= 2 => 0,
                _ => 4,
            };
            // The opponent gets taken + max(x, -price - x), which is at least taken - price / 2 whatever x is.
            let ceiling = price / 2 - length as i32;
            if price > 0 && (ceiling < target || ceiling <= best) {
                best = best.max(ceiling);
                continue;
            }
            let mut rest = graph.clone();
            let taken = match opened {
                Target::Hanging(string) => rest.remove(&self.plan, string as usize) as i32,
                Target::Chain(chain) => {
                    rest.remove_chain(&self.plan, chain as usize);
                    length as i32
                }
                Target::Loop(length) => {
                    rest.remove_loop(&self.plan, length as usize);
                    length as i32
                }
            };
            let price = if taken <= 2 { 0 } else { price.max(4) };
            best = best.max(self.open(&rest, taken, price, target)?);
            if best >= target {
                return Ok(best);
            }
        }
        Ok(best)
    }

    /// A bound of the value of giving the opponent `taken` boxes, `rest` being what is left.
    fn open<const IMAGES: usize>(&mut self, rest: &Graph<IMAGES>, taken: i32, price: i32, target: i32) -> Result<i32, Spent> {
        // Take all: x must stay at or below -taken - target.
        let x = self.search(rest, 1 - taken - target)?;
        if x > -taken - target || price == 0 {
            return Ok(-taken - x);
        }
        // Keep control: x must reach taken + target - price.
        let y = self.search(rest, taken + target - price)?;
        if y < taken + target - price {
            return Ok(price - taken + y);
        }
        Ok((-taken - x).min(price - taken + y))
    }
}
