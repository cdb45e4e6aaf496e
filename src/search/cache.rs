//! A cache of evaluations by canonical position.

use crate::board::{Edge, Edges, State};

use super::{Evaluation, Evaluator};

/// An evaluator with a cache in front. It asks for canonical positions only and maps the answer back, so an entry
/// serves every symmetry, every corner twin and every score, and the answer never depends on what the cache holds.
pub struct Cached<E> {
    inner: E,
    entries: Vec<Option<Box<(State, Evaluation)>>>,
    asked: u64,
    computed: u64,
}

impl<E: Evaluator> Cached<E> {
    /// Keeps up to `entries` evaluations (rounded up to a power of two; about 500 bytes each).
    pub fn new(inner: E, entries: usize) -> Cached<E> {
        let entries = entries.next_power_of_two();
        Cached { inner, entries: vec![None; entries], asked: 0, computed: 0 }
    }

    /// The evaluator behind the cache.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// The number of evaluations asked for, and of those that the inner evaluator computed.
    pub fn counts(&self) -> (u64, u64) {
        (self.asked, self.computed)
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        let (canonical, symmetry) = state.canonical();
        let slot = canonical.drawn().hash() as usize & (self.entries.len() - 1);
        self.asked += 1;
        let hit = self.entries[slot].as_ref().is_some_and(|entry| entry.0 == canonical);
        if !hit {
            self.computed += 1;
            let entry = self.entries[slot].get_or_insert_with(|| Box::new((canonical, Evaluation::BLANK)));
            entry.0 = canonical;
            self.inner.evaluate(canonical, &mut entry.1);
        }
        let Some(entry) = &self.entries[slot] else { return };
        evaluation.margins = entry.1.margins;
        let image = state.image(symmetry);
        for edge in state.undrawn() {
            let place = settled_place(image, canonical, symmetry.edge(edge));
            evaluation.logits[edge.index()] = entry.1.logits[place.index()];
        }
    }
}

/// The place of an undrawn edge of `image` in `canonical`, in which the twins are settled: its own place, or that of a twin
/// whose place it has taken.
fn settled_place(image: State, canonical: State, edge: Edge) -> Edge {
    let (board, image, canonical) = (image.board(), image.drawn(), canonical.drawn());
    if !canonical.contains(edge) {
        return edge;
    }
    let sides = board.boxes_of(edge).first().map_or(Edges::EMPTY, |&corner| board.sides(corner as usize));
    let moved = canonical.difference(image).intersection(sides);
    let freed = image.difference(canonical).intersection(sides);
    let place = moved.iter().zip(freed.iter()).find(|&(from, _)| from == edge);
    place.map_or(edge, |(_, to)| to)
}
