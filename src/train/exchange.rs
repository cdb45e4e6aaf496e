//! The exchange between the learner, which wants the items of a generation, and the players, which
//! take them one by one and hand them in.
//!
//! Players on this machine are threads that wait here. Those on other machines take items by a
//! lease that ends: what was not handed in by then is given to others. Whoever is first counts, and
//! what comes twice is dropped, since an item's samples depend on its orders alone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::game::Player;
use super::part::Played;
use super::parts_file::PartsFile;
use super::session::Session;

/// The time after which an item that another machine has may be played here as well, while there is
/// nothing else to do.
const PATIENCE: Duration = Duration::from_secs(2);

/// The one that played an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This process, or one that worked on the run before.
    Here,
    /// The worker of this name.
    Worker(Arc<str>),
}

/// What became of an item that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It was missing.
    Taken,
    /// It was there.
    Known,
    /// No generation needs it.
    Stale,
}

/// The items of one generation, and what became of each.
struct Ledger {
    session: Arc<Session>,
    items: Vec<Item>,
    /// Items from this one on have never been given out.
    fresh: u32,
    /// Items that were given out in vain.
    returned: BTreeSet<u32>,
    /// Items that other machines have.
    away: BTreeSet<u32>,
    /// The time at which the first of these is given to others.
    recall: Option<Instant>,
    missing: usize,
    /// Items that were handed in since the last save.
    unsaved: Vec<u32>,
    /// Locked before the exchange's state.
    parts: Option<Arc<Mutex<PartsFile>>>,
    began: Option<Instant>,
    ended: Option<Instant>,
}

enum Item {
    Missing,
    Away { since: Instant, until: Instant },
    Done { played: Played, origin: Origin },
}

/// A generation's items, all of them played.
pub struct Collected {
    /// The items in their order.
    pub played: Vec<Played>,
    /// The time from the first item given out to the last handed in; `None` where some were there
    /// before.
    pub playing: Option<Duration>,
    /// The items that workers on other machines played, by their names.
    pub workers: BTreeMap<String, Vec<u32>>,
    /// The file in which the items were saved.
    pub parts: Option<PathBuf>,
}

/// How far a generation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The number of games that are there.
    pub games: usize,
    /// The number of labelled positions that are there.
    pub labelled: usize,
    /// `true` if nothing is missing.
    pub is_whole: bool,
}

#[derive(Default)]
struct State {
    /// The open generations in ascending order.
    open: Vec<Ledger>,
    /// No further generation will be opened.
    is_closed: bool,
    /// A player panicked.
    has_failed: bool,
    tainted: Option<u64>,
}

/// The exchange.
#[derive(Default)]
pub struct Exchange {
    state: Mutex<State>,
    /// Notified when there may be something to play.
    offered: Condvar,
    /// Notified when a generation is whole, and when a player fails.
    finished: Condvar,
}

impl Exchange {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code that holds the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a generation, whose items are saved in `parts`, and of which some are there already.
    pub(super) fn open(&self, session: Arc<Session>, parts: Option<PartsFile>, saved: Vec<(u32, Played)>) {
        let count = session.orders.items();
        let mut ledger = Ledger {
            session,
            items: (0..count).map(|_| Item::Missing).collect(),
            fresh: 0,
            returned: BTreeSet::new(),
            away: BTreeSet::new(),
            recall: None,
            missing: count as usize,
            unsaved: Vec::new(),
            parts: parts.map(|parts| Arc::new(Mutex::new(parts))),
            began: None,
            ended: None,
        };
        for (item, played) in saved {
            ledger.hand_in(item, played, Origin::Here);
        }
        ledger.unsaved.clear();
        self.state().open.push(ledger);
        self.offered.notify_all();
        self.finished.notify_all();
    }

    /// Ends the players once they have played what is open, or at once if `in_vain`.
    pub(super) fn close(&self, in_vain: bool) {
        let mut state = self.state();
        state.is_closed = true;
        if in_vain {
            state.open.clear();
        }
        drop(state);
        self.offered.notify_all();
    }

    /// Plays on the calling thread until the exchange is closed.
    pub(super) fn play(&self) {
        let mut failure = Failure { exchange: self, is_armed: true };
        let mut player: Option<Player> = None;
        while let Some((session, item)) = self.take() {
            let player = match &mut player {
                Some(player) if player.is_of(&session) => player,
                // The earlier one's tables are freed first.
                other => {
                    *other = None;
                    other.insert(Player::new(session.clone()))
                }
            };
            let played = player.play(item);
            self.hand_in(session.orders.generation, item, played, Origin::Here);
        }
        failure.is_armed = false;
    }

    /// Waits for an item that this thread should play. Returns `None` when the exchange is closed.
    fn take(&self) -> Option<(Arc<Session>, u32)> {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            if let Some(taken) = state.open.iter_mut().find_map(|ledger| Some((ledger.session.clone(), ledger.take(now)?))) {
                return Some(taken);
            }
            if let Some(taken) = state.open.iter_mut().find_map(|ledger| Some((ledger.session.clone(), ledger.retake(now)?))) {
                return Some(taken);
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

    /// Takes up to `most` items of one generation for another machine, to be handed in within this
    /// time. The list is empty if there is nothing to play.
    pub(crate) fn lend(&self, most: usize, time: Duration) -> (u64, Vec<u32>) {
        let now = Instant::now();
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

    /// Gives items back that were lent and will not be played.
    pub(crate) fn give_back(&self, generation: u64, items: &[u32]) {
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

    /// Drops what a worker handed in for the open generations, so that it is played again, and
    /// returns the number of these items.
    pub(crate) fn disown(&self, worker: &str) -> usize {
        let mut state = self.state();
        let mut disowned = 0;
        for ledger in &mut state.open {
            for (number, item) in ledger.items.iter_mut().enumerate() {
                if matches!(item, Item::Done { origin: Origin::Worker(name), .. } if **name == *worker) {
                    *item = Item::Missing;
                    ledger.returned.insert(number as u32);
                    ledger.missing += 1;
                    ledger.ended = None;
                    disowned += 1;
                }
            }
        }
        drop(state);
        self.offered.notify_all();
        disowned
    }

    /// Hands in an item.
    pub(crate) fn hand_in(&self, generation: u64, item: u32, played: Played, origin: Origin) -> Receipt {
        let mut state = self.state();
        let Some(ledger) = state.ledger(generation).filter(|ledger| (item as usize) < ledger.items.len()) else {
            return Receipt::Stale;
        };
        let receipt = ledger.hand_in(item, played, origin);
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
    pub(crate) fn save(&self) -> io::Result<()> {
        let files: Vec<(u64, Arc<Mutex<PartsFile>>)> = self
            .state()
            .open
            .iter()
            .filter_map(|ledger| Some((ledger.session.orders.generation, ledger.parts.clone()?)))
            .collect();
        for (generation, parts) in files {
            let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
            let items = self.unsaved(generation);
            let numbers: Vec<u32> = items.iter().map(|(number, _)| *number).collect();
            parts.save_items(generation, items).inspect_err(|_| {
                if let Some(ledger) = self.state().ledger(generation) {
                    ledger.unsaved.extend(numbers);
                }
            })?;
        }
        Ok(())
    }

    /// Returns the items of a generation that were handed in since the last call.
    fn unsaved(&self, generation: u64) -> Vec<(u32, Played)> {
        let mut state = self.state();
        let Some(ledger) = state.ledger(generation) else { return Vec::new() };
        let numbers = std::mem::take(&mut ledger.unsaved);
        let item = |number: u32| match &ledger.items[number as usize] {
            Item::Done { played, .. } => Some((number, played.clone())),
            Item::Missing | Item::Away { .. } => None,
        };
        numbers.into_iter().filter_map(item).collect()
    }

    /// Returns the sessions of the open generations, in ascending order.
    pub(crate) fn sessions(&self) -> Vec<Arc<Session>> {
        self.state().open.iter().map(|ledger| ledger.session.clone()).collect()
    }

    /// Returns `true` if no further generation will be opened.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Tells the learner that a generation that it has learned from holds a game that no player of
    /// its orders plays.
    pub(crate) fn taint(&self, generation: u64) {
        let mut state = self.state();
        state.tainted = Some(state.tainted.map_or(generation, |earlier| earlier.min(generation)));
        drop(state);
        self.finished.notify_all();
    }

    /// Returns the first generation that was [tainted](Exchange::taint).
    pub(super) fn tainted(&self) -> Option<u64> {
        self.state().tainted
    }

    /// Waits until a generation is whole, or for this time, and says how far it is. Returns `None`
    /// if a player has panicked.
    pub(super) fn wait(&self, generation: u64, time: Duration) -> Option<Standing> {
        let mut state = self.state();
        let is_waiting = |state: &mut State| {
            !state.has_failed && state.tainted.is_none() && state.ledger(generation).is_some_and(|ledger| ledger.missing > 0)
        };
        if is_waiting(&mut state) {
            let wait = self.finished.wait_timeout_while(state, time, is_waiting);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        let has_failed = state.has_failed;
        state.ledger(generation).filter(|_| !has_failed).map(|ledger| ledger.standing())
    }

    /// Closes a generation that is whole and returns its items.
    pub(super) fn collect(&self, generation: u64) -> Option<Collected> {
        let mut state = self.state();
        let at = state.open.iter().position(|ledger| {
            ledger.session.orders.generation == generation && ledger.missing == 0
        })?;
        let ledger = state.open.remove(at);
        drop(state);
        let playing = ledger.began.zip(ledger.ended).map(|(began, ended)| ended - began);
        let parts = ledger.parts.map(|parts| parts.lock().unwrap_or_else(PoisonError::into_inner).path().into());
        let mut workers: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut played = Vec::with_capacity(ledger.items.len());
        for (number, item) in ledger.items.into_iter().enumerate() {
            if let Item::Done { played: item, origin } = item {
                played.push(item);
                if let Origin::Worker(name) = origin {
                    workers.entry(name.to_string()).or_default().push(number as u32);
                }
            }
        }
        Some(Collected { played, playing, workers, parts })
    }
}

impl State {
    fn ledger(&mut self, generation: u64) -> Option<&mut Ledger> {
        self.open.iter_mut().find(|ledger| ledger.session.orders.generation == generation)
    }
}

impl Ledger {
    /// Takes an item that nobody has.
    fn take(&mut self, now: Instant) -> Option<u32> {
        if self.recall.is_some_and(|recall| recall <= now) {
            self.recall(now);
        }
        while let Some(item) = self.returned.pop_first() {
            if matches!(self.items[item as usize], Item::Missing) {
                return Some(item);
            }
        }
        while (self.fresh as usize) < self.items.len() {
            self.fresh += 1;
            if matches!(self.items[self.fresh as usize - 1], Item::Missing) {
                self.began.get_or_insert(now);
                return Some(self.fresh - 1);
            }
        }
        None
    }

    /// Takes back the items that were not handed in by their time.
    fn recall(&mut self, now: Instant) {
        self.recall = None;
        let Ledger { items, away, returned, recall, .. } = self;
        away.retain(|&item| match items[item as usize] {
            Item::Away { until, .. } if until > now => {
                *recall = Some(recall.map_or(until, |recall| recall.min(until)));
                true
            }
            _ => {
                items[item as usize] = Item::Missing;
                returned.insert(item);
                false
            }
        });
    }

    /// Takes the item that another machine has had for longest, if that is long enough.
    fn retake(&mut self, now: Instant) -> Option<u32> {
        let since = |item: &u32| match self.items[*item as usize] {
            Item::Away { since, .. } => since,
            Item::Missing | Item::Done { .. } => now,
        };
        let item = self.away.iter().copied().min_by_key(since).filter(|item| now - since(item) >= PATIENCE)?;
        // Whoever is first hands it in. It is not taken a third time.
        self.away.remove(&item);
        self.items[item as usize] = Item::Missing;
        Some(item)
    }

    fn hand_in(&mut self, item: u32, played: Played, origin: Origin) -> Receipt {
        if matches!(self.items[item as usize], Item::Done { .. }) {
            return Receipt::Known;
        }
        self.away.remove(&item);
        self.items[item as usize] = Item::Done { played, origin };
        self.unsaved.push(item);
        self.missing -= 1;
        if self.missing == 0 {
            self.ended = Some(Instant::now());
        }
        Receipt::Taken
    }

    fn standing(&self) -> Standing {
        let games = self.session.orders.games() as usize;
        let done = |items: &[Item]| items.iter().filter(|item| matches!(item, Item::Done { .. })).count();
        let (games, labelled) = self.items.split_at(games.min(self.items.len()));
        Standing { games: done(games), labelled: done(labelled), is_whole: self.missing == 0 }
    }
}

/// Tells the learner of a player that panics, so that it does not wait for ever.
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
