//! What the solver computes once for a board: the order of moves and the numbers that keys are made of.

use crate::board::{Board, Edge, Edges, MAX_BOXES, MAX_EDGES, Orientation};

/// A position's key: the sum of a number for each chain. Two positions with the same chains between the same joints,
/// and the same independent chains and loops, are the same to the key wherever their chains run.
pub(super) type Key = u128;

/// The end of a chain that hangs on no joint.
pub(super) const GROUND: u8 = MAX_BOXES as u8;

/// The most symmetric images of a position.
pub(super) const MAX_IMAGES: usize = 8;

/// The constants of a board. Strings go by their rank, the order in which they are tried: the board's centre first.
pub(super) struct Plan {
    board: Board,
    ranks: [u8; MAX_EDGES],
    /// The two boxes of each string, or one and the ground.
    pub ends: [[u8; 2]; MAX_EDGES],
    /// Strings of lower rank with the same two ends: interchangeable, so one of them is enough.
    pub twins: [u64; MAX_EDGES],
    /// A number for each box, or for the ground, as each symmetry sees it.
    places: [[u64; MAX_BOXES + 1]; MAX_IMAGES],
    lengths: [u64; MAX_BOXES + 1],
    chains: [Key; MAX_BOXES + 1],
    loops: [Key; MAX_BOXES + 1],
}

impl Plan {
    pub fn new(board: Board) -> Plan {
        let mut state = 0;
        let mut random = move || split_mix(&mut state);
        let mut plan = Plan {
            board,
            ranks: [0; MAX_EDGES],
            ends: [[GROUND; 2]; MAX_EDGES],
            twins: [0; MAX_EDGES],
            places: [[0; MAX_BOXES + 1]; MAX_IMAGES],
            lengths: std::array::from_fn(|_| random()),
            chains: [0; MAX_BOXES + 1],
            loops: [0; MAX_BOXES + 1],
        };
        for key in plan.chains.iter_mut().chain(&mut plan.loops) {
            *key = (random() as Key) << 64 | random() as Key;
        }
        for (rank, edge) in centre_first(board).into_iter().enumerate() {
            plan.ranks[edge.index()] = rank as u8;
            for (end, &b) in plan.ends[rank].iter_mut().zip(board.boxes_of(edge)) {
                *end = b;
            }
            let ends = plan.ends;
            let twins = (0..rank).filter(|&other| ends[other] == ends[rank]);
            plan.twins[rank] = twins.map(|other| 1 << other).sum();
        }
        let places: [u64; MAX_BOXES + 1] = std::array::from_fn(|_| random());
        for (image, symmetry) in plan.places.iter_mut().zip(board.symmetries()) {
            image[GROUND as usize] = places[GROUND as usize];
            for (b, place) in image.iter_mut().enumerate().take(board.boxes()) {
                let sides = symmetry.edges(board.sides(b));
                let target = (0..board.boxes()).find(|&target| board.sides(target) == sides);
                *place = places[target.expect("a symmetry maps boxes to boxes")];
            }
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

    /// What a chain of `length` boxes between these ends adds to the key of an image.
    pub fn chain_key(&self, image: usize, ends: [u8; 2], length: u8) -> Key {
        let places = &self.places[image];
        let mixed = places[ends[0] as usize].wrapping_add(places[ends[1] as usize]) ^ self.lengths[length as usize];
        // The product of two numbers that depend on every bit: sums of such products have no structure to speak of.
        mixed as Key * (mixed.rotate_left(32) | 1) as Key
    }

    /// What an independent chain adds to every key.
    pub fn free_chain_key(&self, length: usize) -> Key {
        self.chains[length]
    }

    /// What an independent loop adds to every key.
    pub fn free_loop_key(&self, length: usize) -> Key {
        self.loops[length]
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The edges of a board, those nearest its centre first.
fn centre_first(board: Board) -> Vec<Edge> {
    let distance = |edge: &Edge| {
        let (orientation, row, col) = board.coordinates(*edge);
        // In half steps of the lattice, where H(r, c) lies at (2r, 2c+1).
        let (y, x) = match orientation {
            Orientation::Horizontal => (2 * row, 2 * col + 1),
            Orientation::Vertical => (2 * row + 1, 2 * col),
        };
        let (dy, dx) = (y as i32 - board.rows() as i32, x as i32 - board.cols() as i32);
        dy * dy + dx * dx
    };
    let mut edges: Vec<Edge> = board.all().iter().collect();
    edges.sort_by_key(distance);
    edges
}
