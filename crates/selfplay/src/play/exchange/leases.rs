//! The exchange's side for other machines: leases, bans, and the figures that a coordinator shows.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::ledger::{GenerationProgress, Item};
use super::{Exchange, Pace};
use crate::data::played_item::{Origin, PlayedItem};
use crate::play::session::Session;
use doublecross_core::net::Isa;

impl Exchange {
    /// Leases up to `most` items of one generation to another machine, from now on for this time.
    /// The list is empty if there is nothing to play.
    pub fn lease(&self, now: Instant, most: usize, time: Duration) -> (u64, Vec<u32>) {
        let mut state = self.state();
        for ledger in &mut state.open {
            let items: Vec<u32> = std::iter::from_fn(|| ledger.take(now)).take(most).collect();
            if !items.is_empty() {
                let until = now + time;
                for &item in &items {
                    ledger.items[item as usize] = Item::Away { since: now, until };
                    ledger.away.insert(item);
                }
                ledger.recall = Some(ledger.recall.map_or(until, |recall| recall.min(until)));
                return (ledger.session.orders.generation, items);
            }
        }
        (0, Vec::new())
    }

    /// Gives items back that were leased and will not be played.
    pub fn give_back(&self, generation: u64, items: &[u32]) {
        let mut state = self.state();
        if let Some(ledger) = state.ledger(generation) {
            for &item in items {
                if ledger.away.remove(&item) {
                    ledger.items[item as usize] = Item::Missing;
                    ledger.returned.insert(item);
                }
            }
        }
        drop(state);
        self.offered.notify_all();
    }

    /// Drops what a worker handed in for the open generations, in their files as well, so that it is
    /// played again, and returns the number of these items.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written. Nothing is dropped then.
    pub fn reject(&self, worker: &str) -> io::Result<usize> {
        self.save()?;
        for (_, parts) in self.files() {
            parts.lock().unwrap_or_else(PoisonError::into_inner).reject(worker)?;
        }
        let mut state = self.state();
        let mut rejected = 0;
        for ledger in &mut state.open {
            for (number, item) in ledger.items.iter_mut().enumerate() {
                if matches!(item, Item::Done(PlayedItem { origin: Origin::Worker(name), .. }) if **name == *worker) {
                    *item = Item::Missing;
                    ledger.returned.insert(number as u32);
                    ledger.missing += 1;
                    ledger.ended = None;
                    rejected += 1;
                }
            }
        }
        drop(state);
        self.offered.notify_all();
        Ok(rejected)
    }

    /// Returns those of these items of a generation that are neither there nor stale.
    pub fn missing(&self, generation: u64, items: impl Iterator<Item = u32>) -> BTreeSet<u32> {
        let mut state = self.state();
        let Some(ledger) = state.ledger(generation) else { return BTreeSet::new() };
        let is_missing = |item: &u32| {
            ledger.items.get(*item as usize).is_some_and(|item| matches!(item, Item::Missing | Item::Away { .. }))
        };
        items.filter(is_missing).collect()
    }

    /// Returns the sessions of the open generations, in ascending order.
    pub fn sessions(&self) -> Vec<Arc<Session>> {
        self.state().open.iter().map(|ledger| ledger.session.clone()).collect()
    }

    /// Informs the learner that a generation that it has learned from holds a game that no player of
    /// its orders plays.
    pub fn report_fake(&self, generation: u64) {
        let mut state = self.state();
        state.first_fake = Some(state.first_fake.map_or(generation, |earlier| earlier.min(generation)));
        drop(state);
        self.finished.notify_all();
    }

    /// Returns the items of a generation that workers on other machines have handed in.
    pub fn of_workers(&self, generation: u64) -> Vec<PlayedItem> {
        let mut state = self.state();
        let Some(ledger) = state.ledger(generation) else { return Vec::new() };
        let of_worker = |item: &Item| match item {
            Item::Done(item) if item.origin != Origin::Here => Some(item.clone()),
            _ => None,
        };
        ledger.items.iter().filter_map(of_worker).collect()
    }

    /// Returns the number of items that are neither played nor given out.
    pub fn free(&self) -> usize {
        let state = self.state();
        let free = |ledger: &super::Ledger| ledger.items.len() - ledger.fresh as usize + ledger.returned.len();
        state.open.iter().map(free).find(|&free| free > 0).unwrap_or(0)
    }

    /// Returns how far each open generation is.
    pub fn progress_of_open(&self) -> Vec<(u64, GenerationProgress)> {
        let state = self.state();
        state.open.iter().map(|ledger| (ledger.session.orders.generation, ledger.progress())).collect()
    }

    /// Returns the pace of the last generation that was learned from.
    pub fn pace(&self) -> Option<Pace> {
        self.state().pace
    }

    /// Returns the instruction set of the run's games, once a generation has been opened.
    pub fn isa(&self) -> Option<Isa> {
        self.state().isa
    }
}
