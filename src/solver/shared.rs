//! What solvers that work together share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::memory::zeroed;
use super::sums::Key;
use super::table::Table;

/// So many that two positions seldom share a place, nor two solvers the line of the caches that it lies in (4x4, two threads:
/// 2 % of the nodes less than with 1,024).
const CLAIMS: usize = 1 << 14;

/// Of how many plies from the position that was asked for it is told what is being tried.
pub(super) const TOLD_PLIES: usize = 4;

/// Which of the safe moves of a position is being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Try {
    /// From 1 on, in the order in which they are tried.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// A table, and who is where.
pub(super) struct Shared {
    pub table: Table,
    /// Positions that some solver is at work on: another one puts them off, to find them in the table later (after
    /// Weill, *The ABDADA distributed minimax search algorithm*, 1996).
    claims: Vec<AtomicU64>,
    stop: AtomicBool,
    nodes: AtomicU64,
    /// What the solver that tells is trying, ply by ply: the number in the low half, of how many in the high one; 0 is nothing.
    tries: [AtomicU32; TOLD_PLIES],
}

impl Shared {
    pub fn new(entries: usize) -> Shared {
        Shared {
            table: Table::new(entries),
            claims: zeroed(CLAIMS),
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            tries: std::array::from_fn(|_| AtomicU32::new(0)),
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

    /// Tells what is tried at a ply; what was told of the plies below is over.
    pub fn tell(&self, ply: usize, Try { number, of }: Try) {
        self.tries[ply].store((of << 16 | number) as u32, Relaxed);
        self.tell_no_more(ply + 1);
    }

    /// Ends what was told from a ply on.
    pub fn tell_no_more(&self, ply: usize) {
        self.tries[ply..].iter().for_each(|told| told.store(0, Relaxed));
    }

    /// What is being tried, from the position that was asked for on.
    pub fn tries(&self) -> impl Iterator<Item = Try> + '_ {
        let told = self.tries.iter().map(|told| told.load(Relaxed) as usize);
        told.take_while(|&told| told != 0).map(|told| Try { number: told & 0xffff, of: told >> 16 })
    }
}
