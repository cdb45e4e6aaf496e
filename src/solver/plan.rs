//! What the solver computes once for a board: the order of moves and the numbers that keys are made of.

use crate::board::{Board, Edge, Edges, MAX_BOXES, MAX_EDGES, Orientation, Symmetry};
use crate::mix::{SPLIT_MIX_STEP, split_mix};

use super::ahead::has_avx512;
use super::bits::bits;
use super::sums::Sums;

/// The end of a chain that hangs on no joint.
pub(super) const GROUND: u8 = MAX_BOXES as u8;

/// Boxes and the ground.
const ENDS: usize = MAX_BOXES + 1;

/// Bits that a box more turns the number of a pair of ends. No two lengths that a board has are turned one bit apart, or
/// two chains alike would come to one of another length; two bits apart are chains whose lengths differ by ten, of which
/// four would have to come to one.
const TURN: u32 = 19;

/// The most symmetric images of a position.
pub(super) const MAX_IMAGES: usize = 8;

/// The constants of a board. Strings go by their rank, the order in which they are tried.
pub(super) struct Plan {
    board: Board,
    /// Positions with fewer safe edges than this go into a table of each solver's own: there are most of them, they cost
    /// little to search again, and each look into a large table is a wait. From the first moves on there are too many.
    pub near_safe: u32,
    /// See [`has_avx512`].
    pub has_avx512: bool,
    ranks: [u8; MAX_EDGES],
    /// The two boxes of each string, or one and the ground.
    pub ends: [[u8; 2]; MAX_EDGES],
    /// Strings of lower rank with the same two ends: interchangeable, so one of them is enough.
    twins: [u64; MAX_EDGES],
    /// A number for each pair of ends, see [`pairs`].
    pairs: Vec<Sums<MAX_IMAGES>>,
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
        let everywhere = |random: &mut dyn FnMut() -> u64| Sums { images: [random(); MAX_IMAGES], check: random() };
        let mut plan = Plan {
            board,
            near_safe: match order {
                Order::MiddleLines => 3,
                Order::Distance => 5,
            },
            has_avx512: has_avx512(),
            ranks: [0; MAX_EDGES],
            ends: [[GROUND; 2]; MAX_EDGES],
            twins: [0; MAX_EDGES],
            pairs: pairs(board, &mut random),
            chains: std::array::from_fn(|_| everywhere(&mut random)),
            loops: std::array::from_fn(|_| everywhere(&mut random)),
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

    /// What a chain of `length` boxes between these ends adds to the sums: the number of the pair, turned by the length.
    #[inline(always)]
    pub fn chain<const IMAGES: usize>(&self, [a, b]: [u8; 2], length: u8) -> Sums<IMAGES> {
        let pair = &self.pairs[a as usize * ENDS + b as usize];
        let turn = TURN * length as u32 % u64::BITS;
        let images = std::array::from_fn(|image| pair.images[image].rotate_left(turn));
        Sums { images, check: pair.check.rotate_left(turn) }
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

/// A number for each pair of ends as each symmetry sees it, the same in both orders, and one for all the pairs that
/// symmetries make of it.
fn pairs(board: Board, random: &mut dyn FnMut() -> u64) -> Vec<Sums<MAX_IMAGES>> {
    let numbers: Vec<[u64; 2]> = (0..ENDS * ENDS).map(|_| [random(), random()]).collect();
    let images: Vec<Vec<usize>> = board.symmetries().map(|symmetry| images_of_ends(board, symmetry)).collect();
    let pair = |index: usize| {
        let (a, b) = (index / ENDS, index % ENDS);
        let seen = |image: &Vec<usize>| image[a].min(image[b]) * ENDS + image[a].max(image[b]);
        let mut sums = Sums::ZERO;
        for (number, image) in sums.images.iter_mut().zip(&images) {
            *number = numbers[seen(image)][0];
        }
        let class = images.iter().map(seen).min().unwrap_or(index);
        Sums { check: numbers[class][1], ..sums }
    };
    (0..ENDS * ENDS).map(pair).collect()
}

/// Where a symmetry takes each box; the ground stays, and so does what is no box of this board.
fn images_of_ends(board: Board, symmetry: Symmetry) -> Vec<usize> {
    let image_of = |end: usize| {
        let sides = symmetry.edges(board.sides(end));
        (0..board.boxes()).find(|&image| board.sides(image) == sides).expect("a symmetry maps boxes to boxes")
    };
    (0..ENDS).map(|end| if end < board.boxes() { image_of(end) } else { end }).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A number turned by one bit more is twice the number, for half of all numbers.
    #[test]
    fn no_two_lengths_are_turned_one_bit_apart() {
        let turn = |length: usize| TURN * length as u32 % u64::BITS;
        for a in 0..=MAX_BOXES {
            for b in 0..=MAX_BOXES {
                assert_ne!(turn(a), (turn(b) + 1) % u64::BITS, "{a} {b}");
                // Four alike, of ten boxes more, do not fit on a board.
                assert!(turn(a) != (turn(b) + 2) % u64::BITS || 4 * b > MAX_BOXES, "{a} {b}");
            }
        }
    }
}
