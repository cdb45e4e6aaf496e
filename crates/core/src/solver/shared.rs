//! The state that the workers of a parallel solver share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::graph::TableKey;
use super::lemma::Lemmas;
use super::memory::zeroed;
use super::table::Table;

/// The number of places for claims (docs/experiments/proofs.md#n74).
const CLAIMS: usize = 1 << 14;

/// The number of plies, from the queried position on, whose moves are reported.
pub(super) const REPORTED_PLIES: usize = 4;

/// The safe move of a position that is being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveProgress {
    /// The number of the move, from 1, in the order in which moves are tried.
    pub number: usize,
    /// The number of safe moves.
    pub of: usize,
}

/// A table, and the positions that workers are searching.
pub(super) struct Shared {
    pub table: Table,
    pub lemmas: Lemmas,
    /// Positions that some worker is searching. Another worker defers them, to find them in the
    /// table later (after Weill, *The ABDADA distributed minimax search algorithm*, 1996).
    claims: Vec<AtomicU64>,
    stop: AtomicBool,
    nodes: AtomicU64,
    /// The nodes that workers may take beyond their own budgets.
    budget: AtomicU64,
    /// The moves being tried at each ply: the number in the low half, the count in the high half, 0
    /// for none.
    move_progress: [AtomicU32; REPORTED_PLIES],
}

impl Shared {
    pub fn new(entries: usize) -> Shared {
        Shared {
            table: Table::new(entries),
            lemmas: Lemmas::new(),
            claims: zeroed(CLAIMS),
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            budget: AtomicU64::new(0),
            move_progress: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }

    pub fn claim(&self, key: TableKey) {
        self.place(key).store(key as u64, Relaxed);
    }

    pub fn release(&self, key: TableKey) {
        self.place(key).store(0, Relaxed);
    }

    pub fn is_claimed(&self, key: TableKey) -> bool {
        self.place(key).load(Relaxed) == key as u64
    }

    fn place(&self, key: TableKey) -> &AtomicU64 {
        &self.claims[(key >> 64) as usize % CLAIMS]
    }

    /// Stops the current queries of all solvers, or allows them to work again.
    pub fn set_stop(&self, stop: bool) {
        self.stop.store(stop, Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Returns the number of nodes of all solvers together, as far as they have reported them.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    pub fn report(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// Sets the number of nodes that workers may take beyond their own budgets.
    pub fn set_budget(&self, nodes: u64) {
        self.budget.store(nodes, Relaxed);
    }

    /// Takes up to this many nodes from the budget that workers share, and returns their number.
    pub fn take_budget(&self, nodes: u64) -> u64 {
        let rest = |left: u64| (left > 0).then(|| left.saturating_sub(nodes));
        self.budget.fetch_update(Relaxed, Relaxed, rest).map_or(0, |left| left.min(nodes))
    }

    /// Reports the move being tried at a ply, and clears the plies below.
    pub fn report_move(&self, ply: usize, MoveProgress { number, of }: MoveProgress) {
        self.move_progress[ply].store((of << 16 | number) as u32, Relaxed);
        self.clear_progress(ply + 1);
    }

    /// Clears the reports from a ply on.
    pub fn clear_progress(&self, ply: usize) {
        self.move_progress[ply..].iter().for_each(|reported| reported.store(0, Relaxed));
    }

    /// Returns the moves being tried, from the queried position on.
    pub fn move_progress(&self) -> impl Iterator<Item = MoveProgress> + '_ {
        let reported = self.move_progress.iter().map(|reported| reported.load(Relaxed) as usize);
        reported
            .take_while(|&reported| reported != 0)
            .map(|reported| MoveProgress { number: reported & 0xffff, of: reported >> 16 })
    }
}
