//! Keys of positions, as sums over their parts.
//!
//! The key of a position is the sum of the keys of its chains. Two positions with the same chains
//! between the same joints, and the same independent chains and loops, have the same key wherever
//! their chains run (docs/strategy.md, section 12). Where positions are looked up under symmetries,
//! small components have keys as a whole, and count wherever they lie
//! ([`small_component`](super::small_component)).

use std::fmt::Debug;

use crate::mix::split_mix;

use super::components::Components;
use super::graph_components::GraphComponents;
use super::zobrist::Numbers;

/// The key of a position in the table. Each half depends on all parts of the position.
pub(crate) type TableKey = u128;

/// A sum over the parts of a position, or the summand of one part. How positions are looked up
/// depends on the type: as they are ([`PlainKey`]), or under symmetries ([`SymmetricKey`]).
pub(crate) trait Key: Copy + Debug + PartialEq {
    /// The components that a graph keeps track of.
    type Components: Components<Self>;

    /// The empty sum.
    const ZERO: Self;

    /// Returns the sum with another key.
    fn plus(self, key: Self) -> Self;

    /// Returns the difference from another key.
    fn minus(self, key: Self) -> Self;

    /// Returns the key of a string, its numbers rotated by some bits.
    fn of_string(numbers: &Numbers, rotation: u32) -> Self;

    /// Returns the key of an independent chain or loop.
    fn of_independent(numbers: &Numbers) -> Self;

    /// Returns the key of the table.
    fn table_key(&self) -> TableKey;
}

/// The key of a position that is looked up as it is: two independent sums over its strings,
/// independent chains and loops. All components count as large.
///
/// The halves of the key of the table are the least and the greatest of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainKey([u64; 2]);

impl Key for PlainKey {
    type Components = ();

    const ZERO: PlainKey = PlainKey([0; 2]);

    #[inline(always)]
    fn plus(self, PlainKey([first, second]): PlainKey) -> PlainKey {
        PlainKey([self.0[0].wrapping_add(first), self.0[1].wrapping_add(second)])
    }

    #[inline(always)]
    fn minus(self, PlainKey([first, second]): PlainKey) -> PlainKey {
        PlainKey([self.0[0].wrapping_sub(first), self.0[1].wrapping_sub(second)])
    }

    #[inline(always)]
    fn of_string(numbers: &Numbers, rotation: u32) -> PlainKey {
        PlainKey([numbers.images[0].rotate_left(rotation), numbers.second.rotate_left(rotation)])
    }

    #[inline(always)]
    fn of_independent(numbers: &Numbers) -> PlainKey {
        PlainKey([numbers.images[0], numbers.second])
    }

    #[inline(always)]
    fn table_key(&self) -> TableKey {
        let [first, second] = self.0;
        join(first.min(second), first.max(second))
    }
}

/// The key of a position that is looked up under the first `IMAGES` symmetries of the board. The
/// key of the table is the same for all images of a position:
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymmetricKey<const IMAGES: usize> {
    /// The sums of the images of the strings of large components.
    images: [u64; IMAGES],
    /// A sum of the same strings that is the same for all images.
    shared: u64,
    /// Two independent sums of the parts that look the same in all images.
    invariant: [u64; 2],
}

impl<const IMAGES: usize> SymmetricKey<IMAGES> {
    /// Returns the key of a small component with this number.
    #[inline(always)]
    pub fn of_small_component(number: u64) -> SymmetricKey<IMAGES> {
        SymmetricKey { invariant: [number, split_mix(number)], ..Key::ZERO }
    }

    /// Returns the sum without the strings of large components.
    #[inline(always)]
    pub fn without_images(self) -> SymmetricKey<IMAGES> {
        SymmetricKey { invariant: self.invariant, ..Key::ZERO }
    }
}

impl<const IMAGES: usize> Key for SymmetricKey<IMAGES> {
    type Components = GraphComponents;

    const ZERO: SymmetricKey<IMAGES> = SymmetricKey { images: [0; IMAGES], shared: 0, invariant: [0; 2] };

    #[inline(always)]
    fn plus(self, key: SymmetricKey<IMAGES>) -> SymmetricKey<IMAGES> {
        SymmetricKey {
            images: std::array::from_fn(|image| self.images[image].wrapping_add(key.images[image])),
            shared: self.shared.wrapping_add(key.shared),
            invariant: std::array::from_fn(|sum| self.invariant[sum].wrapping_add(key.invariant[sum])),
        }
    }

    #[inline(always)]
    fn minus(self, key: SymmetricKey<IMAGES>) -> SymmetricKey<IMAGES> {
        SymmetricKey {
            images: std::array::from_fn(|image| self.images[image].wrapping_sub(key.images[image])),
            shared: self.shared.wrapping_sub(key.shared),
            invariant: std::array::from_fn(|sum| self.invariant[sum].wrapping_sub(key.invariant[sum])),
        }
    }

    #[inline(always)]
    fn of_string(numbers: &Numbers, rotation: u32) -> SymmetricKey<IMAGES> {
        SymmetricKey {
            images: std::array::from_fn(|image| numbers.images[image].rotate_left(rotation)),
            shared: numbers.shared.rotate_left(rotation),
            invariant: [0; 2],
        }
    }

    #[inline(always)]
    fn of_independent(numbers: &Numbers) -> SymmetricKey<IMAGES> {
        SymmetricKey { invariant: [numbers.images[0], numbers.second], ..Key::ZERO }
    }

    #[inline(always)]
    fn table_key(&self) -> TableKey {
        let least = self.images.iter().fold(u64::MAX, |least, &sum| least.min(sum));
        let greatest = self.images.iter().fold(0, |greatest, &sum| greatest.max(sum));
        let [first, second] = self.invariant;
        join(least.wrapping_add(first), greatest.wrapping_add(self.shared).wrapping_add(second))
    }
}

/// Joins the halves of a key of the table.
#[inline(always)]
fn join(low: u64, high: u64) -> TableKey {
    (high as TableKey) << 64 | low as TableKey
}
