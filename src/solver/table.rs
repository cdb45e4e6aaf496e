//! The transposition table: a lower and an upper bound of each position. Several solvers may share one.
//!
//! An entry is two words without a lock: the first is half of the key xor the second, so that an entry torn between
//! two writers matches no key (Hyatt and Mann, *A lock-less transposition table implementation for parallel search*,
//! 2002). The second word holds 38 bits of the key's other half, so a wrong match takes 102 equal bits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::pages::use_large;
use super::plan::Key;

/// What the table knows of a position, in boxes still to come, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub lower: i32,
    pub upper: i32,
}

/// Entries that share a cache line.
const WAYS: usize = 4;

#[derive(Default)]
struct Entry {
    mixed: AtomicU64,
    facts: AtomicU64,
}

/// Where things lie in the second word, from the lowest bit up: lower and upper bound and the work of six bits each,
/// the epoch of eight, then the check.
const UPPER: u32 = 6;
const WORK: u32 = 12;
const EPOCH: u32 = 18;
const CHECK: u32 = 26;
const BOUND: u64 = 0x3f;
/// Added to bounds, so that they are not negative.
const OFFSET: i32 = 32;

pub(super) struct Table {
    buckets: Vec<[Entry; WAYS]>,
    /// 1 to 255; entries of another epoch are empty, so that forgetting everything costs nothing.
    epoch: AtomicU64,
}

impl Table {
    pub fn new(entries: usize) -> Table {
        let buckets = (entries / WAYS).max(1);
        let buckets: Vec<[Entry; WAYS]> = (0..buckets).map(|_| Default::default()).collect();
        use_large(&buckets);
        Table { buckets, epoch: AtomicU64::new(1) }
    }

    /// How many positions it holds at most.
    pub fn entries(&self) -> usize {
        self.buckets.len() * WAYS
    }

    /// Empties the table. Not to be called while another solver uses it.
    pub fn forget(&self) {
        let epoch = self.epoch.load(Relaxed) + 1;
        if epoch < 256 {
            self.epoch.store(epoch, Relaxed);
            return;
        }
        self.buckets.iter().flatten().for_each(|entry| entry.facts.store(0, Relaxed));
        self.epoch.store(1, Relaxed);
    }

    pub fn get(&self, key: Key) -> Option<Bounds> {
        let (name, wanted) = self.name(key);
        for entry in self.bucket(name) {
            let facts = entry.facts.load(Relaxed);
            if entry.mixed.load(Relaxed) ^ facts == name && facts >> EPOCH == wanted {
                let bound = |shift: u32| (facts >> shift & BOUND) as i32 - OFFSET;
                return Some(Bounds { lower: bound(0), upper: bound(UPPER) });
            }
        }
        None
    }

    /// Keeps what is known of a position, in place of what took the least work to find out.
    pub fn put(&self, key: Key, bounds: Bounds, work: u64) {
        let (name, wanted) = self.name(key);
        let work = (64 - work.leading_zeros()) as u64;
        let word = |bound: i32| (bound + OFFSET) as u64;
        let facts = word(bounds.lower) | word(bounds.upper) << UPPER | work << WORK | wanted << EPOCH;
        let epoch = wanted & 0xff;
        let bucket = self.bucket(name);
        let mut victim = &bucket[0];
        let mut least = u64::MAX;
        for entry in bucket {
            let old = entry.facts.load(Relaxed);
            if entry.mixed.load(Relaxed) ^ old == name && old >> EPOCH == wanted {
                victim = entry;
                break;
            }
            let worth = if old >> EPOCH & 0xff == epoch { 1 + (old >> WORK & 0x3f) } else { 0 };
            if worth < least {
                (victim, least) = (entry, worth);
            }
        }
        victim.facts.store(facts, Relaxed);
        victim.mixed.store(name ^ facts, Relaxed);
    }

    /// All entries, as two words each.
    pub fn words(&self) -> impl Iterator<Item = [u64; 2]> + '_ {
        self.buckets.iter().flatten().map(|entry| [entry.mixed.load(Relaxed), entry.facts.load(Relaxed)])
    }

    /// Takes entries over from a table of the same size; gives how many. What is in another bucket than its key says
    /// is damaged.
    pub fn restore(&self, words: impl IntoIterator<Item = [u64; 2]>) -> usize {
        let epoch = self.epoch.load(Relaxed);
        let mut taken = 0;
        for (index, [mixed, facts]) in words.into_iter().enumerate().take(self.entries()) {
            let bucket = &self.buckets[index / WAYS];
            let name = mixed ^ facts;
            if facts != 0 && std::ptr::eq(bucket, self.bucket(name)) {
                let facts = facts & !(0xff << EPOCH) | epoch << EPOCH;
                bucket[index % WAYS].facts.store(facts, Relaxed);
                bucket[index % WAYS].mixed.store(name ^ facts, Relaxed);
                taken += 1;
            }
        }
        taken
    }

    /// What the first word holds of a key, and the epoch and the check as they stand in the second word.
    fn name(&self, key: Key) -> (u64, u64) {
        let (high, low) = ((key >> 64) as u64, key as u64);
        let check = high >> (EPOCH + 8);
        (low, check << (CHECK - EPOCH) | self.epoch.load(Relaxed))
    }

    fn bucket(&self, name: u64) -> &[Entry; WAYS] {
        let spread = name.wrapping_mul(0x9e37_79b9_7f4a_7c15) as u128;
        &self.buckets[((spread * self.buckets.len() as u128) >> 64) as usize]
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
        for epoch in 0..600 {
            let bounds = Bounds { lower: -25 + epoch % 20, upper: 25 };
            assert_eq!(table.get(key(7)), None);
            table.put(key(7), bounds, 1);
            assert_eq!(table.get(key(7)), Some(bounds));
            assert_eq!(table.get(key(8)), None);
            // The same first word with another check.
            assert_eq!(table.get(key(7) ^ 1 << 127), None);
            table.forget();
        }
    }

    #[test]
    fn the_least_work_gives_way() {
        let table = Table::new(WAYS);
        for number in 1..=WAYS as u64 {
            table.put(key(number), Bounds { lower: 0, upper: 1 }, 1 << number);
        }
        table.put(key(99), Bounds { lower: 0, upper: 2 }, 0);
        assert_eq!(table.get(key(1)), None);
        assert!((2..=WAYS as u64).all(|number| table.get(key(number)).is_some()));
        table.put(key(100), Bounds { lower: 0, upper: 3 }, 0);
        assert_eq!((table.get(key(99)), table.get(key(100))), (None, Some(Bounds { lower: 0, upper: 3 })));
    }
}
