//! Multisets of lengths of chains or loops.

use crate::board::MAX_BOXES;

/// The number of components of each length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    pub counts: [u8; MAX_BOXES + 1],
    /// Bit `n` is set if there is a component of length `n`.
    pub present: u32,
}

impl Lengths {
    pub fn add(&mut self, length: usize) {
        self.counts[length] += 1;
        self.present |= 1 << length;
    }

    pub fn remove(&mut self, length: usize) {
        self.counts[length] -= 1;
        self.present &= !(((self.counts[length] == 0) as u32) << length);
    }

    /// Returns the smallest length of at least `least`.
    pub fn shortest(&self, least: u32) -> Option<usize> {
        let long = self.present >> least << least;
        (long != 0).then(|| long.trailing_zeros() as usize)
    }

    /// Returns the lengths of at least `least` with the number of components of each, the smallest
    /// first.
    pub fn at_least(&self, least: u32) -> impl Iterator<Item = (i32, i32)> + '_ {
        let mut long = self.present >> least << least;
        std::iter::from_fn(move || {
            let length = (long != 0).then(|| long.trailing_zeros() as usize)?;
            long &= long - 1;
            Some((length as i32, self.counts[length] as i32))
        })
    }
}

/// A list of lengths in ascending order, on the stack.
pub(super) struct LengthList {
    pub items: [i32; MAX_BOXES],
    pub count: usize,
}

impl LengthList {
    pub fn new(lengths: &Lengths, least: u32) -> LengthList {
        let mut list = LengthList { items: [0; MAX_BOXES], count: 0 };
        for (length, count) in lengths.at_least(least) {
            for _ in 0..count {
                list.items[list.count] = length;
                list.count += 1;
            }
        }
        list
    }
}
