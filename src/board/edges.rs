//! A set of edges.

use super::Edge;
use crate::mix::split_mix;

/// A set of edges of one board, by index. The word behind it stays inside `board`.
///
/// ```
/// use doublecross::board::{Edge, Edges};
/// let mut drawn = Edges::EMPTY;
/// drawn.insert(Edge::new(3));
/// assert!(drawn.contains(Edge::new(3)));
/// assert_eq!(drawn.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edges(pub(super) u64);

impl Edges {
    /// No edge at all.
    pub const EMPTY: Edges = Edges(0);

    /// How many bytes [`Edges::to_bytes`] gives.
    pub const BYTES: usize = 8;

    /// The edges with an index below `count`.
    pub(super) const fn first(count: usize) -> Edges {
        Edges(if count == 64 { u64::MAX } else { (1 << count) - 1 })
    }

    /// Whether the edge is in the set.
    pub const fn contains(self, edge: Edge) -> bool {
        self.0 >> edge.index() & 1 == 1
    }

    /// Adds an edge.
    pub const fn insert(&mut self, edge: Edge) {
        self.0 |= 1 << edge.index();
    }

    /// Takes an edge out.
    pub const fn remove(&mut self, edge: Edge) {
        self.0 &= !(1 << edge.index());
    }

    /// The set with one edge more.
    pub const fn with(self, edge: Edge) -> Edges {
        Edges(self.0 | 1 << edge.index())
    }

    /// Edges in either set.
    pub const fn union(self, other: Edges) -> Edges {
        Edges(self.0 | other.0)
    }

    /// Edges in both sets.
    pub const fn intersection(self, other: Edges) -> Edges {
        Edges(self.0 & other.0)
    }

    /// Edges in this set and not in the other.
    pub const fn difference(self, other: Edges) -> Edges {
        Edges(self.0 & !other.0)
    }

    /// How many edges there are.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The edge with the lowest index.
    pub const fn lowest(self) -> Option<Edge> {
        if self.0 == 0 { None } else { Some(Edge::new(self.0.trailing_zeros() as usize)) }
    }

    /// The edges from the lowest index up.
    pub const fn iter(self) -> EdgesIter {
        EdgesIter(self.0)
    }

    /// Little-endian bytes, the form in which files hold a set.
    pub const fn to_bytes(self) -> [u8; Edges::BYTES] {
        self.0.to_le_bytes()
    }

    /// The set that [`Edges::to_bytes`] wrote.
    pub const fn from_bytes(bytes: [u8; Edges::BYTES]) -> Edges {
        Edges(u64::from_le_bytes(bytes))
    }

    /// A well-mixed 64-bit hash of the set, the same on every machine.
    pub const fn hash(self) -> u64 {
        split_mix(self.0)
    }
}

impl FromIterator<Edge> for Edges {
    fn from_iter<I: IntoIterator<Item = Edge>>(edges: I) -> Edges {
        let mut set = Edges::EMPTY;
        for edge in edges {
            set.insert(edge);
        }
        set
    }
}

impl IntoIterator for Edges {
    type Item = Edge;
    type IntoIter = EdgesIter;

    fn into_iter(self) -> EdgesIter {
        self.iter()
    }
}

/// The edges of a set from the lowest index up. See [`Edges::iter`].
#[derive(Clone, Debug)]
pub struct EdgesIter(u64);

impl Iterator for EdgesIter {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        let edge = Edges(self.0).lowest()?;
        self.0 &= self.0 - 1;
        Some(edge)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for EdgesIter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_what_went_in() {
        let wanted = [0, 7, 40, 63];
        let set: Edges = wanted.iter().map(|&index| Edge::new(index)).collect();
        assert_eq!(set.iter().map(Edge::index).collect::<Vec<_>>(), wanted);
        assert_eq!(set.iter().len(), 4);
        assert_eq!(Edges::from_bytes(set.to_bytes()), set);
        assert_eq!(Edges::first(64).len(), 64);
    }
}
