//! The constants of positions that the solver computes once: the strings in the order in which they
//! are tried, and the Zobrist tables.

use std::sync::Arc;

use crate::board::{Board, Edges, MAX_EDGES, State};

use super::bits::bits;
use super::independent_component::IndependentComponent;
use super::order::{Mover, Order, StringOrder};
use super::outline::Outline;
use super::places::STRING_PLACES;
use super::zobrist::{GROUND, ZobristTables};
use crate::solver::cpu::Vectors;

/// The rank of an edge that belongs to no string.
const NO_RANK: u8 = u8::MAX;

/// The constants of all positions of a board of at most 64 edges, or of those that moves make of
/// one position of a larger board. Strings are numbered by rank, the order in which they are tried.
pub(crate) struct Plan {
    board: Board,
    /// The vectors that keys are added with.
    pub vectors: Vectors,
    /// The string of each edge, or [`NO_RANK`].
    ranks: [u8; MAX_EDGES],
    /// The two ends of each string: joints, or a joint and the ground.
    pub ends: [[u8; 2]; STRING_PLACES],
    /// The number of boxes of each string: 0 where all boxes are joints.
    pub lengths: [u8; STRING_PLACES],
    /// The strings with boxes.
    pub with_boxes: u64,
    /// The order in which the second player tries strings, where it is not that of the ranks.
    second: Option<Box<StringOrder>>,
    /// Strings of lower rank with the same two ends. Safe ones of them are interchangeable, so one
    /// of them is enough.
    twins: [u64; STRING_PLACES],
    /// The chains and loops that hang on no joint from the start. There are none where all boxes
    /// are joints.
    pub independent: Vec<IndependentComponent>,
    pub zobrist: ZobristTables,
}

impl Plan {
    /// Returns the constants of all positions of a board of at most 64 edges: each box is a joint,
    /// and each edge a string.
    pub fn new(board: Board, order: Order) -> Plan {
        let mut plan = Plan::empty(board, ZobristTables::new(board));
        for (rank, edge) in order.edges(board, Mover::First).into_iter().enumerate() {
            let mut ends = [GROUND; 2];
            for (end, &b) in ends.iter_mut().zip(board.boxes_of(edge)) {
                *end = b;
            }
            plan.set_string(rank, Edges::EMPTY.with(edge), ends, 0);
        }
        if let Order::Early = order {
            let strings = order.edges(board, Mover::Second).into_iter().map(|edge| plan.ranks[edge.index()]);
            plan.second = Some(Box::new(StringOrder::new(strings)));
        }
        plan
    }

    /// Returns the constants of the positions that moves make of a outline, or `None` if it has more
    /// joints or strings than a graph has places.
    pub fn of_outline(outline: Outline) -> Option<Plan> {
        if !outline.fits() {
            return None;
        }
        let Outline { board, joints, mut strings, independent } = outline;
        let order = Order::Distance.edges(board, Mover::First);
        let place = |edges: Edges| order.iter().position(|&edge| edges.contains(edge));
        strings.sort_by_cached_key(|string| place(string.edges));
        let boxes = joints.len() + strings.iter().map(|string| string.length).sum::<usize>();
        let mut plan = Plan::empty(board, ZobristTables::of_joints(&joints, boxes));
        for (rank, string) in strings.iter().enumerate() {
            let ends = string.ends.map(|end| joints.iter().position(|&joint| Some(joint) == end));
            plan.set_string(rank, string.edges, ends.map(|end| end.map_or(GROUND, |end| end as u8)), string.length);
        }
        plan.independent = independent;
        Some(plan)
    }

    /// Returns the constants without any string.
    fn empty(board: Board, zobrist: ZobristTables) -> Plan {
        Plan {
            board,
            vectors: Vectors::detect(),
            ranks: [NO_RANK; MAX_EDGES],
            ends: [[GROUND; 2]; STRING_PLACES],
            lengths: [0; STRING_PLACES],
            with_boxes: 0,
            second: None,
            twins: [0; STRING_PLACES],
            independent: Vec::new(),
            zobrist,
        }
    }

    /// Sets the string of this rank, after those of lower ranks.
    fn set_string(&mut self, rank: usize, edges: Edges, ends: [u8; 2], length: usize) {
        edges.iter().for_each(|edge| self.ranks[edge.index()] = rank as u8);
        (self.ends[rank], self.lengths[rank]) = (ends, length as u8);
        self.with_boxes |= u64::from(length > 0) << rank;
        let twins = (0..rank).filter(|&other| self.ends[other] == ends);
        self.twins[rank] = twins.map(|other| 1 << other).sum();
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
        let ranks = edges.iter().map(|edge| self.ranks[edge.index()]).filter(|&rank| rank != NO_RANK);
        ranks.fold(0, |strings, rank| strings | 1 << rank)
    }

    /// Returns the places of these strings in the order in which a player tries them.
    #[inline]
    pub fn places(&self, strings: u64, player: Mover) -> u64 {
        match (&self.second, player) {
            (Some(order), Mover::Second) => order.places(strings),
            _ => strings,
        }
    }

    /// Returns the string at a place in the order in which a player tries them.
    #[inline]
    pub fn string_at(&self, place: usize, player: Mover) -> u8 {
        match (&self.second, player) {
            (Some(order), Mover::Second) => order.string(place),
            _ => place as u8,
        }
    }

    /// Returns these strings without those for which an interchangeable one of lower rank is
    /// present.
    pub fn without_twins(&self, strings: u64) -> u64 {
        bits(strings).filter(|&string| strings & self.twins[string] == 0).map(|string| 1 << string).sum()
    }
}

/// The constants of a solver's positions.
#[derive(Clone)]
pub(crate) enum Plans {
    /// Those of a board of at most 64 edges.
    Whole {
        /// For positions near the empty board.
        early: Arc<Plan>,
        /// For all others.
        late: Arc<Plan>,
    },
    /// Those of a larger board, each of whose positions has its own. This one has no string.
    OfPositions(Arc<Plan>),
}

impl Plans {
    /// Returns the constants of a board's positions.
    pub fn new(board: Board) -> Plans {
        if board.edges() > STRING_PLACES {
            return Plans::OfPositions(Arc::new(Plan::empty(board, ZobristTables::of_joints(&[], 0))));
        }
        let [early, late] = [Order::Early, Order::Distance].map(|order| Arc::new(Plan::new(board, order)));
        Plans::Whole { early, late }
    }

    pub fn board(&self) -> Board {
        self.late().board()
    }

    /// Returns the constants of positions that are not near the empty board, or those without a
    /// string where each position has its own.
    pub fn late(&self) -> &Arc<Plan> {
        match self {
            Plans::Whole { late: plan, .. } | Plans::OfPositions(plan) => plan,
        }
    }
}
