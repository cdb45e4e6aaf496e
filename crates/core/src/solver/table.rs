//! The transposition table: a lower and an upper bound of each position. Several solvers may share
//! one.
//!
//! A line fills a cache line, which is all the memory that a probe reads, and holds six entries.
//! Beside the bits that select the line, 67 bits of a key are kept: a probe takes one position for
//! another once in 2.5 * 10^19 times. So the answers are proofs
//! (docs/experiments/proofs.md#n78).
//!
//! An entry is in two parts, which are not written at once. Its lock is the check of the key,
//! combined with the rest of the entry by exclusive or. So parts that do not belong together match
//! no key, and a solver that writes while another one writes or reads may lose entries but cannot
//! make them false (after Hyatt and Mann, *A lock-less transposition table implementation for
//! parallel search chess engines*, 2002).
//!
//! A line is a queue with the newest entry in front. The entry of the back half that took the least
//! work is evicted, and an entry found in the back half changes places with one of the front half.
//! The alternatives are compared in docs/experiments/solver.md#n71.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::bounds::Bounds;
use super::graph::TableKey;
use super::memory::{prefetch, zeroed};

/// The number of entries in a line.
const WAYS: usize = 6;

/// The number of words of a line: the locks of its entries, and two words with the rest of three
/// entries each.
const WORDS: usize = WAYS + 2;

/// The size of a line, in bytes.
const LINE_BYTES: usize = WORDS * size_of::<AtomicU64>();

/// The first place of the back half of a line. An entry that is found there is moved forward, and
/// others are evicted from there.
const BACK: usize = WAYS / 2;

/// The layout of an entry without its lock, from the lowest bit up: lower bound, upper bound, work,
/// epoch and check. Bounds have the parity of the number of open boxes, so half of each bound is
/// stored, within a range that is wide enough for 31 boxes, and of the work half of its logarithm.
const BOUND_BITS: u32 = 5;
const WORK: u32 = 2 * BOUND_BITS;
const EPOCH: u32 = WORK + 4;
const CHECK: u32 = EPOCH + 4;
const REST_BITS: u32 = CHECK + 3;
const REST: u64 = (1 << REST_BITS) - 1;
/// The bits of the rests of half a line.
const HALF: u64 = (1 << (BACK as u32 * REST_BITS)) - 1;
const BOUND: u64 = (1 << BOUND_BITS) - 1;
const MAX_WORK: u64 = (1 << (EPOCH - WORK)) - 1;
const EPOCHS: u64 = 1 << (CHECK - EPOCH);
/// The number that is added to bounds to make them non-negative.
const OFFSET: i32 = 32;

pub(super) struct Table {
    /// Lines of [`WORDS`] words, from the first word at the start of a cache line. (An aligned
    /// allocation would be written with zeros at once, instead of on first use.)
    words: Vec<AtomicU64>,
    first: usize,
    lines: usize,
    /// The current epoch, from 1. Entries of other epochs count as empty, so clearing the table
    /// usually costs nothing.
    epoch: AtomicU64,
}

/// The bits of a key by which its entry is recognized in a line.
#[derive(Clone, Copy)]
struct Tag {
    check: u64,
    /// The bits of the entry from the epoch up.
    mark: u64,
}

impl Table {
    /// The number of probes for one expected mistake: each compares 67 bits with those of every
    /// entry of a line.
    pub const PROBES_PER_MISTAKE: f64 = (1u128 << (u64::BITS + REST_BITS - CHECK)) as f64 / WAYS as f64;

    /// Returns the number of entries of a table of this many bytes.
    pub const fn entries_in(bytes: usize) -> usize {
        bytes / LINE_BYTES * WAYS
    }

    /// Returns the size of a table of this many entries, in bytes.
    pub const fn bytes(entries: usize) -> usize {
        entries.div_ceil(WAYS).saturating_mul(LINE_BYTES)
    }

    pub fn new(entries: usize) -> Table {
        let lines = entries.div_ceil(WAYS).max(1);
        let words = zeroed((lines + 1) * WORDS);
        let first = words.as_ptr().align_offset(LINE_BYTES).min(WORDS);
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
        self.words.iter().for_each(|word| word.store(0, Relaxed));
        self.epoch.store(1, Relaxed);
    }

    /// Returns the bounds stored for a position with this many open boxes.
    #[inline(always)]
    pub fn probe(&self, key: TableKey, boxes: i32) -> Option<Bounds> {
        let (line, tag) = self.place(key);
        let (place, rest) = line.find(tag)?;
        if place >= BACK {
            line.move_forward(place);
        }
        let bound = |shift: u32| 2 * (rest >> shift & BOUND) as i32 + (boxes & 1) - OFFSET;
        let mut bounds = Bounds { lower: bound(0), upper: bound(BOUND_BITS) };
        if boxes >= OFFSET {
            // The outermost values stand for all beyond them.
            if bounds.lower < 2 - OFFSET {
                bounds.lower = -boxes;
            }
            if bounds.upper >= OFFSET - 2 {
                bounds.upper = boxes;
            }
        }
        Some(bounds)
    }

    /// Stores the bounds of a position, and the nodes that they took. If the line is full, another
    /// entry is evicted.
    pub fn store(&self, key: TableKey, bounds: Bounds, work: u64) {
        let (line, tag) = self.place(key);
        let work = u64::from((64 - work.leading_zeros()) / 2).min(MAX_WORK);
        // Bounds that do not fit are widened to those that do.
        let half = |bound: i32| ((bound + OFFSET) >> 1).clamp(0, BOUND as i32) as u64;
        let rest = half(bounds.lower) | half(bounds.upper) << BOUND_BITS | work << WORK | tag.mark << EPOCH;
        match line.find(tag) {
            Some((place, old)) => line.replace(place, tag, old, rest),
            None => line.insert(tag, rest),
        }
    }

    /// Prefetches the line that a probe for this position will read.
    pub fn prefetch(&self, key: TableKey) {
        prefetch(&self.line(key).0[0]);
    }

    /// Returns the line of a key, and the tag of its entry.
    #[inline(always)]
    fn place(&self, key: TableKey) -> (Line<'_>, Tag) {
        let (least, greatest) = (key as u64, (key >> 64) as u64);
        let check = greatest ^ least.rotate_left(32);
        (self.line(key), Tag { check, mark: (least & 7) << (CHECK - EPOCH) | self.epoch.load(Relaxed) })
    }

    #[inline(always)]
    fn line(&self, key: TableKey) -> Line<'_> {
        let spread = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as u128;
        let line = ((spread * self.lines as u128) >> 64) as usize;
        Line(self.words[self.first + line * WORDS..].first_chunk().expect("lines should be whole"))
    }
}

/// A line: the locks of its entries, and two words with the rest of half of its entries each.
#[derive(Clone, Copy)]
struct Line<'a>(&'a [AtomicU64; WORDS]);

impl Line<'_> {
    /// Returns the place of the entry of a key, and the entry without its lock.
    #[inline(always)]
    fn find(self, tag: Tag) -> Option<(usize, u64)> {
        // The upper bits of a lock are those of the check and the mark alone.
        let upper = tag.check >> EPOCH ^ tag.mark;
        let place = (0..WAYS).find(|&place| self.0[place].load(Relaxed) >> EPOCH == upper)?;
        let rest = self.half(place).load(Relaxed) >> shift(place) & REST;
        (rest >> EPOCH == tag.mark && self.0[place].load(Relaxed) == tag.check ^ rest).then_some((place, rest))
    }

    /// Replaces the entry at a place.
    fn replace(self, place: usize, tag: Tag, old: u64, new: u64) {
        let half = self.half(place);
        half.store(half.load(Relaxed) ^ (old ^ new) << shift(place), Relaxed);
        self.0[place].store(tag.check ^ new, Relaxed);
    }

    /// Swaps the entry at a place of the back half with that [`BACK`] places before it.
    fn move_forward(self, place: usize) {
        let (front, back) = (self.half(0), self.half(BACK));
        let (low, high) = (front.load(Relaxed), back.load(Relaxed));
        let difference = (low ^ high) & REST << shift(place);
        front.store(low ^ difference, Relaxed);
        back.store(high ^ difference, Relaxed);
        let lock = self.0[place].load(Relaxed);
        self.0[place].store(self.0[place - BACK].load(Relaxed), Relaxed);
        self.0[place - BACK].store(lock, Relaxed);
    }

    /// Inserts an entry in front, and evicts the one of the back half that took the least work, and
    /// of those the oldest. Entries of other epochs took less than none.
    fn insert(self, tag: Tag, rest: u64) {
        let (low, high) = (self.half(0).load(Relaxed), self.half(BACK).load(Relaxed));
        let mut evicted = BACK;
        let mut least = u64::MAX;
        for place in BACK..WAYS {
            let old = high >> shift(place) & REST;
            let is_current = (old >> EPOCH ^ tag.mark) & (EPOCHS - 1) == 0;
            let worth = if is_current { 1 + (old >> WORK & MAX_WORK) } else { 0 };
            if worth <= least {
                (evicted, least) = (place, worth);
            }
        }
        let before = (1 << shift(evicted)) - 1;
        let behind = high & !(before | REST << shift(evicted));
        self.half(0).store((low << REST_BITS | rest) & HALF, Relaxed);
        self.half(BACK).store(behind | (high & before) << REST_BITS | low >> shift(BACK - 1), Relaxed);
        for place in (0..evicted).rev() {
            self.0[place + 1].store(self.0[place].load(Relaxed), Relaxed);
        }
        self.0[0].store(tag.check ^ rest, Relaxed);
    }

    /// Returns the word with the rest of the entry at a place.
    fn half(&self, place: usize) -> &AtomicU64 {
        &self.0[WAYS + place / BACK]
    }
}

/// Returns the place of an entry's rest in its word, in bits.
fn shift(place: usize) -> u32 {
    REST_BITS * (place % BACK) as u32
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

    /// Bounds that are found contain those that were stored, and are the same if they are small.
    #[test]
    fn bounds_of_many_boxes_are_found_wider_or_the_same() {
        let table = Table::new(1 << 10);
        for boxes in [30, 31, 32, 33, 80, 81] {
            for lower in (-boxes..=boxes).step_by(2) {
                for upper in (lower..=boxes).step_by(2) {
                    table.store(key(7), Bounds { lower, upper }, 1);
                    let found = table.probe(key(7), boxes).unwrap();
                    assert!(found.lower <= lower && upper <= found.upper, "{boxes} {lower} {upper} {found:?}");
                    assert!(-boxes <= found.lower && found.upper <= boxes, "{boxes} {lower} {upper} {found:?}");
                    assert_eq!((lower ^ found.lower) & 1 | (upper ^ found.upper) & 1, 0);
                    if lower.abs() < 30 {
                        assert_eq!(found.lower, lower);
                    }
                    if upper.abs() < 30 {
                        assert_eq!(found.upper, upper);
                    }
                }
            }
        }
    }

    const SOME: Bounds = Bounds::new(0, 2);

    fn is_kept(table: &Table, number: u64) -> bool {
        let (line, tag) = table.place(key(number));
        line.find(tag).is_some()
    }

    /// Returns a table of one line with the keys 1 to 6, of which 6 is the newest. `work` is the
    /// work of each.
    fn full(work: impl Fn(u64) -> u64) -> Table {
        let table = Table::new(WAYS);
        (1..=WAYS as u64).for_each(|number| table.store(key(number), SOME, work(number)));
        table
    }

    #[test]
    fn the_least_work_of_the_three_oldest_is_evicted() {
        let table = full(|number| [0, 100, 1, 100][number as usize % 4]);
        // 1, 2 and 3 are the oldest, and 2 took the least work of them. 4 took less.
        table.store(key(7), SOME, 0);
        let kept = |table: &Table| (1..=8).filter(|&number| is_kept(table, number)).collect::<Vec<u64>>();
        assert_eq!(kept(&table), [1, 3, 4, 5, 6, 7]);
        table.store(key(8), SOME, 0);
        assert_eq!(kept(&table), [1, 3, 5, 6, 7, 8]);
    }

    #[test]
    fn an_entry_that_is_found_stays_longer() {
        let table = full(|_| 1);
        assert_eq!(table.probe(key(1), 2), Some(SOME));
        (7..=9).for_each(|number| table.store(key(number), SOME, 1));
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

    /// Each bit of the rest belongs to the lock: an entry whose parts were written by two solvers
    /// matches no key.
    #[test]
    fn parts_that_do_not_belong_together_match_no_key() {
        let table = Table::new(WAYS);
        table.store(key(1), SOME, 1);
        let rests = &table.words[table.first + WAYS];
        let whole = rests.load(Relaxed);
        for bit in 0..REST_BITS {
            rests.store(whole ^ 1 << bit, Relaxed);
            assert!(!is_kept(&table, 1), "bit {bit}");
        }
        rests.store(whole, Relaxed);
        assert!(is_kept(&table, 1));
    }

    /// Solvers that write to one line at once lose entries, but never get false ones.
    #[test]
    fn entries_stay_true_while_others_write() {
        let table = Table::new(WAYS);
        let bounds = |number: u64| Bounds::new(-2 * (number as i32 % 7), 2 * (number as i32 % 11));
        let found = std::thread::scope(|scope| {
            let run = |first: u64| {
                let (table, bounds) = (&table, &bounds);
                move || {
                    let mut found = 0;
                    for number in (0..100_000).map(|round| first + round % 9) {
                        table.store(key(number), bounds(number), number);
                        let other = first + number * 7 % 13;
                        if let Some(entry) = table.probe(key(other), 2) {
                            assert_eq!(entry, bounds(other));
                            found += 1;
                        }
                    }
                    found
                }
            };
            let threads = [0, 5].map(|first| scope.spawn(run(first)));
            threads.map(|thread| thread.join().unwrap()).iter().sum::<i32>()
        });
        assert!(found > 1_000, "{found}");
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
