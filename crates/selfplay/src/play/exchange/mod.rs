//! The exchange between the learner, which wants the items of a generation, and the players, which
//! take them one by one and hand them in.
//!
//! Players on this machine are threads that wait here. Those on other machines take items by a
//! lease that ends: what was not handed in by then is given to others. Whoever is first counts, and
//! what comes twice is dropped, since an item's samples depend on its orders alone.

mod leases;
mod ledger;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::data::part_file::PartFile;
use crate::data::played_item::PlayedItem;
use crate::play::item_player::ItemPlayer;
use crate::play::session::Session;
use doublecross_core::net::Isa;
pub use ledger::{GenerationProgress, Receipt};
use ledger::{Item, LONG_PATIENCE, Ledger, PATIENCE};

/// A generation's items, all of them played.
pub struct Collected {
    /// The items in their order.
    pub items: Vec<PlayedItem>,
    /// The time from the first item given out to the last handed in; `None` where some were there
    /// before.
    pub playing: Option<Duration>,
    /// The file in which the items were saved.
    pub parts: Option<PathBuf>,
}

#[derive(Default)]
struct State {
    /// The open generations in ascending order.
    open: Vec<Ledger>,
    /// No further generation will be opened.
    is_closed: bool,
    /// A player panicked.
    has_failed: bool,
    first_fake: Option<u64>,
    /// The error that ended [`Exchange::save_every`].
    save_failure: Option<io::Error>,
    isa: Option<Isa>,
    /// When the last generation was collected, and the seconds that its items took and that the
    /// learner waited for them.
    collected: Option<(Instant, f64, f64)>,
    pace: Option<Pace>,
}

/// The pace of a generation: what its games took, and what learning from them did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The seconds that the games took, of one thread.
    pub playing: f64,
    /// The seconds that the learner waited for games.
    pub waited: f64,
    /// The seconds until the learner wanted the next ones.
    pub learning: f64,
}

impl Pace {
    /// Returns the number of threads whose games the learner can learn from in the time that they
    /// are played in. More of them would wait for it.
    pub fn cores(self) -> f64 {
        self.playing / self.learning.max(1e-6)
    }

    /// Returns the share of its time in which the learner waits for games.
    pub fn waiting_share(self) -> f64 {
        self.waited / (self.waited + self.learning).max(1e-9)
    }
}

/// The exchange.
#[derive(Default)]
pub struct Exchange {
    state: Mutex<State>,
    /// Notified when there may be something to play.
    offered: Condvar,
    /// Notified when a generation is whole, and when a player fails.
    finished: Condvar,
    /// Set when nothing is wanted any more of what is being played.
    stop: Arc<AtomicBool>,
}

impl Exchange {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code that holds the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a generation, whose items are saved in `parts`, and of which some are there already.
    pub fn open(&self, session: Arc<Session>, parts: Option<PartFile>, saved: Vec<PlayedItem>) {
        let mut ledger = Ledger::new(session, parts);
        ledger.is_resumed = !saved.is_empty();
        for item in saved {
            ledger.hand_in(item);
        }
        ledger.unsaved.clear();
        let mut state = self.state();
        state.isa = Some(ledger.session.orders.isa);
        state.open.push(ledger);
        drop(state);
        self.offered.notify_all();
        self.finished.notify_all();
    }

    /// Ends the players once they have played what is open, or soon if `in_vain`, within the items that
    /// they are playing.
    pub fn close(&self, in_vain: bool) {
        let mut state = self.state();
        state.is_closed = true;
        if in_vain {
            state.open.clear();
            self.stop.store(true, Relaxed);
        }
        drop(state);
        self.offered.notify_all();
    }

    /// Plays on the calling thread until the exchange is closed.
    pub fn play(&self) {
        let mut failure = Failure { exchange: self, is_armed: true };
        let mut player: Option<ItemPlayer> = None;
        while let Some((session, item)) = self.take() {
            let player = ItemPlayer::renewed(&mut player, &session, &self.stop);
            if let Some(played) = player.play_unless_stopped(item) {
                self.hand_in(session.orders.generation, played);
            }
        }
        failure.is_armed = false;
    }

    /// Takes an item that a player on this machine should play now, if there is one.
    pub fn take_now(&self, now: Instant) -> Option<(Arc<Session>, u32)> {
        self.state().take(now)
    }

    /// Waits for an item that this thread should play. Returns `None` when the exchange is closed.
    fn take(&self) -> Option<(Arc<Session>, u32)> {
        let mut state = self.state();
        loop {
            let taken = state.take(Instant::now());
            if taken.is_some() {
                return taken;
            }
            let is_away = state.open.iter().any(|ledger| !ledger.away.is_empty());
            if state.is_closed && !is_away {
                return None;
            }
            state = match is_away {
                true => {
                    let wait = self.offered.wait_timeout(state, Duration::from_millis(100));
                    wait.unwrap_or_else(PoisonError::into_inner).0
                }
                false => self.offered.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Hands in an item.
    pub fn hand_in(&self, generation: u64, item: PlayedItem) -> Receipt {
        let mut state = self.state();
        let Some(ledger) = state.ledger(generation).filter(|ledger| (item.number as usize) < ledger.items.len()) else {
            return Receipt::Stale;
        };
        let receipt = ledger.hand_in(item);
        let is_whole = ledger.missing == 0;
        drop(state);
        if is_whole {
            self.finished.notify_all();
        }
        receipt
    }

    /// Saves what was handed in for the open generations since the last call.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written. The next call tries again.
    pub fn save(&self) -> io::Result<()> {
        for (generation, parts) in self.files() {
            let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
            let items = self.unsaved(generation);
            let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
            parts.save_items(generation, items).inspect_err(|_| {
                if let Some(ledger) = self.state().ledger(generation) {
                    ledger.unsaved.extend(numbers);
                }
            })?;
        }
        Ok(())
    }

    /// Saves as [`Exchange::save`] does, again and again after this time, until the exchange is closed.
    ///
    /// An error ends it, which [`Exchange::take_save_failure`] returns.
    pub fn save_every(&self, time: Duration) {
        loop {
            let wait = self.offered.wait_timeout_while(self.state(), time, |state| !state.is_closed);
            if wait.unwrap_or_else(PoisonError::into_inner).0.is_closed {
                return;
            }
            if let Err(error) = self.save() {
                self.state().save_failure = Some(error);
                return;
            }
        }
    }

    /// Returns the error that has ended [`Exchange::save_every`], once.
    pub fn take_save_failure(&self) -> Option<io::Error> {
        self.state().save_failure.take()
    }

    /// Returns the files of the open generations.
    fn files(&self) -> Vec<(u64, Arc<Mutex<PartFile>>)> {
        let state = self.state();
        let file = |ledger: &Ledger| Some((ledger.session.orders.generation, ledger.parts.clone()?));
        state.open.iter().filter_map(file).collect()
    }

    /// Returns the items of a generation that were handed in since the last call.
    fn unsaved(&self, generation: u64) -> Vec<PlayedItem> {
        let mut state = self.state();
        let Some(ledger) = state.ledger(generation) else { return Vec::new() };
        let numbers = std::mem::take(&mut ledger.unsaved);
        let item = |number: u32| match &ledger.items[number as usize] {
            Item::Done(item) => Some(item.clone()),
            Item::Missing | Item::Away { .. } => None,
        };
        numbers.into_iter().filter_map(item).collect()
    }

    /// Returns the first generation with games that turned out to be fakes, if there is one.
    pub fn first_fake(&self) -> Option<u64> {
        self.state().first_fake
    }

    /// Waits until a generation is whole, or for this time, and says how far it is. Returns `None`
    /// if a player has panicked.
    pub fn wait(&self, generation: u64, time: Duration) -> Option<GenerationProgress> {
        let mut state = self.state();
        if let Some((at, playing, waited)) = state.collected.take() {
            state.pace = Some(Pace { playing, waited, learning: at.elapsed().as_secs_f64() });
        }
        let is_waiting = |state: &mut State| {
            !state.has_failed
                && state.first_fake.is_none()
                && state.ledger(generation).is_some_and(|ledger| ledger.missing > 0)
        };
        if is_waiting(&mut state) {
            let wait = self.finished.wait_timeout_while(state, time, is_waiting);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        let has_failed = state.has_failed;
        state.ledger(generation).filter(|_| !has_failed).map(|ledger| ledger.progress())
    }

    /// Closes a generation that is whole and returns its items.
    pub fn collect(&self, generation: u64, waited: f64) -> Option<Collected> {
        let mut state = self.state();
        let at = state
            .open
            .iter()
            .position(|ledger| ledger.session.orders.generation == generation && ledger.missing == 0)?;
        let ledger = state.open.remove(at);
        let seconds = |item: &Item| match item {
            Item::Done(item) => item.costs.total.as_secs_f64(),
            Item::Missing | Item::Away { .. } => 0.0,
        };
        state.collected = Some((Instant::now(), ledger.items.iter().map(seconds).sum(), waited));
        drop(state);
        let playing = ledger.began.zip(ledger.ended).filter(|_| !ledger.is_resumed).map(|(began, ended)| ended - began);
        let parts = ledger.parts.map(|parts| parts.lock().unwrap_or_else(PoisonError::into_inner).path().into());
        let done = |item| match item {
            Item::Done(item) => Some(item),
            Item::Missing | Item::Away { .. } => None,
        };
        let items = ledger.items.into_iter().filter_map(done).collect();
        Some(Collected { items, playing, parts })
    }
}

impl State {
    /// Takes an item for a player on this machine: one that nobody has, or else one that another
    /// machine has had for too long.
    fn take(&mut self, now: Instant) -> Option<(Arc<Session>, u32)> {
        let next = |ledger: &mut Ledger| ledger.take(now).or_else(|| ledger.retake(now, LONG_PATIENCE));
        let idle = |ledger: &mut Ledger| ledger.retake(now, PATIENCE);
        let of = |open: &mut [Ledger], take: &dyn Fn(&mut Ledger) -> Option<u32>| {
            open.iter_mut().find_map(|ledger| Some((ledger.session.clone(), take(ledger)?)))
        };
        of(&mut self.open, &next).or_else(|| of(&mut self.open, &idle))
    }

    fn ledger(&mut self, generation: u64) -> Option<&mut Ledger> {
        self.open.iter_mut().find(|ledger| ledger.session.orders.generation == generation)
    }
}

/// Plays all items of a session on all threads of the calling thread's pool, and returns them in
/// their order.
pub fn play_all(session: Session) -> Collected {
    let generation = session.orders.generation;
    let exchange = Exchange::default();
    exchange.open(Arc::new(session), None, Vec::new());
    exchange.close(false);
    rayon::broadcast(|_| exchange.play());
    exchange.collect(generation, 0.0).expect("the players end when all is played")
}

/// Informs the learner of a player that panics, so that it does not wait for ever.
struct Failure<'a> {
    exchange: &'a Exchange,
    is_armed: bool,
}

impl Drop for Failure<'_> {
    fn drop(&mut self) {
        if self.is_armed {
            let mut state = self.exchange.state();
            (state.has_failed, state.is_closed) = (true, true);
            state.open.clear();
            drop(state);
            self.exchange.offered.notify_all();
            self.exchange.finished.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
