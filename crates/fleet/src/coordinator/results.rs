//! The results that workers hand in, and their judgment.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::CoordinatorEvent;
use super::audit::{Case, ItemClaim};
use super::logic::CoordinatorLogic;
use super::output::{Job, Output, Search};
use doublecross_selfplay::{Origin, Part, PlayedItem, Receipt};

/// The most cases that are played at a time, so that what is known by then may spare the rest.
const MOST_CASES: usize = 2;

/// A result as it comes from the server.
pub(crate) struct Delivery {
    /// Names the message to the server.
    pub token: u64,
    /// The name of the worker, by the message's subject.
    pub worker: String,
    /// The part.
    pub payload: Vec<u8>,
}

/// A part of a worker, with its claims.
struct ClaimedPart {
    worker: Arc<str>,
    generation: u64,
    bytes: usize,
    items: Vec<(PlayedItem, ItemClaim)>,
}

impl CoordinatorLogic {
    /// Takes what workers have handed in: notes what will be checked, saves the items, and then
    /// acknowledges. A kill between any two of these loses nothing.
    pub fn take_results(&mut self, deliveries: Vec<Delivery>, now: std::time::Instant) {
        self.note_sessions();
        let mut parts = Vec::new();
        for Delivery { worker, payload, .. } in &deliveries {
            match self.read_part(worker, payload) {
                Ok(part) => parts.extend(part),
                Err(_fault) => self.count_fault(worker),
            }
        }
        self.choose_checks(&parts, now);
        // Before the items count: the learner may learn from them at once.
        if self.auditor.is_unwritten() && !self.save() {
            return;
        }
        parts.into_iter().for_each(|part| self.hand_in(part));
        let are_noted = !self.auditor.is_unwritten() || self.save();
        if !are_noted || self.exchange.save().is_err() {
            // The learner fails at its own save and reports why. The server keeps the messages.
            return;
        }
        for delivery in deliveries {
            self.put_out(Output::Ack(delivery.token));
        }
    }

    /// Reads a part; `None` if nothing of it is wanted.
    fn read_part(&self, worker: &str, payload: &[u8]) -> Result<Option<ClaimedPart>, &'static str> {
        let generation = Part::generation_of(payload)?;
        // Of a generation that is long over, or of another run.
        let Some(session) = self.sessions.get(&generation) else { return Ok(None) };
        if self.roster.is_banned(worker) {
            return Ok(None);
        }
        let part = Part::from_bytes(payload, session.orders.board, session.orders.items())?;
        if part.orders != session.sealed.id {
            return Ok(None);
        }
        let numbers: BTreeSet<u32> = part.items.iter().map(|item| item.number).collect();
        if numbers.len() < part.items.len() {
            return Err("it holds an item twice");
        }
        let worker: Arc<str> = worker.into();
        let claimed = |played: PlayedItem| {
            let (item, digest) = (played.number, played.keyed_digest(&self.key));
            let claim = ItemClaim { generation, item, worker: worker.to_string(), digest };
            (PlayedItem { origin: Origin::Worker(worker.clone()), ..played }, claim)
        };
        let items = part.items.into_iter().map(claimed).collect();
        Ok(Some(ClaimedPart { worker: worker.clone(), generation, bytes: payload.len(), items }))
    }

    /// Chooses the items that are checked, of those that will count.
    fn choose_checks(&mut self, parts: &[ClaimedPart], now: std::time::Instant) {
        let mut taken: BTreeSet<(u64, u32)> = BTreeSet::new();
        for ClaimedPart { worker, generation, items, .. } in parts {
            let missing = self.exchange.missing(*generation, items.iter().map(|(played, _)| played.number));
            let counts = |item: u32| missing.contains(&item) && taken.insert((*generation, item));
            let mut counts = counts;
            let claims: Vec<ItemClaim> =
                items.iter().filter(|(played, _)| counts(played.number)).map(|(_, claim)| claim.clone()).collect();
            let others = self.roster.playing(now).filter(|(other, _)| other.as_str() != &**worker).count();
            // A worker has an account as soon as it has an item.
            self.roster.worker(worker);
            self.auditor.choose(claims, others);
        }
    }

    fn hand_in(&mut self, part: ClaimedPart) {
        let ClaimedPart { worker, generation, bytes, items } = part;
        let seconds: f64 = items.iter().map(|(played, _)| played.costs.total.as_secs_f64()).sum();
        self.offers.mean.add(items.len() as f64, seconds, bytes as f64);
        let (mut taken, mut known) = (0, 0);
        for (played, claim) in items {
            self.offers.forget(generation, claim.item);
            match self.exchange.hand_in(generation, played) {
                Receipt::Taken => taken += 1,
                Receipt::Known(played) => {
                    known += 1;
                    let digest = played.keyed_digest(&self.key);
                    let counted = match played.origin {
                        Origin::Worker(name) => Some(ItemClaim { worker: name.to_string(), digest, ..claim.clone() }),
                        Origin::Here => None,
                    };
                    self.auditor.receive_again(claim, Some((digest, counted)));
                }
                Receipt::Stale => {
                    known += 1;
                    self.auditor.receive_again(claim, None);
                }
            }
        }
        self.roster.count_items(&worker, taken, known);
    }

    /// Plays the next items again that are to be checked here.
    pub(super) fn judge_next(&mut self) {
        while self.judging < MOST_CASES
            && let Some(case) = self.auditor.next_case()
        {
            let Some(session) = self.sessions.get(&case.claims[0].generation).cloned() else {
                // Sessions are kept while there are checks of their items.
                self.auditor.settle(case, None);
                continue;
            };
            self.replays += 1;
            self.judging += 1;
            self.put_out(Output::Job(Job::Judge(case, session)));
        }
    }

    /// Receives the digest of a case's item as the coordinator plays it; `None` if its machine does
    /// not agree with itself.
    pub fn judged(&mut self, case: Case, digest: Option<u64>) {
        self.judging = self.judging.saturating_sub(1);
        for liar in self.auditor.settle(case, digest) {
            let ItemClaim { generation, item, worker, .. } = liar.clone();
            let reason =
                format!("item {item} of generation {generation} came out otherwise when the coordinator played it");
            if !self.ban(worker, reason) {
                self.auditor.recheck(liar);
            }
        }
    }

    /// Bans a worker: what it played is played again. Returns `false` if that cannot be
    /// written.
    fn ban(&mut self, worker: String, reason: String) -> bool {
        if self.roster.is_banned(&worker) {
            return true;
        }
        if self.exchange.reject(&worker).is_err() {
            return false;
        }
        self.put_out(Output::Report(CoordinatorEvent::Banned { worker: worker.clone(), reason: reason.clone() }));
        self.roster.worker(&worker).account.ban = Some(reason);
        self.auditor.forget(&worker);
        self.save();
        // What it played of generations that were learned from is played again as well.
        self.search_past(worker);
        true
    }

    /// Receives the oldest generation with a false result that a search has found.
    pub fn searched(&mut self, search: Search, found: Option<u64>) {
        if let Some(at) = self.searching.iter().position(|other| *other == search) {
            self.searching.swap_remove(at);
        }
        if let Some(items) = &search.only {
            self.auditor.settle_inherited(&search.worker, items);
        }
        let Some(generation) = found else { return };
        self.exchange.report_fake(generation);
        let reason = format!("an item of generation {generation} comes out otherwise when the coordinator plays it");
        self.ban(search.worker, reason);
    }
}
