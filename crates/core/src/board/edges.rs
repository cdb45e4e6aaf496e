//! Sets of edges.

use crate::mix::split_mix;

use super::{Board, Edge, MAX_EDGES};

/// The number of words of a set.
pub(super) const WORDS: usize = MAX_EDGES.div_ceil(64);

/// A set of edges of one board.
///
/// The set is a few words, which only the module `board` reads. Those of a board of at most 64
/// edges are all in the first one.
///
/// ```
/// use doublecross_core::board::{Edge, Edges};
/// let mut drawn = Edges::EMPTY;
/// drawn.insert(Edge::new(3));
/// assert!(drawn.contains(Edge::new(3)));
/// assert_eq!(drawn.with(Edge::new(105)).len(), 2);
/// let both: Edges = [Edge::new(3), Edge::new(105)].into_iter().collect();
/// assert_eq!(both.difference(drawn).lowest(), Some(Edge::new(105)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edges(pub(super) [u64; WORDS]);

impl Edges {
    /// The empty set.
    pub const EMPTY: Edges = Edges([0; WORDS]);

    /// The length of [`Edges::to_bytes`], in bytes.
    pub const BYTES: usize = WORDS * 8;

    /// Returns the set whose first word is this one, and whose others are 0.
    pub(super) fn of_word(word: u64) -> Edges {
        let mut edges = Edges::EMPTY;
        edges.0[0] = word;
        edges
    }

    /// Returns the set of the edges with an index below `count`.
    pub(super) fn first(count: usize) -> Edges {
        Edges(std::array::from_fn(|word| match count.saturating_sub(word * 64) {
            bits @ 0..64 => (1 << bits) - 1,
            64.. => u64::MAX,
        }))
    }

    /// Returns `true` if the set contains the edge.
    pub const fn contains(self, edge: Edge) -> bool {
        self.0[edge.index() / 64] >> (edge.index() % 64) & 1 == 1
    }

    /// Adds an edge.
    pub const fn insert(&mut self, edge: Edge) {
        self.0[edge.index() / 64] |= 1 << (edge.index() % 64);
    }

    /// Removes an edge.
    pub const fn remove(&mut self, edge: Edge) {
        self.0[edge.index() / 64] &= !(1 << (edge.index() % 64));
    }

    /// Returns the set with an edge added.
    pub const fn with(mut self, edge: Edge) -> Edges {
        self.insert(edge);
        self
    }

    /// Returns the edges in either set.
    pub fn union(self, other: Edges) -> Edges {
        Edges(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Returns the edges in both sets.
    pub fn intersection(self, other: Edges) -> Edges {
        Edges(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Returns the edges in this set that are not in the other.
    pub fn difference(self, other: Edges) -> Edges {
        Edges(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns the set in which the lower edge of each of these pairs, one pair after another, takes the
    /// place of the higher one where that is in the set alone.
    pub(super) fn lowered(mut self, pairs: &[(Edge, Edge)]) -> Edges {
        for &(low, high) in pairs {
            if self.contains(high) && !self.contains(low) {
                self.remove(high);
                self.insert(low);
            }
        }
        self
    }

    /// Returns the number of edges.
    pub fn len(self) -> usize {
        let [first, others @ ..] = self.0;
        let mut count = first.count_ones();
        // Small boards have none of the others.
        if others != [0; WORDS - 1] {
            count += others.map(u64::count_ones).iter().sum::<u32>();
        }
        count as usize
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(self) -> bool {
        self == Edges::EMPTY
    }

    /// Returns the edge with the lowest index.
    pub fn lowest(self) -> Option<Edge> {
        let (at, word) = self.0.iter().enumerate().find(|&(_, &word)| word != 0)?;
        Some(Edge::of_bit(at * 64 + word.trailing_zeros() as usize))
    }

    /// Returns the edge of a set of one.
    pub fn only(self) -> Option<Edge> {
        self.lowest().filter(|&edge| self == Edges::EMPTY.with(edge))
    }

    /// Returns an iterator over the edges, from the lowest index up.
    pub const fn iter(self) -> EdgesIter {
        EdgesIter { word: self.0[0], at: 0, words: self.0 }
    }

    /// Returns the set as little-endian bytes.
    pub fn to_bytes(self) -> [u8; Edges::BYTES] {
        let mut bytes = [0; Edges::BYTES];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(self.0) {
            *bytes = word.to_le_bytes();
        }
        bytes
    }

    /// Appends the set as files hold it: its first [`Board::edge_bytes`] bytes.
    pub fn write(self, board: Board, bytes: &mut Vec<u8>) {
        bytes.extend(&self.to_bytes()[..board.edge_bytes()]);
    }

    /// Creates a set from bytes as in [`Edges::to_bytes`], of which trailing zeros may be left out.
    ///
    /// # Panics
    /// Panics if there are more than [`Edges::BYTES`].
    pub fn from_bytes(bytes: &[u8]) -> Edges {
        let mut all = [0; Edges::BYTES];
        all[..bytes.len()].copy_from_slice(bytes);
        Edges(std::array::from_fn(|word| u64::from_le_bytes(all.as_chunks().0[word])))
    }

    /// Returns a well-mixed 64-bit hash of the set, which is the same on every machine.
    pub fn hash(self) -> u64 {
        match self.0 {
            [first, 0, 0] => split_mix(first),
            words => words.into_iter().fold(0, |hash, word| split_mix(hash ^ word)),
        }
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
pub struct EdgesIter {
    /// The edges of the present word that are left.
    word: u64,
    /// The index of the present word.
    at: usize,
    words: [u64; WORDS],
}

impl Iterator for EdgesIter {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        while self.word == 0 {
            self.word = *self.words.get(self.at + 1)?;
            self.at += 1;
        }
        let edge = Edge::of_bit(self.at * 64 + self.word.trailing_zeros() as usize);
        self.word &= self.word - 1;
        Some(edge)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.words.iter().skip(self.at + 1).map(|word| word.count_ones());
        let left = (self.word.count_ones() + rest.sum::<u32>()) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for EdgesIter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_the_inserted_edges() {
        let wanted = [0, 7, 40, 63, 64, 127, 128, 179];
        let set: Edges = wanted.iter().map(|&index| Edge::new(index)).collect();
        let mut edges = set.iter();
        for (place, &index) in wanted.iter().enumerate() {
            assert_eq!(edges.len(), wanted.len() - place);
            assert_eq!(edges.next().map(Edge::index), Some(index));
        }
        assert_eq!((edges.next(), edges.next()), (None, None));
        assert_eq!((Edges::EMPTY.only(), set.only()), (None, None));
        assert!(wanted.iter().map(|&index| Edge::new(index)).all(|edge| Edges::EMPTY.with(edge).only() == Some(edge)));
        assert_eq!(Edges::from_bytes(&set.to_bytes()), set);
        for count in [0, 1, 63, 64, 65, 128, 180] {
            let first = Edges::first(count);
            assert!(first.iter().map(Edge::index).eq(0..count));
            let rest = set.difference(first);
            assert_eq!(set.intersection(first).union(rest), set);
            assert_eq!(rest.len(), wanted.iter().filter(|&&index| index >= count).count());
        }
    }

    #[test]
    fn lower_edges_take_the_places_of_higher_ones() {
        let pairs = |last: usize| [(0, 2), (2, last), (1, 5)].map(|(low, high)| (Edge::new(low), Edge::new(high)));
        // Pairs within a word, and across two.
        for last in [7, 100] {
            let lowered = |edges: &[usize]| {
                let set: Edges = edges.iter().map(|&index| Edge::new(index)).collect();
                set.lowered(&pairs(last)).iter().map(Edge::index).collect::<Vec<_>>()
            };
            assert_eq!(lowered(&[last]), [2]);
            assert_eq!(lowered(&[2, last]), [0, 2]);
            assert_eq!(lowered(&[0, 2, 3]), [0, 2, 3]);
            assert_eq!(lowered(&[1, 5, 63]), [1, 5, 63]);
            assert_eq!(lowered(&[5, last]), [1, 2]);
        }
    }

    #[test]
    fn sets_of_different_edges_have_different_hashes() {
        let mut hashes: Vec<u64> = (0..MAX_EDGES).map(|index| Edges::EMPTY.with(Edge::new(index)).hash()).collect();
        hashes.push(Edges::EMPTY.hash());
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), MAX_EDGES + 1);
        // The hash of few edges is that of their word.
        assert_eq!(Edges::first(9).hash(), split_mix(511));
    }
}
