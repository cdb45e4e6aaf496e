//! Chances that depend on the position and the nonce alone.

use crate::board::Position;
use crate::mix::split_mix;

/// A source of chances for one position and nonce.
#[derive(Clone, Copy)]
pub(super) struct Chance(u64);

/// Keeps the words of chances apart from those of [`Position::pick`].
const STREAM: u64 = 0x6c65_7665_6c73_0001;

impl Chance {
    pub fn new(position: &Position, nonce: u64) -> Chance {
        Chance::keyed(position.drawn().hash(), nonce)
    }

    /// Returns the source of chances for a key of its own in place of the position.
    pub fn keyed(key: u64, nonce: u64) -> Chance {
        Chance(split_mix(nonce ^ STREAM ^ split_mix(key)))
    }

    /// Returns the word with this number.
    pub fn word(self, number: u64) -> u64 {
        split_mix(self.0 ^ split_mix(number))
    }

    /// Returns `true` with a chance of so many percent, independently for each number.
    pub fn happens(self, percent: u8, number: u64) -> bool {
        self.word(number) % 100 < percent.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_come_as_often_as_they_say() {
        let count = |percent| (0..10_000).filter(|&nonce| Chance::keyed(7, nonce).happens(percent, 3)).count();
        assert_eq!((count(0), count(100)), (0, 10_000));
        assert!((2_800..3_200).contains(&count(30)), "{}", count(30));
    }
}
