//! The transposition table: a lower and an upper bound of each position. Several solvers may share one.
//!
//! An entry is one word, so that it is never torn between two writers, and eight of them fill a cache line, which is
//! all that a look costs: most looks find something, and what they wait for is memory. Of a key 45 bits are kept beside
//! those that tell the line apart: a look takes one position for another once in 4 * 10^12 times.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::memory::{fetch, zeroed};
use super::sums::Key;
use super::window::Window;

/// Entries that share a cache line.
const WAYS: usize = 8;

/// Where things lie in an entry, from the lowest bit up: lower and upper bound, work and epoch, then the check. Bounds
/// have the parity of the open boxes, so half of them is enough.
const BOUND_BITS: u32 = 5;
const WORK: u32 = 2 * BOUND_BITS;
const EPOCH: u32 = WORK + 5;
const CHECK: u32 = EPOCH + 4;
const BOUND: u64 = (1 << BOUND_BITS) - 1;
const MOST_WORK: u64 = (1 << (EPOCH - WORK)) - 1;
const EPOCHS: u64 = 1 << (CHECK - EPOCH);
/// Added to bounds, so that they are not negative.
const OFFSET: i32 = 32;

pub(super) struct Table {
    /// Lines of [`WAYS`] entries, from the first word that begins a cache line: memory that is asked for in aligned pieces
    /// comes written with zeros, all of it.
    words: Vec<AtomicU64>,
    first: usize,
    lines: usize,
    /// 1 and up; entries of another epoch are empty, so that most times forgetting everything costs nothing.
    epoch: AtomicU64,
}

impl Table {
    pub fn new(entries: usize) -> Table {
        let lines = (entries / WAYS).max(1);
        let words = zeroed((lines + 1) * WAYS);
        let first = words.as_ptr().align_offset(WAYS * size_of::<AtomicU64>()).min(WAYS);
        Table { words, first, lines, epoch: AtomicU64::new(1) }
    }

    /// How many positions it holds at most.
    pub fn entries(&self) -> usize {
        self.lines * WAYS
    }

    /// Empties the table. Not to be called while another solver uses it.
    pub fn forget(&self) {
        let epoch = self.epoch.load(Relaxed) + 1;
        if epoch < EPOCHS {
            self.epoch.store(epoch, Relaxed);
            return;
        }
        self.words.iter().for_each(|entry| entry.store(0, Relaxed));
        self.epoch.store(1, Relaxed);
    }

    /// What is known of a position with this many open boxes.
    pub fn get(&self, key: Key, boxes: i32) -> Option<Window> {
        let wanted = self.name(key);
        let entry = self.line(key).iter().map(|entry| entry.load(Relaxed)).find(|entry| entry >> EPOCH == wanted)?;
        let bound = |shift: u32| 2 * (entry >> shift & BOUND) as i32 + (boxes & 1) - OFFSET;
        Some(Window { lower: bound(0), upper: bound(BOUND_BITS) })
    }

    /// Keeps what is known of a position, in place of what took the least work to find out.
    pub fn put(&self, key: Key, bounds: Window, work: u64) {
        let wanted = self.name(key);
        let work = u64::from(64 - work.leading_zeros()).min(MOST_WORK);
        let word = |bound: i32| (bound + OFFSET) as u64 >> 1;
        let facts = word(bounds.lower) | word(bounds.upper) << BOUND_BITS | work << WORK | wanted << EPOCH;
        let line = self.line(key);
        let mut victim = &line[0];
        let mut least = u64::MAX;
        for entry in line {
            let old = entry.load(Relaxed);
            if old >> EPOCH == wanted {
                victim = entry;
                break;
            }
            let is_now = (old >> EPOCH ^ wanted) & (EPOCHS - 1) == 0;
            let worth = if is_now { 1 + (old >> WORK & MOST_WORK) } else { 0 };
            if worth < least {
                (victim, least) = (entry, worth);
            }
        }
        victim.store(facts, Relaxed);
    }

    /// Has the processor fetch what a look for this position will need.
    pub fn fetch(&self, key: Key) {
        fetch(&self.line(key)[0]);
    }

    /// All entries as they stand, those of other epochs too: what they say is true.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.words[self.first..][..self.entries()].iter().map(|entry| entry.load(Relaxed))
    }

    /// Takes entries over from a table of the same size; gives how many there were that were not empty.
    pub fn restore(&self, words: impl IntoIterator<Item = u64>) -> usize {
        let epoch = self.epoch.load(Relaxed);
        let mut taken = 0;
        for (entry, word) in self.words[self.first..][..self.entries()].iter().zip(words) {
            if word != 0 {
                entry.store(word & !((EPOCHS - 1) << EPOCH) | epoch << EPOCH, Relaxed);
                taken += 1;
            }
        }
        taken
    }

    /// The check and the epoch as they stand in an entry of this key.
    fn name(&self, key: Key) -> u64 {
        let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed >> CHECK << (CHECK - EPOCH) | self.epoch.load(Relaxed)
    }

    fn line(&self, key: Key) -> &[AtomicU64] {
        let spread = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as u128;
        let line = ((spread * self.lines as u128) >> 64) as usize;
        &self.words[self.first + line * WAYS..][..WAYS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) as Key) << 64 | number.wrapping_mul(0xbf58_476d_1ce4_e5b9) as Key
    }

    #[test]
    fn what_is_put_is_found_until_it_is_forgotten() {
        let table = Table::new(1 << 10);
        // More epochs than there are numbers for them.
        for epoch in 0..100 {
            let boxes = 25 - epoch % 2;
            let bounds = Window { lower: -boxes + epoch / 2 % 20 * 2, upper: boxes };
            assert_eq!(table.get(key(7), boxes), None);
            table.put(key(7), bounds, 1);
            assert_eq!(table.get(key(7), boxes), Some(bounds));
            assert_eq!(table.get(key(8), boxes), None);
            // The same line with another check.
            assert_eq!(table.get(key(7) ^ 1 << 100, boxes), None);
            table.forget();
        }
    }

    #[test]
    fn the_least_work_gives_way() {
        let table = Table::new(WAYS);
        for number in 1..=WAYS as u64 {
            table.put(key(number), Window { lower: 0, upper: 2 }, 1 << number);
        }
        table.put(key(99), Window { lower: 0, upper: 4 }, 0);
        assert_eq!(table.get(key(1), 4), None);
        assert!((2..=WAYS as u64).all(|number| table.get(key(number), 4).is_some()));
        table.put(key(100), Window { lower: 0, upper: 6 }, 0);
        assert_eq!((table.get(key(99), 6), table.get(key(100), 6)), (None, Some(Window { lower: 0, upper: 6 })));
    }

    /// A key's two halves decide together: neither alone is enough.
    #[test]
    fn keys_that_share_a_half_are_told_apart() {
        let table = Table::new(1 << 12);
        for number in 0..500u64 {
            let other = number + 1_000;
            table.put(key(number), Window { lower: 0, upper: 2 }, 1);
            for mixed in [
                key(number) & u64::MAX as Key | key(other) >> 64 << 64,
                key(number) >> 64 << 64 | key(other) & u64::MAX as Key,
            ] {
                assert_eq!(table.get(mixed, 2), None);
            }
        }
    }
}
