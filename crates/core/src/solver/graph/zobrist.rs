//! Zobrist tables: the random numbers of the chains and loops of a board, of which [keys](super::key)
//! are made.

use crate::board::{Board, MAX_BOXES, Symmetry};
use crate::mix::{SPLIT_MIX_STEP, split_mix};

use super::key::Key;
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

/// The random numbers of a part of a position.
#[derive(Clone)]
pub(crate) struct Numbers {
    /// The number of each symmetric image of the part.
    pub images: [u64; MAX_IMAGES],
    /// A second number of the part as it is.
    pub second: u64,
    /// A number that the part shares with its images.
    pub shared: u64,
}

impl Numbers {
    /// No numbers.
    const ZERO: Numbers = Numbers { images: [0; MAX_IMAGES], second: 0, shared: 0 };
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
    pub fn chain<K: Key>(&self, [a, b]: [u8; 2], length: u8) -> K {
        let pair = &self.pairs[pair_index([a as usize, b as usize], length as usize)];
        K::of_string(pair, ROTATION * length as u32 % u64::BITS)
    }

    /// Returns the key of an independent chain.
    #[inline(always)]
    pub fn independent_chain<K: Key>(&self, length: usize) -> K {
        K::of_independent(&self.chains[length])
    }

    /// Returns the key of an independent loop.
    #[inline(always)]
    pub fn independent_loop<K: Key>(&self, length: usize) -> K {
        K::of_independent(&self.loops[length])
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
    use super::super::key::{PlainKey, SymmetricKey};
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
                let key = tables.chain::<PlainKey>([a, b], length);
                assert_eq!(key, tables.chain([b, a], length));
                assert!(keys.insert(key.table_key()), "{a} {b} {length}");
            }
        }
        // The same boxes have the same keys, whatever the other joints are.
        let others = ZobristTables::of_joints(&[17, 80], 30);
        assert_eq!(others.chain::<PlainKey>([0, 1], 28), tables.chain([1, 2], 28));
        assert_eq!(others.chain::<PlainKey>([1, GROUND], 3), tables.chain([2, GROUND], 3));
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
            let graph = Graph::<SymmetricKey<8>>::new(&plan, state);
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
