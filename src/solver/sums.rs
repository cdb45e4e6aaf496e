//! The sums that keys are made of.

/// A position's key: sums of a number for each chain. Two positions with the same chains between the same joints, and
/// the same independent chains and loops, are the same to the key wherever their chains run. The lower half is the
/// least sum that any symmetry gives; the upper half is a sum that is the same under all of them.
pub(super) type Key = u128;

/// A number as each of the first `IMAGES` symmetries of a board sees it, and one that is the same for all; or sums of
/// such numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums<const IMAGES: usize> {
    pub images: [u64; IMAGES],
    pub check: u64,
}

impl<const IMAGES: usize> Sums<IMAGES> {
    pub const ZERO: Sums<IMAGES> = Sums { images: [0; IMAGES], check: 0 };

    /// With a number added, of which further symmetries are passed over.
    #[inline(always)]
    pub fn plus<const ALL: usize>(self, number: &Sums<ALL>) -> Sums<IMAGES> {
        let images = std::array::from_fn(|image| self.images[image].wrapping_add(number.images[image]));
        Sums { images, check: self.check.wrapping_add(number.check) }
    }

    /// With a number subtracted.
    #[inline(always)]
    pub fn minus<const ALL: usize>(self, number: &Sums<ALL>) -> Sums<IMAGES> {
        let images = std::array::from_fn(|image| self.images[image].wrapping_sub(number.images[image]));
        Sums { images, check: self.check.wrapping_sub(number.check) }
    }

    #[inline(always)]
    pub fn key(&self) -> Key {
        let least = self.images.iter().fold(u64::MAX, |least, &image| least.min(image));
        (self.check as Key) << 64 | least as Key
    }
}
