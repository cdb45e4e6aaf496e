//! The transposition table: a lower and an upper bound of each position. Several solvers may share
//! one.
//!
//! An entry is one word, so a reader never gets half of a write. Eight entries fill a cache line,
//! which is all the memory that a probe reads. Beside the bits that select the line, 45 bits of a
//! key are kept: a probe takes one position for another once in 4 * 10^12 times.
//!
//! A line is a queue with the newest entry in front. Of the last three entries the one that took
//! the least work is evicted, and an entry found in the back half changes places with one of the
//! front half. The alternatives are compared in docs/experiments/0071-which-entry-to-evict.md.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::bounds::Bounds;
use super::memory::{prefetch, zeroed};
use super::zobrist::TableKey;

/// The number of entries in a cache line.
const WAYS: usize = 8;

/// The place of a line from which an entry that is found is moved forward, and the number of places
/// by which it is moved.
const BACK: usize = WAYS / 2;

/// The place of a line from which entries may be evicted.
const EVICTABLE: usize = WAYS - 3;

/// The layout of an entry, from the lowest bit up: lower bound, upper bound, work, epoch and check.
/// Bounds have the parity of the number of open boxes, so half of each bound is stored.
const BOUND_BITS: u32 = 5;
const WORK: u32 = 2 * BOUND_BITS;
const EPOCH: u32 = WORK + 5;
const CHECK: u32 = EPOCH + 4;
const BOUND: u64 = (1 << BOUND_BITS) - 1;
const MAX_WORK: u64 = (1 << (EPOCH - WORK)) - 1;
const EPOCHS: u64 = 1 << (CHECK - EPOCH);
/// The number that is added to bounds to make them non-negative.
const OFFSET: i32 = 32;

pub(super) struct Table {
    /// Lines of [`WAYS`] entries, from the first word at the start of a cache line. (An aligned
    /// allocation would be written with zeros at once, instead of on first use.)
    words: Vec<AtomicU64>,
    first: usize,
    lines: usize,
    /// The current epoch, from 1. Entries of other epochs count as empty, so clearing the table
    /// usually costs nothing.
    epoch: AtomicU64,
}

impl Table {
    pub fn new(entries: usize) -> Table {
        let lines = (entries / WAYS).max(1);
        let words = zeroed((lines + 1) * WAYS);
        let first = words.as_ptr().align_offset(WAYS * size_of::<AtomicU64>()).min(WAYS);
        Table { words, first, lines, epoch: AtomicU64::new(1) }
    }

    /// Returns the largest number of positions that the table can hold.
    pub fn entries(&self) -> usize {
        self.lines * WAYS
    }

    /// Clears the table. No other solver may use it meanwhile.
    pub fn clear(&self) {
        let epoch = self.epoch.load(Relaxed) + 1;
        if epoch < EPOCHS {
            self.epoch.store(epoch, Relaxed);
            return;
        }
        self.words.iter().for_each(|entry| entry.store(0, Relaxed));
        self.epoch.store(1, Relaxed);
    }

    /// Returns the bounds stored for a position with this many open boxes.
    pub fn probe(&self, key: TableKey, boxes: i32) -> Option<Bounds> {
        let tag = self.tag(key);
        let line = self.line(key);
        let (place, entry) =
            line.iter().map(|entry| entry.load(Relaxed)).enumerate().find(|(_, entry)| entry >> EPOCH == tag)?;
        if place >= BACK {
            // A concurrent write may lose an entry or duplicate it, but cannot make it false.
            line[place].store(line[place - BACK].load(Relaxed), Relaxed);
            line[place - BACK].store(entry, Relaxed);
        }
        let bound = |shift: u32| 2 * (entry >> shift & BOUND) as i32 + (boxes & 1) - OFFSET;
        Some(Bounds { lower: bound(0), upper: bound(BOUND_BITS) })
    }

    /// Stores the bounds of a position, and the nodes that they took. If the line is full, another
    /// entry is evicted.
    pub fn store(&self, key: TableKey, bounds: Bounds, work: u64) {
        let tag = self.tag(key);
        let work = u64::from(64 - work.leading_zeros()).min(MAX_WORK);
        let word = |bound: i32| (bound + OFFSET) as u64 >> 1;
        let value = word(bounds.lower) | word(bounds.upper) << BOUND_BITS | work << WORK | tag << EPOCH;
        let line = self.line(key);
        let mut evicted = EVICTABLE;
        let mut least = u64::MAX;
        for (place, entry) in line.iter().enumerate() {
            let old = entry.load(Relaxed);
            if old >> EPOCH == tag {
                entry.store(value, Relaxed);
                return;
            }
            let is_current = (old >> EPOCH ^ tag) & (EPOCHS - 1) == 0;
            let worth = if is_current { 1 + (old >> WORK & MAX_WORK) } else { 0 };
            // Of entries with equal work, the oldest is evicted.
            if (place >= EVICTABLE || !is_current) && worth <= least {
                (evicted, least) = (place, worth);
            }
        }
        for place in (0..evicted).rev() {
            line[place + 1].store(line[place].load(Relaxed), Relaxed);
        }
        line[0].store(value, Relaxed);
    }

    /// Prefetches the line that a probe for this position will read.
    pub fn prefetch(&self, key: TableKey) {
        prefetch(&self.line(key)[0]);
    }

    /// Returns all entries as they are, those of other epochs included, since their bounds are
    /// true.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.words[self.first..][..self.entries()].iter().map(|entry| entry.load(Relaxed))
    }

    /// Takes over the entries of a table of the same size, and returns the number of those that are
    /// not empty.
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

    /// Returns the check and the epoch in an entry of this key.
    fn tag(&self, key: TableKey) -> u64 {
        let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed >> CHECK << (CHECK - EPOCH) | self.epoch.load(Relaxed)
    }

    fn line(&self, key: TableKey) -> &[AtomicU64] {
        let spread = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as u128;
        let line = ((spread * self.lines as u128) >> 64) as usize;
        &self.words[self.first + line * WAYS..][..WAYS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> TableKey {
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) as TableKey) << 64
            | number.wrapping_mul(0xbf58_476d_1ce4_e5b9) as TableKey
    }

    #[test]
    fn stored_bounds_are_found_until_the_table_is_cleared() {
        let table = Table::new(1 << 10);
        // More epochs than the field can count.
        for epoch in 0..100 {
            let boxes = 25 - epoch % 2;
            let bounds = Bounds { lower: -boxes + epoch / 2 % 20 * 2, upper: boxes };
            assert_eq!(table.probe(key(7), boxes), None);
            table.store(key(7), bounds, 1);
            assert_eq!(table.probe(key(7), boxes), Some(bounds));
            assert_eq!(table.probe(key(8), boxes), None);
            // The same line with another check.
            assert_eq!(table.probe(key(7) ^ 1 << 100, boxes), None);
            table.clear();
        }
    }

    const SOME: Bounds = Bounds::new(0, 2);

    fn is_kept(table: &Table, number: u64) -> bool {
        table.words().any(|word| word >> EPOCH == table.tag(key(number)))
    }

    /// Returns a table of one line with the keys 1 to 8, of which 8 is the newest. `work` is the
    /// work of each.
    fn full(work: impl Fn(u64) -> u64) -> Table {
        let table = Table::new(WAYS);
        (1..=WAYS as u64).for_each(|number| table.store(key(number), SOME, work(number)));
        table
    }

    #[test]
    fn the_least_work_of_the_three_oldest_is_evicted() {
        let table = full(|number| [0, 100, 1, 100][number as usize % 4]);
        // 1, 2 and 3 are the oldest, and 2 took the least work of them. 4 and 8 took less.
        table.store(key(9), SOME, 0);
        let kept = |table: &Table| (1..=10).filter(|&number| is_kept(table, number)).collect::<Vec<u64>>();
        assert_eq!(kept(&table), [1, 3, 4, 5, 6, 7, 8, 9]);
        table.store(key(10), SOME, 0);
        assert_eq!(kept(&table), [1, 3, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn an_entry_that_is_found_stays_longer() {
        let table = full(|_| 1);
        assert_eq!(table.probe(key(1), 2), Some(SOME));
        (9..=11).for_each(|number| table.store(key(number), SOME, 1));
        assert!(is_kept(&table, 1));
        assert!(!is_kept(&table, 2) && !is_kept(&table, 3));
    }

    #[test]
    fn an_entry_that_is_stored_again_keeps_its_place() {
        let table = full(|_| 1);
        let closed = Bounds { lower: 2, upper: 2 };
        (1..=WAYS as u64).for_each(|number| table.store(key(number), closed, 1));
        assert!((1..=WAYS as u64).all(|number| table.probe(key(number), 2) == Some(closed)));
    }

    /// Both halves of a key are compared: neither alone is enough.
    #[test]
    fn keys_that_share_a_half_are_distinguished() {
        let table = Table::new(1 << 12);
        for number in 0..500u64 {
            let other = number + 1_000;
            table.store(key(number), Bounds { lower: 0, upper: 2 }, 1);
            for mixed in [
                key(number) & u64::MAX as TableKey | key(other) >> 64 << 64,
                key(number) >> 64 << 64 | key(other) & u64::MAX as TableKey,
            ] {
                assert_eq!(table.probe(mixed, 2), None);
            }
        }
    }
}
