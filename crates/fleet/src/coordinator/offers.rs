//! The parcels that are out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The time after which what a worker has is given to others as well.
pub(super) const LEASE: Duration = Duration::from_secs(120);

/// The time that a parcel should take one thread.
const PARCEL_SECONDS: f64 = 4.0;

/// The bytes that what comes out of a parcel should have at most.
const PARCEL_BYTES: f64 = 400e3;

/// The number of items of a parcel while it is not known how long they take.
const FIRST_ITEMS: usize = 2;

/// The most seconds that an item is taken to need.
const MOST_SECONDS: f64 = 600.0;

/// The number of items after which it is known.
const KNOWN_ITEMS: f64 = 8.0;

/// A parcel that was offered and not handed in.
struct Offer {
    items: BTreeSet<u32>,
    since: Instant,
}

/// The parcels that are out, and how long their items take.
#[derive(Default)]
pub(super) struct Offers {
    /// By generation and number.
    out: BTreeMap<u64, BTreeMap<u64, Offer>>,
    /// The parcel that an item is in.
    numbers: BTreeMap<(u64, u32), u64>,
    count: u64,
    /// The mean seconds and bytes of an item.
    pub mean: Mean,
}

/// The mean time and size of an item.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub seconds: f64,
    pub bytes: f64,
    count: f64,
}

impl Offers {
    /// Returns the number of parcels that are out.
    pub fn len(&self) -> usize {
        self.out.values().map(BTreeMap::len).sum()
    }

    /// Returns the number of items that the next parcel should have. The last `free` items are
    /// shared between `threads`.
    pub fn next_size(&self, free: usize, threads: usize) -> usize {
        let Mean { seconds, bytes, count } = self.mean;
        let most = if count < KNOWN_ITEMS {
            FIRST_ITEMS
        } else {
            (PARCEL_SECONDS / seconds.max(1e-6)).min(PARCEL_BYTES / bytes.max(1.0)).clamp(1.0, 1024.0) as usize
        };
        most.min(free.div_ceil(2 * threads.max(1)).max(1))
    }

    /// Adds a parcel.
    pub fn add(&mut self, now: Instant, generation: u64, items: Vec<u32>) {
        self.count += 1;
        for &item in &items {
            self.numbers.insert((generation, item), self.count);
        }
        let offer = Offer { items: items.into_iter().collect(), since: now };
        self.out.entry(generation).or_default().insert(self.count, offer);
    }

    /// Removes an item that was handed in, and its parcel once nothing is left of it.
    pub fn forget(&mut self, generation: u64, item: u32) {
        let Some(number) = self.numbers.remove(&(generation, item)) else { return };
        if let Some(offers) = self.out.get_mut(&generation)
            && let Some(offer) = offers.get_mut(&number)
        {
            offer.items.remove(&item);
            if offer.items.is_empty() {
                offers.remove(&number);
            }
        }
    }

    /// Removes the parcels whose items the exchange has taken back by now.
    pub fn forget_late(&mut self, now: Instant) {
        for offers in self.out.values_mut() {
            offers.retain(|_, offer| now - offer.since < LEASE);
        }
    }

    /// Removes the parcels of generations before this one, and returns those generations.
    pub fn close_before(&mut self, oldest: u64) -> Vec<u64> {
        let closed: Vec<u64> = self.out.keys().copied().filter(|&generation| generation < oldest).collect();
        self.out.retain(|&generation, _| generation >= oldest);
        self.numbers.retain(|&(generation, _), _| generation >= oldest);
        closed
    }

    /// Removes all parcels, and returns their items by generation.
    pub fn take_all(&mut self) -> Vec<(u64, Vec<u32>)> {
        self.numbers.clear();
        let items = |offers: BTreeMap<u64, Offer>| offers.into_values().flat_map(|offer| offer.items).collect();
        std::mem::take(&mut self.out).into_iter().map(|(generation, offers)| (generation, items(offers))).collect()
    }
}

impl Mean {
    /// Counts items that took so many seconds and bytes together.
    pub fn add(&mut self, count: f64, seconds: f64, bytes: f64) {
        // The time that a worker claims is not checked.
        let seconds = seconds.min(count * MOST_SECONDS);
        if count == 0.0 {
            return;
        }
        // The last thousand items count.
        let weight = count / (self.count + count).min(1000.0).max(count);
        self.seconds += weight * (seconds / count - self.seconds);
        self.bytes += weight * (bytes / count - self.bytes);
        self.count += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parcels_are_out_until_all_is_handed_in() {
        let (mut offers, now) = (Offers::default(), Instant::now());
        offers.add(now, 3, vec![1, 2]);
        offers.add(now, 3, vec![4]);
        offers.add(now, 4, vec![1]);
        offers.forget(3, 1);
        offers.forget(3, 9);
        assert_eq!(offers.len(), 3);
        offers.forget(3, 2);
        assert_eq!(offers.len(), 2);
        assert_eq!(offers.close_before(4), [3]);
        assert_eq!(offers.take_all(), [(4, vec![1])]);
        assert_eq!((offers.len(), offers.close_before(9).len()), (0, 0));
        offers.add(now, 5, vec![1]);
        offers.forget_late(now);
        assert_eq!(offers.len(), 1);
        offers.forget_late(now + LEASE);
        assert_eq!(offers.len(), 0);
    }

    #[test]
    fn parcels_take_some_seconds_and_the_last_are_small() {
        let mut offers = Offers::default();
        assert_eq!(offers.next_size(1000, 4), FIRST_ITEMS);
        offers.mean.add(100.0, 5.0, 200e3);
        assert_eq!((offers.next_size(10_000, 4), offers.next_size(40, 4), offers.next_size(0, 4)), (80, 5, 1));
        offers.mean.add(1e6, 1.0, 200e6);
        assert!(offers.next_size(usize::MAX / 2, 4) <= 1024);
        assert!((offers.mean.bytes - 200.0).abs() < 100.0, "{:?}", offers.mean);
    }
}
