//! Words in which boxes and strings are bits.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// A word of 64 or 128 bits. Boards are processed in the narrower one that holds them.
pub(crate) trait Word:
    Copy
    + Eq
    + Hash
    + Debug
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// The number of bits.
    const BITS: usize;

    /// No bit.
    const ZERO: Self;

    /// The lowest bit.
    const ONE: Self;

    /// Returns the number of bits that are set.
    fn count(self) -> u32;

    /// Returns the index of the lowest bit that is set, or [`Word::BITS`] if none is.
    fn lowest_index(self) -> usize;

    /// Returns the word without its lowest bit. It must have one.
    fn without_lowest(self) -> Self;

    /// Returns the lowest bit that is set alone.
    fn lowest(self) -> Self {
        self & !self.without_lowest()
    }
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            const BITS: usize = <$word>::BITS as usize;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn lowest_index(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline(always)]
            fn without_lowest(self) -> Self {
                self & (self - 1)
            }
        }
    };
}

word!(u64);
word!(u128);
