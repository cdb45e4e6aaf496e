//! What the solver computes once for a board: the order of moves and the numbers that keys are made of.

use crate::board::{Board, Edge, Edges, MAX_BOXES, MAX_EDGES, Orientation, Symmetry};
use crate::mix::{SPLIT_MIX_STEP, split_mix};

use super::graph::bits;
use super::sums::Sums;

/// The end of a chain that hangs on no joint.
pub(super) const GROUND: u8 = MAX_BOXES as u8;

/// The most symmetric images of a position.
pub(super) const MAX_IMAGES: usize = 8;

/// The constants of a board. Strings go by their rank, the order in which they are tried.
pub(super) struct Plan {
    board: Board,
    /// Positions with fewer safe edges than this go into a table of each solver's own: there are most of them, they cost
    /// little to search again, and each look into a large table is a wait. From the first moves on there are too many.
    pub near_safe: u32,
    ranks: [u8; MAX_EDGES],
    /// The two boxes of each string, or one and the ground.
    pub ends: [[u8; 2]; MAX_EDGES],
    /// Strings of lower rank with the same two ends: interchangeable, so one of them is enough.
    twins: [u64; MAX_EDGES],
    /// What each string adds to the sums while it has no boxes.
    pub bare: [Sums<MAX_IMAGES>; MAX_EDGES],
    /// A number for each box, and for the ground.
    places: [Sums<MAX_IMAGES>; MAX_BOXES + 1],
    lengths: [u64; MAX_BOXES + 1],
    chains: [Sums<MAX_IMAGES>; MAX_BOXES + 1],
    loops: [Sums<MAX_IMAGES>; MAX_BOXES + 1],
}

impl Plan {
    pub fn new(board: Board, order: Order) -> Plan {
        let mut state = 0u64;
        let mut random = move || {
            let number = split_mix(state);
            state = state.wrapping_add(SPLIT_MIX_STEP);
            number
        };
        let mut everywhere = |_| Sums { images: [random(); MAX_IMAGES], check: random() };
        let mut plan = Plan {
            board,
            near_safe: match order {
                Order::MiddleLines => 3,
                Order::Distance => 5,
            },
            ranks: [0; MAX_EDGES],
            ends: [[GROUND; 2]; MAX_EDGES],
            twins: [0; MAX_EDGES],
            bare: [Sums::ZERO; MAX_EDGES],
            places: [Sums::ZERO; MAX_BOXES + 1],
            chains: std::array::from_fn(&mut everywhere),
            loops: std::array::from_fn(&mut everywhere),
            lengths: std::array::from_fn(|_| random()),
        };
        // The numbers of a box's place, and of the class of places that symmetries make of it.
        let numbers: [[u64; 2]; MAX_BOXES + 1] = std::array::from_fn(|_| [random(), random()]);
        plan.places[GROUND as usize] =
            Sums { images: [numbers[GROUND as usize][0]; MAX_IMAGES], check: numbers[GROUND as usize][1] };
        for (b, place) in plan.places.iter_mut().enumerate().take(board.boxes()) {
            let images: Vec<usize> = board.symmetries().map(|symmetry| image_of(board, symmetry, b)).collect();
            for (number, &image) in place.images.iter_mut().zip(&images) {
                *number = numbers[image][0];
            }
            place.check = numbers[images.into_iter().min().unwrap_or(b)][1];
        }
        for (rank, edge) in order.edges(board).into_iter().enumerate() {
            plan.ranks[edge.index()] = rank as u8;
            for (end, &b) in plan.ends[rank].iter_mut().zip(board.boxes_of(edge)) {
                *end = b;
            }
            let ends = plan.ends;
            let twins = (0..rank).filter(|&other| ends[other] == ends[rank]);
            plan.twins[rank] = twins.map(|other| 1 << other).sum();
            plan.bare[rank] = plan.chain(ends[rank], 0);
        }
        plan
    }

    pub fn board(&self) -> Board {
        self.board
    }

    /// How many symmetries the board has: 4 or [`MAX_IMAGES`].
    pub fn images(&self) -> usize {
        self.board.symmetries().len()
    }

    /// The strings of these edges, by rank.
    pub fn strings(&self, edges: Edges) -> u64 {
        edges.iter().map(|edge| 1 << self.ranks[edge.index()]).sum()
    }

    /// These strings, without those of which another one that is left is interchangeable and comes first.
    pub fn without_twins(&self, strings: u64) -> u64 {
        bits(strings).filter(|&string| strings & self.twins[string] == 0).map(|string| 1 << string).sum()
    }

    /// What a chain of `length` boxes between these ends adds to the sums.
    pub fn chain<const IMAGES: usize>(&self, ends: [u8; 2], length: u8) -> Sums<IMAGES> {
        let [a, b] = ends.map(|end| &self.places[end as usize]);
        let length = self.lengths[length as usize];
        // Mixed so that sums of such numbers have no structure to speak of.
        let mix = |a: u64, b: u64| {
            let product = (a.wrapping_add(b) ^ length).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            product ^ product >> 32
        };
        let images = std::array::from_fn(|image| mix(a.images[image], b.images[image]));
        Sums { images, check: mix(a.check, b.check) }
    }

    /// What an independent chain adds.
    pub fn free_chain(&self, length: usize) -> &Sums<MAX_IMAGES> {
        &self.chains[length]
    }

    /// What an independent loop adds.
    pub fn free_loop(&self, length: usize) -> &Sums<MAX_IMAGES> {
        &self.loops[length]
    }
}

/// Where a symmetry takes a box.
fn image_of(board: Board, symmetry: Symmetry, b: usize) -> usize {
    let sides = symmetry.edges(board.sides(b));
    (0..board.boxes()).find(|&image| board.sides(image) == sides).expect("a symmetry maps boxes to boxes")
}

/// The order in which safe edges are tried: always the board's centre first, so that lines of play meet.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// By steps along the lattice, those nearest a middle line first: better from the first moves on (against the other
    /// order, a third of the nodes less on 3x4, a seventh less on 4x4).
    MiddleLines,
    /// By distance: better where many edges are drawn (an eighth of the nodes less at 36 undrawn edges of 5x5).
    Distance,
}

impl Order {
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
