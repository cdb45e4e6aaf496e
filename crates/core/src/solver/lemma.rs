//! Lemmas: the results of a search that took much work.
//!
//! Lemmas are kept beside the table, so that none is evicted, and with their positions as edges, so
//! that they can be written down, read by another search and checked by another program.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};

use crate::board::State;

use super::Bounds;
use super::graph::TableKey;

/// Proved bounds of the margin in a capture-free state, and the number of nodes that the proof
/// took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lemma {
    /// The state.
    pub state: State,
    /// Bounds of the margin of the player to move.
    pub bounds: Bounds,
    /// The number of nodes of the proof, or 0 if it is not known.
    pub nodes: u64,
}

/// The number of safe edges from which positions are looked up. With fewer, a search takes so
/// little that looks at each of its nodes would not pay.
const LEAST_SAFE: u32 = 8;

/// The lemmas that the workers of a parallel solver share.
pub(super) struct Lemmas {
    known: RwLock<HashMap<TableKey, Bounds>>,
    /// The least number of safe edges in a position with a lemma.
    least_safe: AtomicU32,
    /// The number of nodes from which a result is a lemma.
    least_nodes: AtomicU64,
    /// The number of times that a lemma has narrowed bounds.
    hits: AtomicU64,
    /// Lemmas that the search has found and that were not taken yet.
    found: Mutex<Vec<Lemma>>,
}

impl Lemmas {
    /// Creates an empty set. Searches add nothing to it until
    /// [`keep_from`](Lemmas::keep_from) is called.
    pub fn new() -> Lemmas {
        Lemmas {
            known: RwLock::default(),
            least_safe: AtomicU32::new(u32::MAX),
            least_nodes: AtomicU64::new(u64::MAX),
            hits: AtomicU64::new(0),
            found: Mutex::default(),
        }
    }

    /// Makes searches add their results that take at least this many nodes.
    pub fn keep_from(&self, nodes: u64) {
        self.least_nodes.store(nodes, Relaxed);
    }

    /// Returns the number of nodes from which a result is a lemma.
    pub fn least_nodes(&self) -> u64 {
        self.least_nodes.load(Relaxed)
    }

    /// Returns the number of safe edges from which a position may have a lemma.
    #[inline]
    pub fn least_safe(&self) -> u32 {
        self.least_safe.load(Relaxed)
    }

    /// Returns what bounds of a position and its lemma say together.
    #[cold]
    pub fn narrow(&self, key: TableKey, bounds: Bounds) -> Bounds {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let Some(proved) = known.get(&key) else { return bounds };
        let narrowed = bounds.intersect(*proved);
        if narrowed != bounds {
            self.hits.fetch_add(1, Relaxed);
        }
        narrowed
    }

    /// Returns the number of times that a lemma has said more than the table.
    pub fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }

    /// Adds bounds of a position with this many safe edges, and returns `false` if they were known.
    pub fn add(&self, key: TableKey, safe: u32, bounds: Bounds) -> bool {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(key).or_insert(Bounds::UNKNOWN);
        let both = entry.intersect(bounds);
        let is_new = both != *entry;
        *entry = both;
        self.least_safe.fetch_min(safe.max(LEAST_SAFE), Relaxed);
        is_new
    }

    /// Adds a lemma to those that were found.
    pub fn report(&self, lemma: Lemma) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(lemma);
    }

    /// Returns the lemmas that were found since the last call.
    pub fn take_found(&self) -> Vec<Lemma> {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
