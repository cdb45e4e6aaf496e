//! A cache of evaluations by canonical position.

use crate::board::{Board, Edge, Edges};

use super::{Evaluation, Evaluator};

/// An evaluator with a cache in front. It asks for canonical positions only and maps the answer back, so an entry
/// serves every symmetry, every corner twin and every score, and the answer never depends on what the cache holds.
pub struct Cached<E> {
    board: Board,
    inner: E,
    entries: Vec<Option<Box<(Edges, Evaluation)>>>,
    asked: u64,
    computed: u64,
}

impl<E: Evaluator> Cached<E> {
    /// Keeps up to `entries` evaluations (rounded up to a power of two; about 500 bytes each).
    pub fn new(board: Board, inner: E, entries: usize) -> Cached<E> {
        let entries = entries.next_power_of_two();
        Cached { board, inner, entries: vec![None; entries], asked: 0, computed: 0 }
    }

    /// The evaluator behind the cache.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// How many evaluations were asked for, and how many of them the inner evaluator computed.
    pub fn counts(&self) -> (u64, u64) {
        (self.asked, self.computed)
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        let (canonical, map) = self.board.canonical(drawn);
        let slot = canonical.hash() as usize & (self.entries.len() - 1);
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
        let image = map.edges(drawn);
        let map_back = |edge: Edge| settled(self.board, image, canonical, map.edge(edge));
        for edge in self.board.undrawn(drawn) {
            evaluation.logits[edge.index()] = entry.1.logits[map_back(edge).index()];
        }
    }
}

/// Where an undrawn edge of `image` is when its twins are settled, which makes it `canonical`: at its own place, or at that
/// of a twin whose place it has taken.
fn settled(board: Board, image: Edges, canonical: Edges, edge: Edge) -> Edge {
    if !canonical.contains(edge) {
        return edge;
    }
    let sides = board.boxes_of(edge).first().map_or(Edges::EMPTY, |&corner| board.sides(corner as usize));
    let moved = canonical.difference(image).intersection(sides);
    let freed = image.difference(canonical).intersection(sides);
    let place = moved.iter().zip(freed.iter()).find(|&(from, _)| from == edge);
    place.map_or(edge, |(_, to)| to)
}
