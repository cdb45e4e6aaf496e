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

/// The key of a position in the table. The lower half is the least of the sums under all
/// symmetries. The upper half is a sum that is the same under all of them.
pub(super) type TableKey = u128;

/// The keys under each of the first `IMAGES` symmetries of a board, and one that is the same under
/// all of them; or sums of such keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZobristKey<const IMAGES: usize> {
    pub images: [u64; IMAGES],
    pub check: u64,
}

impl<const IMAGES: usize> ZobristKey<IMAGES> {
    /// The empty sum.
    pub const ZERO: ZobristKey<IMAGES> = ZobristKey { images: [0; IMAGES], check: 0 };

    /// Returns the sum with another key. Images of further symmetries are left out.
    #[inline(always)]
    pub fn plus<const ALL: usize>(self, key: &ZobristKey<ALL>) -> ZobristKey<IMAGES> {
        let images = std::array::from_fn(|image| self.images[image].wrapping_add(key.images[image]));
        ZobristKey { images, check: self.check.wrapping_add(key.check) }
    }

    /// Returns the difference from another key.
    #[inline(always)]
    pub fn minus<const ALL: usize>(self, key: &ZobristKey<ALL>) -> ZobristKey<IMAGES> {
        let images = std::array::from_fn(|image| self.images[image].wrapping_sub(key.images[image]));
        ZobristKey { images, check: self.check.wrapping_sub(key.check) }
    }

    /// Returns the key of the table.
    #[inline(always)]
    pub fn table_key(&self) -> TableKey {
        let least = self.images.iter().fold(u64::MAX, |least, &image| least.min(image));
        (self.check as TableKey) << 64 | least as TableKey
    }
}

/// The keys of a board's chains and loops.
pub(super) struct ZobristTables {
    /// The key of each pair of ends (see [`pairs`]).
    pairs: Vec<ZobristKey<MAX_IMAGES>>,
    chains: [ZobristKey<MAX_IMAGES>; MAX_BOXES + 1],
    loops: [ZobristKey<MAX_IMAGES>; MAX_BOXES + 1],
}

impl ZobristTables {
    pub fn new(board: Board) -> ZobristTables {
        let mut state = 0u64;
        let mut random = move || {
            let number = split_mix(state);
            state = state.wrapping_add(SPLIT_MIX_STEP);
            number
        };
        let everywhere =
            |random: &mut dyn FnMut() -> u64| ZobristKey { images: [random(); MAX_IMAGES], check: random() };
        ZobristTables {
            pairs: pairs(board, &mut random),
            chains: std::array::from_fn(|_| everywhere(&mut random)),
            loops: std::array::from_fn(|_| everywhere(&mut random)),
        }
    }

    /// Returns the key of a chain of `length` boxes between these ends: that of the pair, rotated
    /// by the length.
    #[inline(always)]
    pub fn chain<const IMAGES: usize>(&self, [a, b]: [u8; 2], length: u8) -> ZobristKey<IMAGES> {
        let pair = &self.pairs[a as usize * ENDS + b as usize];
        let rotation = ROTATION * length as u32 % u64::BITS;
        let images = std::array::from_fn(|image| pair.images[image].rotate_left(rotation));
        ZobristKey { images, check: pair.check.rotate_left(rotation) }
    }

    /// Returns the key of an independent chain.
    pub fn independent_chain(&self, length: usize) -> &ZobristKey<MAX_IMAGES> {
        &self.chains[length]
    }

    /// Returns the key of an independent loop.
    pub fn independent_loop(&self, length: usize) -> &ZobristKey<MAX_IMAGES> {
        &self.loops[length]
    }
}

/// Draws a key for each pair of ends under each symmetry, the same in both orders, and one that all
/// images of the pair share.
fn pairs(board: Board, random: &mut dyn FnMut() -> u64) -> Vec<ZobristKey<MAX_IMAGES>> {
    let numbers: Vec<[u64; 2]> = (0..ENDS * ENDS).map(|_| [random(), random()]).collect();
    let images: Vec<Vec<usize>> = board.symmetries().map(|symmetry| images_of_ends(board, symmetry)).collect();
    let pair = |index: usize| {
        let (a, b) = (index / ENDS, index % ENDS);
        let pair_image = |image: &Vec<usize>| image[a].min(image[b]) * ENDS + image[a].max(image[b]);
        let mut key = ZobristKey::ZERO;
        for (number, image) in key.images.iter_mut().zip(&images) {
            *number = numbers[pair_image(image)][0];
        }
        let class = images.iter().map(pair_image).min().unwrap_or(index);
        ZobristKey { check: numbers[class][1], ..key }
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
