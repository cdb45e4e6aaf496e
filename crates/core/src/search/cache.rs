//! A cache of evaluations by canonical position.

use crate::board::{Board, State};

use super::{Evaluation, Evaluator};

/// An evaluator with a cache. It evaluates canonical positions only and maps the result back, so
/// one entry serves all symmetries, corner twins and scores, and the result never depends on the
/// contents of the cache.
pub struct Cached<E> {
    inner: E,
    entries: Vec<Option<Box<(State, Evaluation)>>>,
    requests: u64,
    computed: u64,
}

impl<E> Cached<E> {
    /// Returns the number of bytes that a cache of `entries` evaluations takes on a board when it is
    /// full.
    pub fn bytes(board: Board, entries: usize) -> usize {
        /// What the allocator keeps beside each of the three blocks of an entry.
        const OVERHEAD: usize = 3 * 16;
        let numbers = board.edges() + 2 * board.boxes() + 1;
        let entry = size_of::<Option<Box<()>>>() + size_of::<(State, Evaluation)>() + 4 * numbers + OVERHEAD;
        entries.next_power_of_two() * entry
    }
}

impl<E: Evaluator> Cached<E> {
    /// Creates a cache of `entries` evaluations, rounded up to a power of two, of about 500 bytes
    /// each on 5x5 and 1,500 on 9x9.
    pub fn new(inner: E, entries: usize) -> Cached<E> {
        let entries = entries.next_power_of_two();
        Cached { inner, entries: vec![None; entries], requests: 0, computed: 0 }
    }

    /// Returns the evaluator behind the cache.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Returns the number of requested evaluations, and the number of those that the inner
    /// evaluator computed.
    pub fn counts(&self) -> (u64, u64) {
        (self.requests, self.computed)
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        let (canonical, symmetry) = state.canonical();
        let slot = canonical.drawn().hash() as usize & (self.entries.len() - 1);
        self.requests += 1;
        let hit = self.entries[slot].as_ref().is_some_and(|entry| entry.0 == canonical);
        if !hit {
            self.computed += 1;
            // An evaluation of another board has another size.
            self.entries[slot].take_if(|entry| entry.0.board() != state.board());
            let entry = self.entries[slot].get_or_insert_with(|| Box::new((canonical, Evaluation::new(state.board()))));
            entry.0 = canonical;
            self.inner.evaluate(canonical, &mut entry.1);
        }
        let Some(entry) = &self.entries[slot] else { return };
        evaluation.margins.copy_from_slice(&entry.1.margins);
        let image = state.image(symmetry);
        for edge in state.undrawn() {
            let place = image.merged_place(canonical, symmetry.edge(edge));
            evaluation.logits[edge.index()] = entry.1.logits[place.index()];
        }
    }
}
