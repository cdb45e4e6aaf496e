//! Multisets of lengths of chains or loops.

use crate::board::MAX_BOXES;

use super::places::JOINT_PLACES;

/// The longest length that is counted in a place of its own: that of the longest chains and loops
/// of 5x5.
const COUNTED: usize = JOINT_PLACES;

/// The largest number of longer components that a board has boxes for.
const MAX_LONGER: usize = MAX_BOXES / (COUNTED + 1);

/// The largest number of components of at least three boxes that a board has boxes for.
pub(crate) const MAX_LONG: usize = MAX_BOXES / 3;

/// The number of components of each length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub counts: [u8; COUNTED + 1],
    /// Bit `n` is set if there is a component of length `n` in `counts`.
    pub present: u32,
    /// The lengths of components that are longer than those, from the shortest up, then zeros.
    longer: [u8; MAX_LONGER],
}

impl Lengths {
    pub fn add(&mut self, length: usize) {
        match self.counts.get_mut(length) {
            Some(count) => {
                *count += 1;
                self.present |= 1 << length;
            }
            None => self.add_longer(length),
        }
    }

    pub fn remove(&mut self, length: usize) {
        match self.counts.get_mut(length) {
            Some(count) => {
                *count -= 1;
                self.present &= !(((*count == 0) as u32) << length);
            }
            None => self.remove_longer(length as u8),
        }
    }

    #[cold]
    fn add_longer(&mut self, length: usize) {
        let fits = length <= MAX_BOXES && self.longer[MAX_LONGER - 1] == 0;
        assert!(fits, "no board has boxes for all these components");
        let length = length as u8;
        let at = self.longer.iter().position(|&other| other == 0 || other > length);
        let at = at.unwrap_or(MAX_LONGER - 1);
        self.longer[at..].rotate_right(1);
        self.longer[at] = length;
    }

    #[cold]
    fn remove_longer(&mut self, length: u8) {
        if let Some(at) = self.longer.iter().position(|&other| other == length) {
            self.longer[at..].rotate_left(1);
            self.longer[MAX_LONGER - 1] = 0;
        }
    }

    /// Returns the smallest length of at least `least`, which is at most 25.
    pub fn shortest(&self, least: u32) -> Option<usize> {
        let long = self.present >> least << least;
        let longest = || (self.longer[0] != 0).then_some(self.longer[0] as usize);
        if long != 0 { Some(long.trailing_zeros() as usize) } else { longest() }
    }

    /// Returns the lengths of at least `least`, which is at most 25, with the number of components
    /// of each, the smallest first. `for_each` is faster than a loop, which asks at each step which
    /// of two lists it is in.
    pub fn at_least(&self, least: u32) -> impl Iterator<Item = (i32, i32)> + '_ {
        let mut long = self.present >> least << least;
        let counted = std::iter::from_fn(move || {
            let length = (long != 0).then(|| long.trailing_zeros() as usize)?;
            long &= long - 1;
            Some((length as i32, self.counts[length] as i32))
        });
        counted.chain(self.longer.iter().take_while(|&&length| length != 0).map(|&length| (length as i32, 1)))
    }
}

/// A list of lengths in ascending order, on the stack.
pub(crate) struct LengthList {
    pub items: [i32; MAX_LONG],
    pub count: usize,
}

impl LengthList {
    /// Returns the lengths of at least `least`, which is at least 3.
    pub fn new(lengths: &Lengths, least: u32) -> LengthList {
        let mut list = LengthList { items: [0; MAX_LONG], count: 0 };
        lengths.at_least(least).for_each(|(length, count)| {
            for _ in 0..count {
                list.items[list.count] = length;
                list.count += 1;
            }
        });
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_components_are_listed_after_the_others() {
        let mut lengths = Lengths::default();
        for length in [26, 3, 29, 25, 3, 26] {
            lengths.add(length);
        }
        let listed = |lengths: &Lengths| lengths.at_least(3).collect::<Vec<_>>();
        assert_eq!(listed(&lengths), [(3, 2), (25, 1), (26, 1), (26, 1), (29, 1)]);
        lengths.remove(26);
        lengths.remove(3);
        assert_eq!(listed(&lengths), [(3, 1), (25, 1), (26, 1), (29, 1)]);
        (3..=25).filter(|length| [3, 25].contains(length)).for_each(|length| lengths.remove(length));
        assert_eq!((lengths.shortest(4), lengths.shortest(3)), (Some(26), Some(26)));
        lengths.remove(26);
        lengths.remove(29);
        assert_eq!(lengths, Lengths::default());
        assert_eq!(lengths.shortest(3), None);
    }
}
