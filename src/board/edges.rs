//! Sets of edges.

use crate::mix::split_mix;

use super::Edge;

/// A set of edges of one board.
///
/// The set is one word, which only the module `board` reads.
///
/// ```
/// use doublecross::board::{Edge, Edges};
/// let mut drawn = Edges::EMPTY;
/// drawn.insert(Edge::new(3));
/// assert!(drawn.contains(Edge::new(3)));
/// assert_eq!(drawn.with(Edge::new(5)).len(), 2);
/// let both: Edges = [Edge::new(3), Edge::new(5)].into_iter().collect();
/// assert_eq!(both.difference(drawn).lowest(), Some(Edge::new(5)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edges(pub(super) u64);

impl Edges {
    /// The empty set.
    pub const EMPTY: Edges = Edges(0);

    /// The length of [`Edges::to_bytes`], in bytes.
    pub const BYTES: usize = 8;

    /// Returns the set of the edges with an index below `count`.
    pub(super) const fn first(count: usize) -> Edges {
        Edges(if count == 64 { u64::MAX } else { (1 << count) - 1 })
    }

    /// Returns `true` if the set contains the edge.
    pub const fn contains(self, edge: Edge) -> bool {
        self.0 >> edge.index() & 1 == 1
    }

    /// Adds an edge.
    pub const fn insert(&mut self, edge: Edge) {
        self.0 |= 1 << edge.index();
    }

    /// Removes an edge.
    pub const fn remove(&mut self, edge: Edge) {
        self.0 &= !(1 << edge.index());
    }

    /// Returns the set with an edge added.
    pub const fn with(self, edge: Edge) -> Edges {
        Edges(self.0 | 1 << edge.index())
    }

    /// Returns the edges in either set.
    pub const fn union(self, other: Edges) -> Edges {
        Edges(self.0 | other.0)
    }

    /// Returns the edges in both sets.
    pub const fn intersection(self, other: Edges) -> Edges {
        Edges(self.0 & other.0)
    }

    /// Returns the edges in this set that are not in the other.
    pub const fn difference(self, other: Edges) -> Edges {
        Edges(self.0 & !other.0)
    }

    /// Returns the number of edges.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns `true` if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the edge with the lowest index.
    pub const fn lowest(self) -> Option<Edge> {
        if self.0 == 0 { None } else { Some(Edge::new(self.0.trailing_zeros() as usize)) }
    }

    /// Returns an iterator over the edges, from the lowest index up.
    pub const fn iter(self) -> EdgesIter {
        EdgesIter(self.0)
    }

    /// Returns the set as little-endian bytes, the form in which files hold it.
    pub const fn to_bytes(self) -> [u8; Edges::BYTES] {
        self.0.to_le_bytes()
    }

    /// Creates a set from the bytes of [`Edges::to_bytes`].
    pub const fn from_bytes(bytes: [u8; Edges::BYTES]) -> Edges {
        Edges(u64::from_le_bytes(bytes))
    }

    /// Returns a well-mixed 64-bit hash of the set, which is the same on every machine.
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

/// An iterator over the edges of a set, from the lowest index up. Created by [`Edges::iter`].
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
    fn a_set_lists_the_inserted_edges() {
        let wanted = [0, 7, 40, 63];
        let set: Edges = wanted.iter().map(|&index| Edge::new(index)).collect();
        assert_eq!(set.iter().map(Edge::index).collect::<Vec<_>>(), wanted);
        assert_eq!(set.iter().len(), 4);
        assert_eq!(Edges::from_bytes(set.to_bytes()), set);
        assert_eq!(Edges::first(64).len(), 64);
    }
}
