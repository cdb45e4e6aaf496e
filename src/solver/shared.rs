//! What solvers that work together share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::sums::Key;
use super::table::Table;

const CLAIMS: usize = 1024;

/// A table, and who is where.
pub(super) struct Shared {
    pub table: Table,
    /// Positions that some solver is at work on: another one puts them off, to find them in the table later (after
    /// Weill, *The ABDADA distributed minimax search algorithm*, 1996).
    claims: Vec<AtomicU64>,
    stop: AtomicBool,
    nodes: AtomicU64,
}

impl Shared {
    pub fn new(entries: usize) -> Shared {
        Shared {
            table: Table::new(entries),
            claims: (0..CLAIMS).map(|_| AtomicU64::new(0)).collect(),
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
        }
    }

    pub fn claim(&self, key: Key) {
        self.place(key).store(key as u64, Relaxed);
    }

    pub fn release(&self, key: Key) {
        self.place(key).store(0, Relaxed);
    }

    pub fn is_claimed(&self, key: Key) -> bool {
        self.place(key).load(Relaxed) == key as u64
    }

    fn place(&self, key: Key) -> &AtomicU64 {
        &self.claims[(key >> 64) as usize % CLAIMS]
    }

    /// Ends, or no longer ends, what all solvers are doing.
    pub fn set_stop(&self, stop: bool) {
        self.stop.store(stop, Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Nodes of all solvers together, as far as they have reported them.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    pub fn report(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }
}
