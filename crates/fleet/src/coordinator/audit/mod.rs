//! Audits: which of the games that workers hand in are played again, by whom, and who is believed.
//!
//! What a worker hands in is a claim: the digest of an item. Its first items are all played again by
//! the coordinator. Later, one item of [`AUDITED`] is checked, chosen at random once the part is
//! there: most by another worker, to whom it is an item as any other, and one in [`OWN_SHARE`] by the
//! coordinator. Only the coordinator's own replay bans: where two claims differ, it plays the item
//! itself.
//!
//! An item has one check at most, whatever is claimed about it, and a worker has few accusations
//! open at a time, so that no message asks for more work than it took to play.

#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The number of items of which one is checked.
pub const AUDITED: usize = 64;

/// The number of items of a new worker that are all checked.
pub const PROBATION: u32 = 16;

/// Of so many checks, the coordinator makes one itself.
const OWN_SHARE: u32 = 8;

/// The most items at a time that a worker can have played again by claiming that another's result is
/// false. If one of its claims is true, the other is banned; if one is false, it is banned itself.
const MOST_ACCUSATIONS: usize = 4;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The number of its first [`PROBATION`] items whose checks are settled.
    pub passed: u32,
    /// The number of items that were played again.
    pub checked: u64,
}

/// A check that is not settled, as it is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCheck {
    /// The generation.
    pub generation: u64,
    /// The item.
    pub item: u32,
    /// `true` for one of the worker's first items.
    pub is_first: bool,
}

/// Claims for the coordinator to judge by playing their item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The number of the check.
    pub number: u64,
    /// The claims, all about one item.
    pub claims: Vec<ItemClaim>,
}

/// The place where the item of a check is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Another worker's, once a parcel goes out.
    ForOthers,
    /// Another worker's, which has the parcel.
    WithOthers,
    /// The coordinator's, when it comes to it.
    ForCoordinator,
    /// The coordinator's, now.
    WithCoordinator,
}

/// A check that is not settled.
struct Check {
    number: u64,
    /// The claim by which the item counts; `None` where the coordinator has played it.
    counted: Option<ItemClaim>,
    /// Claims that differ from it.
    accusers: Vec<ItemClaim>,
    /// `true` if the item was chosen, and not only disputed.
    is_chosen: bool,
    /// `true` for one of the worker's first items.
    is_first: bool,
    place: Place,
}

/// A worker's account here.
#[derive(Clone, Copy, Default)]
struct Standing {
    trust: Trust,
    /// The number of its first items that were chosen, settled or not.
    chosen: u32,
    /// The number of checks that are open by its accusations.
    accusations: usize,
}

/// Keeps account of claims.
pub struct Auditor {
    random: ChaCha8Rng,
    standings: BTreeMap<String, Standing>,
    /// By generation and item.
    checks: BTreeMap<(u64, u32), Check>,
    /// The number of checks so far.
    count: u64,
    /// Checks of an earlier process, with the workers' names.
    inherited: Vec<(String, OpenCheck)>,
    /// Items for others, by generation. Their checks may have moved on.
    for_others: BTreeMap<u64, VecDeque<u32>>,
    /// Items for the coordinator. Their checks may have moved on.
    for_coordinator: VecDeque<(u64, u32)>,
    /// `true` if there are checks that were not written down.
    is_unwritten: bool,
}

impl Auditor {
    /// Creates an auditor whose choices no worker can know.
    pub fn new(random: ChaCha8Rng) -> Auditor {
        Auditor {
            random,
            standings: BTreeMap::new(),
            checks: BTreeMap::new(),
            count: 0,
            inherited: Vec::new(),
            for_others: BTreeMap::new(),
            for_coordinator: VecDeque::new(),
            is_unwritten: false,
        }
    }

    /// Returns the account of a worker.
    pub fn trust(&self, worker: &str) -> Trust {
        self.standings.get(worker).map(|standing| standing.trust).unwrap_or_default()
    }

    /// Takes over the account of a worker that was written down.
    pub fn restore(&mut self, worker: &str, trust: Trust) {
        *self.standing(worker) = Standing { trust, chosen: trust.passed, accusations: 0 };
    }

    /// Takes over a check that was written down, of an item that is to be looked for.
    pub fn inherit(&mut self, worker: &str, check: OpenCheck) {
        self.standing(worker).chosen += check.is_first as u32;
        self.inherited.push((worker.into(), check));
    }

    /// Returns the checks that were taken over and whose items were not looked for.
    pub fn inherited(&self) -> &[(String, OpenCheck)] {
        &self.inherited
    }

    /// Opens a check that was taken over, by the claim of the item that was found.
    pub fn reopen(&mut self, claim: ItemClaim) {
        if let Some(check) = self.drop_inherited(&claim.worker, (claim.generation, claim.item)) {
            self.add(claim, check.is_first, Place::ForCoordinator);
        }
    }

    /// Drops a check that was taken over: its item did not come to count.
    pub fn drop_inherited(&mut self, worker: &str, key: (u64, u32)) -> Option<OpenCheck> {
        let is_it = |(name, check): &(String, OpenCheck)| name == worker && (check.generation, check.item) == key;
        let at = self.inherited.iter().position(is_it)?;
        let (_, check) = self.inherited.swap_remove(at);
        let standing = self.standing(worker);
        standing.chosen = standing.chosen.saturating_sub(check.is_first as u32);
        Some(check)
    }

    /// Settles checks that were taken over, whose items came out as they should.
    pub fn settle_inherited(&mut self, worker: &str, items: &[(u64, u32)]) {
        for &key in items {
            if let Some(check) = self.drop_inherited(worker, key) {
                let standing = self.standing(worker);
                standing.chosen += check.is_first as u32;
                standing.trust.passed += check.is_first as u32;
                standing.trust.checked += 1;
            }
        }
    }

    /// Returns the number of checks that are not settled.
    pub fn waiting(&self) -> usize {
        self.checks.len() + self.inherited.len()
    }

    /// Returns the checks of workers' items that are not settled, by the workers' names.
    pub fn open(&self) -> BTreeMap<&str, Vec<OpenCheck>> {
        let mut open: BTreeMap<&str, Vec<OpenCheck>> = BTreeMap::new();
        for (&(generation, item), check) in &self.checks {
            if let Some(claim) = &check.counted {
                let check = OpenCheck { generation, item, is_first: check.is_first };
                open.entry(&claim.worker).or_default().push(check);
            }
        }
        for (worker, check) in &self.inherited {
            open.entry(worker).or_default().push(*check);
        }
        open
    }

    /// Returns `true` if there are checks that were not written down.
    pub fn is_unwritten(&self) -> bool {
        self.is_unwritten
    }

    /// Notes that all checks are written down.
    pub fn set_written(&mut self) {
        self.is_unwritten = false;
    }

    /// Receives a part with items that are missing, and chooses those that are checked. `others` is
    /// the number of other workers that could check them.
    pub fn choose(&mut self, mut claims: Vec<ItemClaim>, others: usize) {
        let Some(worker) = claims.first().map(|claim| claim.worker.clone()) else { return };
        let first = PROBATION.saturating_sub(self.standing(&worker).chosen) as usize;
        let later = claims.split_off(first.min(claims.len()));
        for claim in claims {
            self.add(claim, true, Place::ForCoordinator);
        }
        for claims in later.chunks(AUDITED) {
            // A part of fewer items is checked more rarely.
            if self.random.random_range(0..AUDITED) >= claims.len() {
                continue;
            }
            let claim = claims[self.random.random_range(0..claims.len())].clone();
            let is_own = others == 0 || self.random.random_range(0..OWN_SHARE) == 0;
            self.add(claim, false, if is_own { Place::ForCoordinator } else { Place::ForOthers });
        }
    }

    /// Adds the check of an item. A check that it has by another claim is replaced: if that claim
    /// counted, the item would not be handed in again.
    fn add(&mut self, claim: ItemClaim, is_first: bool, place: Place) {
        let key = (claim.generation, claim.item);
        let before = self.checks.remove(&key);
        if let Some(Check { counted: Some(claim), is_first, .. }) = &before {
            let standing = self.standing(&claim.worker);
            standing.chosen = standing.chosen.saturating_sub(*is_first as u32);
        }
        let accusers = before.map_or(Vec::new(), |before| before.accusers);
        let place = if accusers.is_empty() { place } else { Place::ForCoordinator };
        match place {
            Place::ForOthers => self.for_others.entry(key.0).or_default().push_back(key.1),
            _ => self.for_coordinator.push_back(key),
        }
        self.standing(&claim.worker).chosen += is_first as u32;
        self.count += 1;
        let (number, counted) = (self.count, Some(claim));
        self.checks.insert(key, Check { number, counted, accusers, is_chosen: true, is_first, place });
        self.is_unwritten = true;
    }

    /// Receives a claim about an item that is there with another digest or the same, by the claim of
    /// a worker or by the coordinator's own hand. `None` stands for an item of a closed generation.
    pub fn receive_again(&mut self, claim: ItemClaim, known: Option<(u64, Option<ItemClaim>)>) {
        let key = (claim.generation, claim.item);
        if let Some(check) = self.checks.get_mut(&key)
            && check.place == Place::WithOthers
            && let Some(first) = &check.counted
        {
            if first.worker == claim.worker {
                // A worker does not check itself.
                check.place = Place::ForCoordinator;
                self.for_coordinator.push_back(key);
                return;
            }
            if first.digest == claim.digest {
                self.close(key);
                return;
            }
            let first = first.clone();
            self.accuse(claim, Some(first));
        } else if let Some((digest, counted)) = known
            && digest != claim.digest
        {
            self.accuse(claim, counted);
        }
    }

    /// Has the coordinator play an item about which a claim differs from the one that counts.
    fn accuse(&mut self, claim: ItemClaim, counted: Option<ItemClaim>) {
        let key = (claim.generation, claim.item);
        if self.standing(&claim.worker).accusations >= MOST_ACCUSATIONS {
            return;
        }
        self.is_unwritten |= counted.is_some();
        let check = match self.checks.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                self.count += 1;
                let (number, place) = (self.count, Place::ForOthers);
                let accusers = Vec::new();
                entry.insert(Check { number, counted, accusers, is_chosen: false, is_first: false, place })
            }
        };
        // What is played now is judged by itself.
        if check.place == Place::WithCoordinator || check.accusers.iter().any(|other| other.worker == claim.worker) {
            return;
        }
        if check.place != Place::ForCoordinator {
            check.place = Place::ForCoordinator;
            self.for_coordinator.push_back(key);
        }
        let worker = claim.worker.clone();
        check.accusers.push(claim);
        self.standing(&worker).accusations += 1;
    }

    /// Returns an item of a generation to be checked by whoever gets the next parcel.
    pub fn check_for_parcel(&mut self, generation: u64) -> Option<u32> {
        let items = self.for_others.get_mut(&generation)?;
        while let Some(item) = items.pop_front() {
            if let Some(check) = self.checks.get_mut(&(generation, item))
                && check.place == Place::ForOthers
            {
                check.place = Place::WithOthers;
                return Some(item);
            }
        }
        None
    }

    /// Returns the next claims for the coordinator to judge.
    pub fn next_case(&mut self) -> Option<Case> {
        while let Some(key) = self.for_coordinator.pop_front() {
            if let Some(check) = self.checks.get_mut(&key)
                && check.place == Place::ForCoordinator
            {
                check.place = Place::WithCoordinator;
                let claims = check.counted.iter().chain(&check.accusers).cloned().collect();
                return Some(Case { number: check.number, claims });
            }
        }
        None
    }

    /// Returns the oldest generation of which checks are not settled.
    pub fn oldest(&self) -> Option<u64> {
        self.checks.first_key_value().map(|(&(generation, _), _)| generation)
    }

    /// Leaves the checks of generations before this one, which are no longer offered, to the
    /// coordinator.
    pub fn close_before(&mut self, oldest: u64) {
        self.for_others = self.for_others.split_off(&oldest);
        for (&key, check) in self.checks.range_mut(..(oldest, 0)) {
            if matches!(check.place, Place::ForOthers | Place::WithOthers) {
                check.place = Place::ForCoordinator;
                self.for_coordinator.push_back(key);
            }
        }
    }

    /// Settles a case by the coordinator's own replay, if that came to a result, and returns the
    /// claims that are false.
    pub fn settle(&mut self, case: Case, digest: Option<u64>) -> Vec<ItemClaim> {
        let Case { number, claims } = case;
        let key = claims.first().map_or((0, 0), |claim| (claim.generation, claim.item));
        for claim in &claims {
            self.standing(&claim.worker).trust.checked += 1;
        }
        if self.checks.get(&key).is_some_and(|check| check.number == number) {
            self.close(key);
        }
        claims.into_iter().filter(|claim| digest.is_some_and(|digest| claim.digest != digest)).collect()
    }

    /// Opens a check again that could not be acted upon.
    pub fn recheck(&mut self, claim: ItemClaim) {
        self.add(claim, false, Place::ForCoordinator);
    }

    /// Forgets the claims of a worker that is banned: its items are played again, and nobody is
    /// accused by it any more.
    pub fn forget(&mut self, worker: &str) {
        let of = |claim: &ItemClaim| claim.worker == worker;
        let mut dropped = Vec::new();
        for (&key, check) in &mut self.checks {
            check.accusers.retain(|claim| !of(claim));
            let is_accused = check.is_chosen || !check.accusers.is_empty();
            if check.counted.as_ref().is_some_and(of) || !is_accused {
                dropped.push(key);
            }
        }
        dropped.into_iter().for_each(|key| drop(self.remove(key)));
        self.inherited.retain(|(name, _)| name != worker);
        self.standing(worker).accusations = 0;
    }

    /// Closes a check that was made.
    fn close(&mut self, key: (u64, u32)) {
        let Some(check) = self.remove(key) else { return };
        if let Some(claim) = check.counted {
            let trust = &mut self.standing(&claim.worker).trust;
            trust.passed += check.is_first as u32;
            trust.checked += (check.place == Place::WithOthers) as u64;
        }
    }

    fn remove(&mut self, key: (u64, u32)) -> Option<Check> {
        let check = self.checks.remove(&key)?;
        for claim in &check.accusers {
            let accusations = &mut self.standing(&claim.worker).accusations;
            *accusations = accusations.saturating_sub(1);
        }
        Some(check)
    }

    fn standing(&mut self, worker: &str) -> &mut Standing {
        self.standings.entry(worker.into()).or_default()
    }
}
