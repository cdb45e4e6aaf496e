//! The transposition table: a lower and an upper bound of each position. Several solvers may share one.
//!
//! An entry is one word, so that it is never torn between two writers, and eight of them fill a cache line, which is
//! all that a probe costs: most probes find something, and what they wait for is memory. Of a key 45 bits are kept beside
//! those that select the line: a probe takes one position for another once in 4 * 10^12 times.
//!
//! What is evicted decides how far a table goes that is smaller than the search. A line is a queue, the newest entry in front;
//! of the last three the one that took the least work is evicted, and an entry found in the back half changes places with one
//! of the front half. The alternatives are compared in `docs/experiments/0071-which-entry-to-evict.md`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::bounds::Bounds;
use super::memory::{fetch, zeroed};
use super::zobrist::TableKey;

/// Entries that share a cache line.
const WAYS: usize = 8;

/// From this place of a line on, what is found is moved forward, by as many places.
const BACK: usize = WAYS / 2;

/// From this place of a line on, entries may be evicted.
const EVICTABLE: usize = WAYS - 3;

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
    pub fn clear(&self) {
        let epoch = self.epoch.load(Relaxed) + 1;
        if epoch < EPOCHS {
            self.epoch.store(epoch, Relaxed);
            return;
        }
        self.words.iter().for_each(|entry| entry.store(0, Relaxed));
        self.epoch.store(1, Relaxed);
    }

    /// What is known of a position with this many open boxes.
    pub fn probe(&self, key: TableKey, boxes: i32) -> Option<Bounds> {
        let wanted = self.name(key);
        let line = self.line(key);
        let (place, entry) =
            line.iter().map(|entry| entry.load(Relaxed)).enumerate().find(|(_, entry)| entry >> EPOCH == wanted)?;
        if place >= BACK {
            // Another thread that writes here meanwhile may lose an entry or have it twice, and what it says is true.
            line[place].store(line[place - BACK].load(Relaxed), Relaxed);
            line[place - BACK].store(entry, Relaxed);
        }
        let bound = |shift: u32| 2 * (entry >> shift & BOUND) as i32 + (boxes & 1) - OFFSET;
        Some(Bounds { lower: bound(0), upper: bound(BOUND_BITS) })
    }

    /// Keeps what is known of a position, and what it took to find out. In a full line another one gives way.
    pub fn store(&self, key: TableKey, bounds: Bounds, work: u64) {
        let wanted = self.name(key);
        let work = u64::from(64 - work.leading_zeros()).min(MOST_WORK);
        let word = |bound: i32| (bound + OFFSET) as u64 >> 1;
        let value = word(bounds.lower) | word(bounds.upper) << BOUND_BITS | work << WORK | wanted << EPOCH;
        let line = self.line(key);
        let mut evicted = EVICTABLE;
        let mut least = u64::MAX;
        for (place, entry) in line.iter().enumerate() {
            let old = entry.load(Relaxed);
            if old >> EPOCH == wanted {
                entry.store(value, Relaxed);
                return;
            }
            let is_now = (old >> EPOCH ^ wanted) & (EPOCHS - 1) == 0;
            let worth = if is_now { 1 + (old >> WORK & MOST_WORK) } else { 0 };
            // Of those alike the oldest.
            if (place >= EVICTABLE || !is_now) && worth <= least {
                (evicted, least) = (place, worth);
            }
        }
        for place in (0..evicted).rev() {
            line[place + 1].store(line[place].load(Relaxed), Relaxed);
        }
        line[0].store(value, Relaxed);
    }

    /// Has the processor fetch what a look for this position will need.
    pub fn fetch(&self, key: TableKey) {
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
    fn name(&self, key: TableKey) -> u64 {
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
    fn what_is_put_is_found_until_it_is_forgotten() {
        let table = Table::new(1 << 10);
        // More epochs than there are numbers for them.
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
        table.words().any(|word| word >> EPOCH == table.name(key(number)))
    }

    /// A table of one line with the keys 1 to 8 in it, 8 being the newest; `work` gives what each took.
    fn full(work: impl Fn(u64) -> u64) -> Table {
        let table = Table::new(WAYS);
        (1..=WAYS as u64).for_each(|number| table.store(key(number), SOME, work(number)));
        table
    }

    #[test]
    fn of_the_three_oldest_the_least_work_gives_way() {
        let table = full(|number| [0, 100, 1, 100][number as usize % 4]);
        // 1, 2 and 3 are the oldest, and 2 took the least of them; 4 and 8 took less.
        table.store(key(9), SOME, 0);
        let kept = |table: &Table| (1..=10).filter(|&number| is_kept(table, number)).collect::<Vec<u64>>();
        assert_eq!(kept(&table), [1, 3, 4, 5, 6, 7, 8, 9]);
        table.store(key(10), SOME, 0);
        assert_eq!(kept(&table), [1, 3, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn what_is_found_stays_longer() {
        let table = full(|_| 1);
        assert_eq!(table.probe(key(1), 2), Some(SOME));
        (9..=11).for_each(|number| table.store(key(number), SOME, 1));
        assert!(is_kept(&table, 1));
        assert!(!is_kept(&table, 2) && !is_kept(&table, 3));
    }

    #[test]
    fn what_is_put_again_takes_no_other_place() {
        let table = full(|_| 1);
        let closed = Bounds { lower: 2, upper: 2 };
        (1..=WAYS as u64).for_each(|number| table.store(key(number), closed, 1));
        assert!((1..=WAYS as u64).all(|number| table.probe(key(number), 2) == Some(closed)));
    }

    /// A key's two halves decide together: neither alone is enough.
    #[test]
    fn keys_that_share_a_half_are_told_apart() {
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
