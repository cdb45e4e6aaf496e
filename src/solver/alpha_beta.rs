//! Alpha-beta with zero windows over capture-free positions.
//!
//! A node is a capture-free position that neither the closed form nor the table settles and that is expanded.

use crate::board::{Board, Degrees, Edges, Layout, Strings};

use super::loony::Components;
use super::table::{Bounds, NO_MOVE, Table};
use super::{Offer, Openings};

/// Positions with at most this share of their edges drawn are looked up under all symmetries: further on, symmetric
/// images of one position hardly ever meet in one search.
const SYMMETRY_SHARE: usize = 4;

pub(super) struct AlphaBeta {
    board: Board,
    layout: &'static Layout,
    pub table: Table,
    /// Strings in the order in which they are tried: the board's centre first.
    order: Vec<Strings>,
    use_symmetry: bool,
    nodes: u64,
    limit: u64,
}

/// The node budget is spent.
struct Spent;

impl AlphaBeta {
    pub fn new(board: Board, entries: usize) -> AlphaBeta {
        let layout = board.layout();
        AlphaBeta {
            board,
            layout,
            table: Table::new(entries),
            order: centre_first(board),
            use_symmetry: false,
            nodes: 0,
            limit: 0,
        }
    }

    /// Starts counting nodes for a question about this position.
    pub fn start(&mut self, drawn: Edges, limit: u64) {
        self.nodes = 0;
        self.limit = limit;
        self.use_symmetry = drawn.len() * SYMMETRY_SHARE <= self.board.edges();
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a capture-free position, or the bounds proved when the budget ends. The zero windows step from 0
    /// towards the value (as MTD(f) does), so that a spent budget leaves bounds around the likeliest margins.
    pub fn value(&mut self, position: Strings) -> Result<i32, (i32, i32)> {
        let boxes = self.layout.degrees(position).open().count_ones() as i32;
        let (mut lower, mut upper) = (-boxes, boxes);
        let mut guess = boxes % 2;
        while lower < upper {
            // Margins have the parity of the open boxes.
            let target = if guess == lower { guess + 2 } else { guess };
            match self.search(position, target) {
                Ok(bound) if bound >= target => lower = bound + ((bound ^ boxes) & 1),
                Ok(bound) => upper = bound - ((bound ^ boxes) & 1),
                Err(Spent) => return Err((lower, upper)),
            }
            guess = guess.clamp(lower, upper);
        }
        Ok(lower)
    }

    /// Whether the value of a capture-free position is at least `target`; `None` when the budget ends.
    pub fn reaches(&mut self, position: Strings, target: i32) -> Option<bool> {
        self.search(position, target).ok().map(|bound| bound >= target)
    }

    /// A bound of the value: a lower one when it is at least `target`, else an upper one.
    fn search(&mut self, position: Strings, target: i32) -> Result<i32, Spent> {
        let degrees = self.layout.degrees(position);
        let boxes = degrees.open().count_ones() as i32;
        if target > boxes {
            return Ok(boxes);
        }
        if target <= -boxes {
            return Ok(-boxes);
        }
        if degrees.joints() == 0 {
            return Ok(-self.components(position, degrees).controller_margin());
        }
        let position = self.layout.settle_corners(position);
        let key = self.key(position);
        let (mut lower, mut upper, mut first) = (-boxes, boxes, NO_MOVE);
        if let Some(known) = self.table.get(key) {
            (lower, upper, first) = (known.lower as i32, known.upper as i32, known.best);
            if lower >= target {
                return Ok(lower);
            }
            if upper < target {
                return Ok(upper);
            }
        }
        if self.nodes >= self.limit {
            return Err(Spent);
        }
        self.nodes += 1;
        let (bound, best) = self.expand(position, target, first)?;
        if bound >= target {
            lower = lower.max(bound);
        } else {
            upper = upper.min(bound);
        }
        let bounds = Bounds { lower: lower as i8, upper: upper as i8, best };
        self.table.put(key, position.len() as u8, bounds);
        Ok(bound)
    }

    /// Tries the moves of a position: the table's move, the safe ones, then the openings. Gives the bound and the rank
    /// of the move that proved it.
    fn expand(&mut self, position: Strings, target: i32, first: u8) -> Result<(i32, u8), Spent> {
        let safe = safe_moves(self.layout, position).without(self.layout.idle_twins(position));
        let (mut best, mut best_move) = (i32::MIN, NO_MOVE);
        let first = first as usize;
        for (turn, rank) in std::iter::once(first).chain(0..self.order.len()).enumerate() {
            let Some(&string) = self.order.get(rank) else { continue };
            let is_safe = string.horizontal & safe.horizontal | string.vertical & safe.vertical != 0;
            if !is_safe || (rank == first && turn > 0) {
                continue;
            }
            let value = -self.search(position.without(string), 1 - target)?;
            if value > best || best_move == NO_MOVE {
                (best, best_move) = (value, rank as u8);
            }
            if best >= target {
                return Ok((best, best_move));
            }
        }
        for opening in Openings::new(self.layout, position) {
            best = best.max(self.open(&opening.offer, target, best)?);
            if best >= target {
                return Ok((best, NO_MOVE));
            }
        }
        Ok((best, best_move))
    }

    /// A bound of the value of giving the opponent this offer.
    fn open(&mut self, offer: &Offer, target: i32, best: i32) -> Result<i32, Spent> {
        let Offer { taken, rest, price } = *offer;
        if price == 0 {
            return Ok(-taken - self.search(rest, 1 - taken - target)?);
        }
        // The opponent gets taken + max(x, -price - x), which is at least taken - price / 2 whatever x is.
        let ceiling = price / 2 - taken;
        if ceiling < target || ceiling <= best {
            return Ok(ceiling);
        }
        // Take all: x must stay at or below -taken - target.
        let x = self.search(rest, 1 - taken - target)?;
        if x > -taken - target {
            return Ok(-taken - x);
        }
        // Keep control: x must reach taken + target - price.
        let y = self.search(rest, taken + target - price)?;
        if y < taken + target - price {
            return Ok(price - taken + y);
        }
        Ok((-taken - x).min(price - taken + y))
    }

    fn components(&self, position: Strings, degrees: Degrees) -> Components {
        let mut components = Components::default();
        let mut left = degrees.two;
        while left != 0 {
            let boxes = self.layout.connected(position, left & left.wrapping_neg(), left);
            left &= !boxes;
            let length = boxes.count_ones();
            if self.layout.touching(position, boxes).len() == length {
                components.add_loop(length as usize);
            } else {
                components.add_chain(length as usize);
            }
        }
        components
    }

    fn key(&self, position: Strings) -> u64 {
        if !self.use_symmetry {
            return self.layout.pack(position);
        }
        let (canonical, _) = self.board.canonical(self.board.drawn(position));
        self.layout.pack(self.board.strings(canonical))
    }
}

/// The edges of a capture-free position that put no box on offer.
pub(super) fn safe_moves(layout: &Layout, position: Strings) -> Strings {
    position.without(layout.touching(position, layout.degrees(position).two))
}

/// The edges of a board, those nearest its centre first.
fn centre_first(board: Board) -> Vec<Strings> {
    let distance = |edge: &crate::board::Edge| {
        let (orientation, row, col) = board.coordinates(*edge);
        // In half steps of the lattice, where H(r, c) lies at (2r, 2c+1).
        let (y, x) = match orientation {
            crate::board::Orientation::Horizontal => (2 * row, 2 * col + 1),
            crate::board::Orientation::Vertical => (2 * row + 1, 2 * col),
        };
        let (dy, dx) = (y as i32 - board.rows() as i32, x as i32 - board.cols() as i32);
        dy * dy + dx * dx
    };
    let mut edges: Vec<_> = board.all().iter().collect();
    edges.sort_by_key(distance);
    edges.into_iter().map(|edge| board.layout().string(edge)).collect()
}
