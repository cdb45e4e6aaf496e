//! The constants of a board that the solver computes once: the order of moves and the Zobrist
//! tables.

use std::sync::Arc;

use crate::board::{Board, Edge, Edges, MAX_EDGES, Orientation, State};

use super::bits::bits;
use super::cpu::Vectors;
use super::zobrist::{GROUND, ZobristTables};

/// The constants of a board. Strings are numbered by rank, the order in which they are tried.
pub(super) struct Plan {
    board: Board,
    /// The number of safe edges below which a position goes into the solver's own small table. Most
    /// positions are such and take little to search again, while each probe of a large table waits
    /// for memory. For positions near the empty board the number is lower, since there are too
    /// many, unless the other table is as small ([`Solver::new`](super::Solver::new)).
    pub near_safe: u32,
    /// The result of [`Vectors::detect`].
    pub vectors: Vectors,
    ranks: [u8; MAX_EDGES],
    /// The two boxes of each string, or one box and the ground.
    pub ends: [[u8; 2]; MAX_EDGES],
    /// Strings of lower rank with the same two ends. They are interchangeable, so one of them is
    /// enough.
    twins: [u64; MAX_EDGES],
    pub zobrist: ZobristTables,
}

/// The constants for positions near the empty board, and for all others.
#[derive(Clone)]
pub(super) struct Plans {
    pub early: Arc<Plan>,
    pub late: Arc<Plan>,
}

impl Plan {
    pub fn new(board: Board, order: Order) -> Plan {
        let mut plan = Plan {
            board,
            near_safe: match order {
                Order::MiddleLines => 3,
                Order::Distance => 5,
            },
            vectors: Vectors::detect(),
            ranks: [0; MAX_EDGES],
            ends: [[GROUND; 2]; MAX_EDGES],
            twins: [0; MAX_EDGES],
            zobrist: ZobristTables::new(board),
        };
        for (rank, edge) in order.edges(board).into_iter().enumerate() {
            plan.ranks[edge.index()] = rank as u8;
            for (end, &b) in plan.ends[rank].iter_mut().zip(board.boxes_of(edge)) {
                *end = b;
            }
            let ends = plan.ends;
            let twins = (0..rank).filter(|&other| ends[other] == ends[rank]);
            plan.twins[rank] = twins.map(|other| 1 << other).sum();
        }
        plan
    }

    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the number of symmetries of the board: 4 or
    /// [`MAX_IMAGES`](super::zobrist::MAX_IMAGES).
    pub fn images(&self) -> usize {
        self.board.symmetries().len()
    }

    /// Returns the strings of a state, by rank.
    pub fn undrawn(&self, state: State) -> u64 {
        self.strings(state.undrawn())
    }

    /// Returns the strings of these edges, by rank.
    pub fn strings(&self, edges: Edges) -> u64 {
        edges.iter().map(|edge| 1 << self.ranks[edge.index()]).sum()
    }

    /// Returns these strings without those for which an interchangeable one of lower rank is
    /// present.
    pub fn without_twins(&self, strings: u64) -> u64 {
        bits(strings).filter(|&string| strings & self.twins[string] == 0).map(|string| 1 << string).sum()
    }
}

/// The order in which safe edges are tried. It starts from the centre of the board, so that
/// variations transpose (docs/experiments/0073-order-of-safe-edges.md).
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// By steps along the lattice, those nearest a middle line first. For positions near the empty
    /// board.
    MiddleLines,
    /// By distance from the centre. For positions with many drawn edges.
    Distance,
}

impl Order {
    /// Returns the edges of a board in this order.
    fn edges(self, board: Board) -> Vec<Edge> {
        let place = |edge: &Edge| {
            let (orientation, row, col) = board.coordinates(*edge);
            // In half steps of the lattice, where H(r, c) lies at (2r, 2c+1).
            let (y, x) = match orientation {
                Orientation::Horizontal => (2 * row, 2 * col + 1),
                Orientation::Vertical => (2 * row + 1, 2 * col),
            };
            let (dy, dx) = (y.abs_diff(board.rows()), x.abs_diff(board.cols()));
            match self {
                Order::MiddleLines => (dy + dx, dy.min(dx)),
                Order::Distance => (dy * dy + dx * dx, 0),
            }
        };
        let mut edges: Vec<Edge> = board.all().iter().collect();
        edges.sort_by_key(place);
        edges
    }
}
