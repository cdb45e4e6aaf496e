//! The items of one generation, and what became of each.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::data::part_file::PartFile;
use crate::data::played_item::PlayedItem;
use crate::play::session::Session;

/// The time after which an item that another machine has may be played here as well, while there is
/// nothing else to do.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// The time after which it is played here before items of later generations.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(10);

/// The fate of an item that was handed in.
#[derive(Clone, Debug, PartialEq)]
pub enum Receipt {
    /// It was missing.
    Taken,
    /// It was there, from another or the same: this is what is there.
    Known(PlayedItem),
    /// No generation needs it.
    Stale,
}

/// The items of one generation, and what became of each.
pub(super) struct Ledger {
    pub session: Arc<Session>,
    pub items: Vec<Item>,
    /// Items from this one on have never been given out.
    pub fresh: u32,
    /// Items that were given out and not played.
    pub returned: BTreeSet<u32>,
    /// Items that other machines have.
    pub away: BTreeSet<u32>,
    /// The time at which the first of these is given to others.
    pub recall: Option<Instant>,
    pub missing: usize,
    /// Items that were handed in since the last save.
    pub unsaved: Vec<u32>,
    /// Locked before the exchange's state.
    pub parts: Option<Arc<Mutex<PartFile>>>,
    pub began: Option<Instant>,
    /// Some items were there when the generation was opened.
    pub is_resumed: bool,
    pub ended: Option<Instant>,
}

pub(super) enum Item {
    Missing,
    Away { since: Instant, until: Instant },
    Done(PlayedItem),
}

/// The progress of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenerationProgress {
    /// The number of games that are there.
    pub games: usize,
    /// The number of labeled positions that are there.
    pub labeled: usize,
    /// The number of games and labeled positions in all.
    pub items: usize,
    /// The number of them that other machines have.
    pub away: usize,
    /// `true` if nothing is missing.
    pub is_whole: bool,
}

impl Ledger {
    /// Creates the ledger of a generation of which nothing is there.
    pub fn new(session: Arc<Session>, parts: Option<PartFile>) -> Ledger {
        let count = session.orders.items();
        Ledger {
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
            is_resumed: false,
            ended: None,
        }
    }

    /// Takes an item that is neither played nor given out.
    pub fn take(&mut self, now: Instant) -> Option<u32> {
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
    pub fn retake(&mut self, now: Instant, patience: Duration) -> Option<u32> {
        let since = |item: &u32| match self.items[*item as usize] {
            Item::Away { since, .. } => since,
            Item::Missing | Item::Done(_) => now,
        };
        let item = self.away.iter().copied().min_by_key(since).filter(|item| now - since(item) >= patience)?;
        // Whoever is first hands it in. It is not taken a third time.
        self.away.remove(&item);
        self.items[item as usize] = Item::Missing;
        Some(item)
    }

    pub fn hand_in(&mut self, item: PlayedItem) -> Receipt {
        let number = item.number;
        if let Item::Done(known) = &self.items[number as usize] {
            return Receipt::Known(known.clone());
        }
        self.away.remove(&number);
        self.items[number as usize] = Item::Done(item);
        self.unsaved.push(number);
        self.missing -= 1;
        if self.missing == 0 {
            self.ended = Some(Instant::now());
        }
        Receipt::Taken
    }

    pub fn progress(&self) -> GenerationProgress {
        let games = self.session.orders.games() as usize;
        let done = |items: &[Item]| items.iter().filter(|item| matches!(item, Item::Done(_))).count();
        let (games, labeled) = self.items.split_at(games.min(self.items.len()));
        GenerationProgress {
            games: done(games),
            labeled: done(labeled),
            items: self.items.len(),
            away: self.away.len(),
            is_whole: self.missing == 0,
        }
    }
}
