//! Audits: which of the games that workers hand in are played again, by whom, and who is believed.
//!
//! What a worker hands in is a claim: the digest of an item. Its first items are all played again by
//! the coordinator. Later, one item of [`AUDITED`] is checked, chosen at random once the part is
//! there: most by another worker, to whom it is an item as any other, and one in [`OWN_SHARE`] by the
//! coordinator. Only the coordinator's own replay bans: where two claims
//! differ, it plays the item itself.

use std::collections::{BTreeMap, HashMap, VecDeque};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The number of items of which one is checked.
pub const AUDITED: usize = 64;

/// The number of items of a new worker that are all checked.
pub const PROBATION: u32 = 16;

/// Of so many checks, the coordinator makes one itself.
const OWN_SHARE: u32 = 8;

/// A worker's claim of what an item comes out as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemClaim {
    /// The generation.
    pub generation: u64,
    /// The item.
    pub item: u32,
    /// The worker's name.
    pub worker: String,
    /// The digest of the item.
    pub digest: u64,
}

/// The checks of one worker's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trust {
    /// The number of items that are still to be checked all.
    pub probation: u32,
    /// The number of items that were played again.
    pub checked: u64,
}

/// Keeps account of claims.
pub struct Auditor {
    random: ChaCha8Rng,
    trust: BTreeMap<String, Trust>,
    /// Claims that other workers are to check.
    for_others: VecDeque<ItemClaim>,
    /// Claims that other workers are checking.
    given_out: HashMap<(u64, u32), ItemClaim>,
    /// Items that the coordinator is to play, with all claims about each.
    for_coordinator: VecDeque<Vec<ItemClaim>>,
}

impl Auditor {
    /// Creates an auditor whose choices no worker can know.
    pub fn new(random: ChaCha8Rng) -> Auditor {
        Auditor {
            random,
            trust: BTreeMap::new(),
            for_others: VecDeque::new(),
            given_out: HashMap::new(),
            for_coordinator: VecDeque::new(),
        }
    }

    /// Returns the account of a worker.
    pub fn trust(&self, worker: &str) -> Trust {
        self.trust.get(worker).copied().unwrap_or(Trust { probation: PROBATION, checked: 0 })
    }

    /// Takes over the account of a worker that was kept.
    pub fn restore(&mut self, worker: &str, trust: Trust) {
        self.trust.insert(worker.into(), trust);
    }

    /// Returns the number of checks that are not settled.
    pub fn waiting(&self) -> usize {
        self.for_others.len() + self.given_out.len() + self.for_coordinator.len()
    }

    /// Receives a part with items that were missing, and chooses those that are checked. `others` is
    /// the number of other workers that could check them.
    pub fn hear(&mut self, mut claims: Vec<ItemClaim>, others: usize) {
        let Some(worker) = claims.first().map(|claim| claim.worker.clone()) else { return };
        let mut trust = self.trust(&worker);
        let all = claims.len().min(trust.probation as usize);
        trust.probation -= all as u32;
        self.trust.insert(worker, trust);
        let later = claims.split_off(all);
        self.for_coordinator.extend(claims.into_iter().map(|claim| vec![claim]));
        for claims in later.chunks(AUDITED) {
            // A part of fewer items is checked more rarely.
            if self.random.random_range(0..AUDITED) >= claims.len() {
                continue;
            }
            let claim = claims[self.random.random_range(0..claims.len())].clone();
            if others == 0 || self.random.random_range(0..OWN_SHARE) == 0 {
                self.for_coordinator.push_back(vec![claim]);
            } else {
                self.for_others.push_back(claim);
            }
        }
    }

    /// Receives a claim about an item that was there. Returns `true` if it is the answer to a check.
    pub fn hear_again(&mut self, claim: ItemClaim) -> bool {
        let Some(first) = self.given_out.remove(&(claim.generation, claim.item)) else { return false };
        if first.worker == claim.worker {
            // A worker does not check itself.
            self.for_coordinator.push_back(vec![first]);
        } else if first.digest == claim.digest {
            self.count(&first.worker);
        } else {
            self.for_coordinator.push_back(vec![first, claim]);
        }
        true
    }

    /// Has the coordinator play an item about which there are claims that differ.
    pub fn dispute(&mut self, claims: Vec<ItemClaim>) {
        self.for_coordinator.push_back(claims);
    }

    /// Returns an item of a generation to be checked by whoever gets the next parcel.
    pub fn check_for_parcel(&mut self, generation: u64) -> Option<u32> {
        let at = self.for_others.iter().position(|claim| claim.generation == generation)?;
        let claim = self.for_others.remove(at)?;
        let item = claim.item;
        self.given_out.insert((generation, item), claim);
        Some(item)
    }

    /// Returns an item for the coordinator to play, with all claims about it.
    pub fn check_for_coordinator(&mut self) -> Option<Vec<ItemClaim>> {
        self.for_coordinator.pop_front()
    }

    /// Returns the oldest generation of which checks are not settled.
    pub fn oldest(&self) -> Option<u64> {
        let claims = self.for_others.iter().chain(self.given_out.values()).chain(self.for_coordinator.iter().flatten());
        claims.map(|claim| claim.generation).min()
    }

    /// Leaves the checks of generations before this one, which are no longer offered, to the
    /// coordinator.
    pub fn close_before(&mut self, oldest: u64) {
        let (closed, open): (Vec<ItemClaim>, Vec<ItemClaim>) =
            self.for_others.drain(..).partition(|claim| claim.generation < oldest);
        self.for_others = open.into();
        let mut closed: Vec<ItemClaim> = closed;
        self.given_out.retain(|_, claim| {
            let is_open = claim.generation >= oldest;
            if !is_open {
                closed.push(claim.clone());
            }
            is_open
        });
        self.for_coordinator.extend(closed.into_iter().map(|claim| vec![claim]));
    }

    /// Settles claims by the coordinator's own replay, if that came to a result, and returns the
    /// workers that were wrong.
    pub fn settle(&mut self, claims: &[ItemClaim], digest: Option<u64>) -> Vec<String> {
        claims.iter().for_each(|claim| self.count(&claim.worker));
        claims
            .iter()
            .filter(|claim| digest.is_some_and(|digest| claim.digest != digest))
            .map(|claim| claim.worker.clone())
            .collect()
    }

    /// Forgets the claims of a worker, whose items are played again.
    pub fn forget(&mut self, worker: &str) {
        self.for_others.retain(|claim| claim.worker != worker);
        self.given_out.retain(|_, claim| claim.worker != worker);
        self.for_coordinator.iter_mut().for_each(|claims| claims.retain(|claim| claim.worker != worker));
        self.for_coordinator.retain(|claims| !claims.is_empty());
    }

    fn count(&mut self, worker: &str) {
        let mut trust = self.trust(worker);
        trust.checked += 1;
        self.trust.insert(worker.into(), trust);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_arena::random::{Purpose, stream};

    fn auditor(seed: u64) -> Auditor {
        Auditor::new(stream(seed, 0, 0, Purpose::Verifying))
    }

    fn claim(item: u32, worker: &str, digest: u64) -> ItemClaim {
        ItemClaim { generation: 1, item, worker: worker.into(), digest }
    }

    /// The digest that an honest worker claims for an item.
    fn truth(item: u32) -> u64 {
        item as u64 * 1000
    }

    /// Plays parts of `size` items by a worker that fakes this share of them, beside honest ones,
    /// until it is banned. Returns the number of its items.
    fn items_until_caught(share: f64, size: u32, seed: u64) -> u32 {
        let mut auditor = auditor(seed);
        let mut random = stream(seed, 1, 0, Purpose::Verifying);
        let mut banned = Vec::new();
        let mut item = 0;
        while banned.is_empty() {
            let mut claims = Vec::new();
            for _ in 0..size {
                let lie = (random.random::<f64>() < share) as u64;
                claims.push(claim(item, "liar", truth(item) + lie));
                item += 1;
            }
            auditor.hear(claims, 3);
            let honest = (item..item + size).map(|item| claim(item, "honest", truth(item))).collect();
            item += size;
            auditor.hear(honest, 3);
            // Another honest worker gets the next parcels.
            while let Some(checked) = auditor.check_for_parcel(1) {
                assert!(auditor.hear_again(claim(checked, "other", truth(checked))));
            }
            while let Some(claims) = auditor.check_for_coordinator() {
                let item = claims[0].item;
                banned.extend(auditor.settle(&claims, Some(truth(item))));
            }
            assert!(item < 10_000_000, "never caught");
        }
        assert!(banned.iter().all(|worker| worker == "liar"), "{banned:?}");
        item / 2
    }

    // The figures of docs/fleet.md, with --nocapture.
    #[allow(clippy::print_stdout)]
    #[test]
    fn liars_are_caught_and_honest_workers_never_blamed() {
        for (share, most) in [(1.0, 64), (0.1, 3_000), (0.01, 30_000)] {
            let mut items: Vec<u32> = (0..200).map(|seed| items_until_caught(share, 64, seed)).collect();
            items.sort_unstable();
            let [median, nearly_all] = [items[100], items[195]];
            println!("fakes {share}: half are caught within {median} games, 97.5 % within {nearly_all}");
            assert!(nearly_all <= most, "{share}: {nearly_all}");
        }
    }

    #[test]
    fn a_worker_does_not_check_itself() {
        let mut auditor = auditor(1);
        auditor.restore("a", Trust { probation: 0, checked: 0 });
        while auditor.for_others.is_empty() {
            auditor.for_coordinator.clear();
            auditor.hear(vec![claim(5, "a", 1)], 1);
        }
        assert_eq!((auditor.check_for_parcel(2), auditor.check_for_parcel(1)), (None, Some(5)));
        assert!(auditor.hear_again(claim(5, "a", 1)));
        assert_eq!(auditor.check_for_coordinator(), Some(vec![claim(5, "a", 1)]));
        assert_eq!(auditor.settle(&[claim(5, "a", 1)], Some(0)), ["a"]);
        assert!(!auditor.hear_again(claim(5, "b", 1)), "it was no check");
        // A coordinator that is not sure bans no worker.
        assert!(auditor.settle(&[claim(5, "a", 1), claim(5, "b", 2)], None).is_empty());
    }

    #[test]
    fn the_first_items_of_a_worker_are_all_checked_and_later_ones_by_their_number() {
        let mut auditor = auditor(3);
        let parts = |items: u32, count: u32| (0..count).map(move |part| part * items..(part + 1) * items);
        for items in parts(5, 4) {
            auditor.hear(items.map(|item| claim(item, "a", 1)).collect(), 0);
        }
        let first = auditor.waiting();
        assert!((16..=18).contains(&first), "{first}");
        for items in parts(4, 1600) {
            auditor.hear(items.map(|item| claim(item, "a", 1)).collect(), 0);
        }
        // A hundred of 6,400.
        let later = auditor.waiting() - first;
        assert!((60..150).contains(&later), "{later}");
    }

    #[test]
    fn checks_of_closed_generations_are_made_by_the_coordinator() {
        let mut auditor = auditor(2);
        auditor.restore("a", Trust { probation: 0, checked: 0 });
        while auditor.waiting() < 40 {
            let first = 64 * auditor.waiting() as u32;
            auditor.hear((first..first + 64).map(|item| claim(item, "a", 1)).collect(), 1);
        }
        for _ in 0..10 {
            auditor.check_for_parcel(1);
        }
        let waiting = auditor.waiting();
        auditor.close_before(1);
        assert!(auditor.for_coordinator.len() < 20);
        auditor.close_before(2);
        assert_eq!((auditor.for_coordinator.len(), waiting), (40, 40));
        auditor.forget("a");
        assert_eq!(auditor.waiting(), 0);
    }
}
