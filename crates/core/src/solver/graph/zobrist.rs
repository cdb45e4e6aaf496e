//! Zobrist tables: the keys whose sums are the keys of positions.
//!
//! The key of a position is the sum of the keys of its chains. Two positions with the same chains
//! between the same joints, and the same independent chains and loops, have the same key wherever
//! their chains run (docs/strategy.md, section 12). Where positions are looked up under symmetries,
//! small components have keys as a whole, and count wherever they lie
//! ([`small_component`](super::small_component)).

use crate::board::{Board, MAX_BOXES, Symmetry};
use crate::mix::{SPLIT_MIX_STEP, split_mix};

use super::places::JOINT_PLACES;

/// The ground, as an end of a string.
pub(crate) const GROUND: u8 = JOINT_PLACES as u8;

/// The number of ends: all joints and the ground.
const ENDS: usize = JOINT_PLACES + 1;

/// The largest number of symmetric images of a position.
pub(crate) const MAX_IMAGES: usize = 8;

/// The number of bits by which the key of a pair of ends is rotated for each box of the chain.
///
/// No two of [`LENGTHS`] lengths are rotated one bit apart, or two equal chains would add up to
/// one of another length. Chains whose lengths differ by ten are rotated two bits apart, and four
/// of them would have to add up to one; but a joint has three or four ends, so that two positions
/// that differ in this alone do not have three strings more at it.
const ROTATION: u32 = 19;

/// The number of lengths whose strings have the same numbers, rotated. Longer ones, which 5x5 does
/// not have, have others.
const LENGTHS: usize = JOINT_PLACES + 1;

/// The key of a position in the table. It is the same for all images of a position, and each half
/// depends on all parts of the position. With [`ONE_IMAGE`], the halves are the least and the
/// greatest of two independent sums. Otherwise:
///
/// * The lower half is the least of the sums of the images, plus a sum of the parts that look the
///   same in all images (independent chains and loops, small components).
/// * The upper half is the greatest of the sums of the images, plus a sum that the images share,
///   plus a second sum of the parts that look the same.
///
/// No two small components have the same first number
/// ([`small_component`](super::small_component)), and the second number is a mix of the first. So
/// for positions that differ in small components, the two sums are those of independent numbers: a
/// mix does not respect addition.
///
/// For positions that differ in large components alone, the least and the greatest of the sums are
/// independent, except where a position equals all its images, and they are the same. Two such
/// positions differ in the shared sum, which counts the strings of each orbit of the symmetries
/// together, up to eight at a time. So their keys are told apart by 125 bits instead of 128, of
/// which the table still uses those of the line and 67 more.
pub(crate) type TableKey = u128;

/// The sums of a position, or the numbers of one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ZobristKey<const SUMS: usize> {
    /// The sums of the images of the position under the first `SUMS` symmetries of the board, or
    /// [`ONE_IMAGE`] independent ones of the position as it is.
    images: [u64; SUMS],
    /// A sum of the same strings that is the same for all images. Not used with [`ONE_IMAGE`].
    shared: u64,
    /// Two independent sums of the parts that look the same in all images. Not used with
    /// [`ONE_IMAGE`], where they belong to `images`.
    invariant: [u64; 2],
}

/// The number of sums of a position that is not looked up under symmetries.
pub(crate) const ONE_IMAGE: usize = 2;

impl<const SUMS: usize> ZobristKey<SUMS> {
    /// The empty sum.
    pub const ZERO: ZobristKey<SUMS> = ZobristKey { images: [0; SUMS], shared: 0, invariant: [0; 2] };

    /// Returns the sum with another key.
    #[inline(always)]
    pub fn plus(self, key: ZobristKey<SUMS>) -> ZobristKey<SUMS> {
        ZobristKey {
            images: std::array::from_fn(|sum| self.images[sum].wrapping_add(key.images[sum])),
            shared: self.shared.wrapping_add(key.shared),
            invariant: std::array::from_fn(|sum| self.invariant[sum].wrapping_add(key.invariant[sum])),
        }
    }

    /// Returns the difference from another key.
    #[inline(always)]
    pub fn minus(self, key: ZobristKey<SUMS>) -> ZobristKey<SUMS> {
        ZobristKey {
            images: std::array::from_fn(|sum| self.images[sum].wrapping_sub(key.images[sum])),
            shared: self.shared.wrapping_sub(key.shared),
            invariant: std::array::from_fn(|sum| self.invariant[sum].wrapping_sub(key.invariant[sum])),
        }
    }

    /// Returns the key of a small component with this number.
    #[inline(always)]
    pub fn of_small_component(number: u64) -> ZobristKey<SUMS> {
        ZobristKey { invariant: [number, split_mix(number)], ..ZobristKey::ZERO }
    }

    /// Returns the sum without the strings of large components.
    #[inline(always)]
    pub fn without_images(self) -> ZobristKey<SUMS> {
        ZobristKey { invariant: self.invariant, ..ZobristKey::ZERO }
    }

    /// Returns the key of the table.
    #[inline(always)]
    pub fn table_key(&self) -> TableKey {
        let least = self.images.iter().fold(u64::MAX, |least, &sum| least.min(sum));
        let greatest = self.images.iter().fold(0, |greatest, &sum| greatest.max(sum));
        let [first, second] = self.invariant;
        let (low, high) = match SUMS {
            ONE_IMAGE => (least, greatest),
            _ => (least.wrapping_add(first), greatest.wrapping_add(self.shared).wrapping_add(second)),
        };
        (high as TableKey) << 64 | low as TableKey
    }
}

/// The random numbers of a part of a position.
#[derive(Clone)]
struct Numbers {
    /// The number of each symmetric image of the part.
    images: [u64; MAX_IMAGES],
    /// A second number of the part as it is.
    second: u64,
    /// A number that the part shares with its images.
    shared: u64,
}

impl Numbers {
    /// No numbers.
    const ZERO: Numbers = Numbers { images: [0; MAX_IMAGES], second: 0, shared: 0 };

    /// Returns the key of a string, its numbers rotated by some bits.
    #[inline(always)]
    fn string<const SUMS: usize>(&self, rotation: u32) -> ZobristKey<SUMS> {
        let number = |sum: usize| if SUMS == ONE_IMAGE && sum == 1 { self.second } else { self.images[sum] };
        ZobristKey {
            images: std::array::from_fn(|sum| number(sum).rotate_left(rotation)),
            shared: if SUMS == ONE_IMAGE { 0 } else { self.shared.rotate_left(rotation) },
            invariant: [0; 2],
        }
    }

    /// Returns the key of a part that looks the same in all images.
    #[inline(always)]
    fn invariant<const SUMS: usize>(&self) -> ZobristKey<SUMS> {
        match SUMS {
            ONE_IMAGE => self.string(0),
            _ => ZobristKey { invariant: [self.images[0], self.second], ..ZobristKey::ZERO },
        }
    }
}

/// The numbers of a board's chains and loops.
pub(crate) struct ZobristTables {
    /// The numbers of each pair of ends (see [`pairs`]), for every [`LENGTHS`] lengths.
    pairs: Vec<Numbers>,
    /// The numbers of independent chains, by length.
    chains: Vec<Numbers>,
    /// The numbers of independent loops, by length.
    loops: Vec<Numbers>,
}

impl ZobristTables {
    pub fn new(board: Board) -> ZobristTables {
        let mut state = 0u64;
        let mut random = move || {
            let number = split_mix(state);
            state = state.wrapping_add(SPLIT_MIX_STEP);
            number
        };
        let pairs = pairs(board, &mut random);
        let [chains, loops] = independent(&mut random);
        ZobristTables { pairs, chains, loops }
    }

    /// Returns the tables of a position of a larger board whose joints are these boxes, and whose
    /// strings have at most `longest` boxes. All of them have the same numbers wherever they have the
    /// same boxes, so that the keys of one board's positions can be compared.
    pub fn of_joints(joints: &[usize], longest: usize) -> ZobristTables {
        let layers = longest / LENGTHS + 1;
        let mut pairs = vec![Numbers::ZERO; layers * ENDS * ENDS];
        let boxes: Vec<u64> = joints.iter().map(|&joint| joint as u64).collect();
        let ends = || boxes.iter().copied().enumerate().chain([(GROUND as usize, u64::from(GROUND) + 256)]);
        for layer in 0..layers {
            for (a, first) in ends() {
                for (b, second) in ends() {
                    let number = split_mix((layer as u64) << 60 | first.min(second) << 32 | first.max(second));
                    pairs[pair_index([a, b], layer * LENGTHS)] =
                        Numbers { images: [number; MAX_IMAGES], second: split_mix(!number), shared: 0 };
                }
            }
        }
        let mut state = 1u64 << 32;
        let [chains, loops] = independent(&mut || {
            state = state.wrapping_add(SPLIT_MIX_STEP);
            split_mix(state)
        });
        ZobristTables { pairs, chains, loops }
    }

    /// Returns the key of a chain of `length` boxes between these ends: that of the pair, rotated
    /// by the length.
    #[inline(always)]
    pub fn chain<const SUMS: usize>(&self, [a, b]: [u8; 2], length: u8) -> ZobristKey<SUMS> {
        let pair = &self.pairs[pair_index([a as usize, b as usize], length as usize)];
        pair.string(ROTATION * length as u32 % u64::BITS)
    }

    /// Returns the key of an independent chain.
    #[inline(always)]
    pub fn independent_chain<const SUMS: usize>(&self, length: usize) -> ZobristKey<SUMS> {
        self.chains[length].invariant()
    }

    /// Returns the key of an independent loop.
    #[inline(always)]
    pub fn independent_loop<const SUMS: usize>(&self, length: usize) -> ZobristKey<SUMS> {
        self.loops[length].invariant()
    }
}

/// Returns the index of the numbers of the strings of this length between two ends.
#[inline(always)]
fn pair_index([a, b]: [usize; 2], length: usize) -> usize {
    let index = a * ENDS + b;
    if length < LENGTHS {
        return index;
    }
    // Only large boards come here, so that others do without the division.
    cold();
    index + length / LENGTHS * ENDS * ENDS
}

/// Marks a branch as one that is rarely taken, for the compiler: calls of it cost nothing.
#[cold]
fn cold() {}

/// Draws the numbers of independent chains, and of independent loops, by length.
fn independent(random: &mut dyn FnMut() -> u64) -> [Vec<Numbers>; 2] {
    let mut tables = [Vec::new(), Vec::new()];
    for lengths in [0..=JOINT_PLACES, JOINT_PLACES + 1..=MAX_BOXES] {
        for table in &mut tables {
            for _ in lengths.clone() {
                table.push(Numbers { images: [random(); MAX_IMAGES], second: random(), shared: 0 });
            }
        }
    }
    tables
}

/// Draws the numbers of each pair of ends, the same in both orders.
fn pairs(board: Board, random: &mut dyn FnMut() -> u64) -> Vec<Numbers> {
    let numbers: Vec<[u64; 2]> = (0..ENDS * ENDS).map(|_| [random(), random()]).collect();
    let images: Vec<Vec<usize>> = board.symmetries().map(|symmetry| images_of_ends(board, symmetry)).collect();
    let unordered = |a: usize, b: usize| a.min(b) * ENDS + a.max(b);
    let pair = |index: usize| {
        let (a, b) = (index / ENDS, index % ENDS);
        let [_, second] = numbers[unordered(a, b)];
        // That of one image, so that it is the same for all.
        let least = images.iter().map(|image| unordered(image[a], image[b])).min().unwrap_or_default();
        let mut pair = Numbers { images: [0; MAX_IMAGES], second, shared: numbers[least][1] };
        for (number, image) in pair.images.iter_mut().zip(&images) {
            *number = numbers[unordered(image[a], image[b])][0];
        }
        pair
    };
    (0..ENDS * ENDS).map(pair).collect()
}

/// Returns the image of each box under a symmetry. The ground, and indices of boxes that the board
/// does not have, are mapped to themselves.
fn images_of_ends(board: Board, symmetry: Symmetry) -> Vec<usize> {
    let image_of = |end: usize| {
        let sides = symmetry.edges(board.sides(end));
        (0..board.boxes()).find(|&image| board.sides(image) == sides).expect("a symmetry should map boxes to boxes")
    };
    (0..ENDS).map(|end| if end < board.boxes() { image_of(end) } else { end }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::super::order::Order;
    use super::super::plan::Plan;
    use super::*;
    use crate::board::{Edges, State};
    use std::collections::{HashMap, HashSet};

    /// A number rotated by one bit more is twice the number, for half of all numbers.
    /// Strings of the lengths that only large boards have get keys of their own.
    #[test]
    fn strings_of_every_length_and_pair_have_different_keys() {
        let tables = ZobristTables::of_joints(&[3, 17, 80], MAX_BOXES);
        let mut keys = HashSet::new();
        let ends = [[0, 1], [0, 2], [1, 2], [0, GROUND], [1, GROUND], [2, GROUND], [0, 0]];
        for [a, b] in ends {
            for length in 0..=MAX_BOXES as u8 {
                let key = tables.chain::<ONE_IMAGE>([a, b], length);
                assert_eq!(key, tables.chain([b, a], length));
                assert!(keys.insert(key.table_key()), "{a} {b} {length}");
            }
        }
        // The same boxes have the same keys, whatever the other joints are.
        let others = ZobristTables::of_joints(&[17, 80], 30);
        assert_eq!(others.chain::<ONE_IMAGE>([0, 1], 28), tables.chain([1, 2], 28));
        assert_eq!(others.chain::<ONE_IMAGE>([1, GROUND], 3), tables.chain([2, GROUND], 3));
    }

    #[test]
    fn no_two_lengths_are_rotated_one_bit_apart() {
        let rotation = |length: usize| ROTATION * length as u32 % u64::BITS;
        for a in 0..LENGTHS {
            for b in 0..LENGTHS {
                assert_ne!(rotation(a), (rotation(b) + 1) % u64::BITS, "{a} {b}");
            }
        }
    }

    /// The halves of a key differ in more than a few bits, and no two keys share a half, of
    /// positions that consist of small components alone and of those that equal all their images
    /// too.
    #[test]
    fn halves_of_keys_are_independent() {
        let board = Board::new(4, 4).unwrap();
        let plan = Plan::new(board, Order::Early);
        let (mut lows, mut highs) = (HashMap::new(), HashMap::new());
        let (mut small, mut symmetric) = (0, 0);
        for seed in 0..8_000u64 {
            let (a, b) = (split_mix(seed), split_mix(!seed));
            let edges = if seed % 2 == 0 { a | b } else { a & b };
            let mut state = State::new(board);
            for edge in Edges::from_bytes(&edges.to_le_bytes()).intersection(board.all()) {
                let images = board.symmetries().map(|symmetry| symmetry.edges(Edges::EMPTY.with(edge)));
                let drawn = match seed % 2 {
                    0 => state.drawn().with(edge),
                    _ => images.fold(state.drawn(), Edges::union),
                };
                let next = State::from_drawn(board, drawn);
                if next.is_capture_free() {
                    state = next;
                }
            }
            let graph = Graph::<8>::new(&plan, state);
            if graph.boxes == 0 {
                continue;
            }
            let key = graph.key();
            let (low, high) = (key as u64, (key >> 64) as u64);
            assert!((low ^ high).count_ones() > 8, "{state}");
            assert_eq!(*lows.entry(low).or_insert(high), high, "{state}");
            assert_eq!(*highs.entry(high).or_insert(low), low, "{state}");
            small += u32::from(graph.components.large == 0);
            symmetric += u32::from(board.symmetries().all(|symmetry| state.image(symmetry) == state));
        }
        assert!(small > 100 && symmetric > 100, "{small} {symmetric}");
    }
}
