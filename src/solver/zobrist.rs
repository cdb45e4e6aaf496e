//! Zobrist tables: the keys whose sums are the keys of positions.
//!
//! The key of a position is the sum of the keys of its chains. Two positions with the same chains
//! between the same joints, and the same independent chains and loops, have the same key wherever
//! their chains run (docs/strategy.md, section 12).

use crate::board::{Board, MAX_BOXES, Symmetry};
use crate::mix::{SPLIT_MIX_STEP, split_mix};

/// The ground, as an end of a string.
pub(super) const GROUND: u8 = MAX_BOXES as u8;

/// The number of ends: all boxes and the ground.
const ENDS: usize = MAX_BOXES + 1;

/// The largest number of symmetric images of a position.
pub(super) const MAX_IMAGES: usize = 8;

/// The number of bits by which the key of a pair of ends is rotated for each box of the chain.
///
/// No two lengths that a board has are rotated one bit apart, or two equal chains would add up to
/// one of another length. Chains whose lengths differ by ten are rotated two bits apart, and four
/// of them would have to add up to one.
const ROTATION: u32 = 19;

/// The key of a position in the table: the least of its sums in the lower half, the greatest in the
/// upper half.
///
/// Where the sums are those of symmetric images, each half is the same for all images of a
/// position, and each depends on all its strings. Only a position that equals all its images has
/// equal halves, and there are few of them.
pub(super) type TableKey = u128;

/// The sums of a position, or the numbers of one of its parts: one for each of the first `SUMS`
/// symmetries of the board, or [`ONE_IMAGE`] independent ones of the position as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZobristKey<const SUMS: usize>([u64; SUMS]);

/// The number of sums of a position that is not looked up under symmetries.
pub(super) const ONE_IMAGE: usize = 2;

impl<const SUMS: usize> ZobristKey<SUMS> {
    /// The empty sum.
    pub const ZERO: ZobristKey<SUMS> = ZobristKey([0; SUMS]);

    /// Returns the sum with another key.
    #[inline(always)]
    pub fn plus(self, key: ZobristKey<SUMS>) -> ZobristKey<SUMS> {
        ZobristKey(std::array::from_fn(|sum| self.0[sum].wrapping_add(key.0[sum])))
    }

    /// Returns the difference from another key.
    #[inline(always)]
    pub fn minus(self, key: ZobristKey<SUMS>) -> ZobristKey<SUMS> {
        ZobristKey(std::array::from_fn(|sum| self.0[sum].wrapping_sub(key.0[sum])))
    }

    /// Returns the key of the table.
    #[inline(always)]
    pub fn table_key(&self) -> TableKey {
        let least = self.0.iter().fold(u64::MAX, |least, &sum| least.min(sum));
        let greatest = self.0.iter().fold(0, |greatest, &sum| greatest.max(sum));
        (greatest as TableKey) << 64 | least as TableKey
    }
}

/// The random numbers of a part of a position.
struct Numbers {
    /// The number of each symmetric image of the part.
    images: [u64; MAX_IMAGES],
    /// A second number of the part as it is.
    second: u64,
}

impl Numbers {
    /// Returns the key of the part, its numbers rotated by some bits.
    #[inline(always)]
    fn key<const SUMS: usize>(&self, rotation: u32) -> ZobristKey<SUMS> {
        let number = |sum: usize| if SUMS == ONE_IMAGE && sum == 1 { self.second } else { self.images[sum] };
        ZobristKey(std::array::from_fn(|sum| number(sum).rotate_left(rotation)))
    }
}

/// The numbers of a board's chains and loops.
pub(super) struct ZobristTables {
    /// The numbers of each pair of ends (see [`pairs`]).
    pairs: Vec<Numbers>,
    chains: [Numbers; MAX_BOXES + 1],
    loops: [Numbers; MAX_BOXES + 1],
}

impl ZobristTables {
    pub fn new(board: Board) -> ZobristTables {
        let mut state = 0u64;
        let mut random = move || {
            let number = split_mix(state);
            state = state.wrapping_add(SPLIT_MIX_STEP);
            number
        };
        let everywhere = |random: &mut dyn FnMut() -> u64| Numbers { images: [random(); MAX_IMAGES], second: random() };
        ZobristTables {
            pairs: pairs(board, &mut random),
            chains: std::array::from_fn(|_| everywhere(&mut random)),
            loops: std::array::from_fn(|_| everywhere(&mut random)),
        }
    }

    /// Returns the key of a chain of `length` boxes between these ends: that of the pair, rotated
    /// by the length.
    #[inline(always)]
    pub fn chain<const SUMS: usize>(&self, [a, b]: [u8; 2], length: u8) -> ZobristKey<SUMS> {
        self.pairs[a as usize * ENDS + b as usize].key(ROTATION * length as u32 % u64::BITS)
    }

    /// Returns the key of an independent chain.
    #[inline(always)]
    pub fn independent_chain<const SUMS: usize>(&self, length: usize) -> ZobristKey<SUMS> {
        self.chains[length].key(0)
    }

    /// Returns the key of an independent loop.
    #[inline(always)]
    pub fn independent_loop<const SUMS: usize>(&self, length: usize) -> ZobristKey<SUMS> {
        self.loops[length].key(0)
    }
}

/// Draws the numbers of each pair of ends, the same in both orders.
fn pairs(board: Board, random: &mut dyn FnMut() -> u64) -> Vec<Numbers> {
    let numbers: Vec<[u64; 2]> = (0..ENDS * ENDS).map(|_| [random(), random()]).collect();
    let images: Vec<Vec<usize>> = board.symmetries().map(|symmetry| images_of_ends(board, symmetry)).collect();
    let unordered = |a: usize, b: usize| a.min(b) * ENDS + a.max(b);
    let pair = |index: usize| {
        let (a, b) = (index / ENDS, index % ENDS);
        let mut pair = Numbers { images: [0; MAX_IMAGES], second: numbers[unordered(a, b)][1] };
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
    use super::*;

    /// A number rotated by one bit more is twice the number, for half of all numbers.
    #[test]
    fn no_two_lengths_are_rotated_one_bit_apart() {
        let rotation = |length: usize| ROTATION * length as u32 % u64::BITS;
        for a in 0..=MAX_BOXES {
            for b in 0..=MAX_BOXES {
                assert_ne!(rotation(a), (rotation(b) + 1) % u64::BITS, "{a} {b}");
                // Four equal chains that are ten boxes longer do not fit on a board.
                assert!(rotation(a) != (rotation(b) + 2) % u64::BITS || 4 * b > MAX_BOXES, "{a} {b}");
            }
        }
    }
}
