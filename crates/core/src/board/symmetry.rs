//! The symmetries of the rectangle, as maps of edges and of sets of edges.

use super::{Board, Edge, Edges};

/// A symmetry of a board. Created by [`Board::symmetries`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    board: Board,
    index: usize,
}

impl Symmetry {
    pub(super) fn new(board: Board, index: usize) -> Symmetry {
        Symmetry { board, index }
    }

    /// Returns the image of an edge.
    pub fn edge(self, edge: Edge) -> Edge {
        self.board.symmetry_table().maps[self.index].edges[edge.index()]
    }

    /// Returns the image of a set of edges.
    pub fn edges(self, edges: Edges) -> Edges {
        self.board.symmetry_table().maps[self.index].image(edges)
    }
}

pub(super) struct SymmetryTable {
    maps: Vec<Map>,
    /// The twins as bits of one word, if all edges are in one.
    twin_bits: Option<Vec<TwinBits>>,
}

/// Interchangeable edges as bits of a word.
#[derive(Clone, Copy)]
struct TwinBits {
    low: u64,
    high: u64,
}

impl TwinBits {
    /// Returns the word in which the lower edge takes the place of the higher one if that is there
    /// alone.
    #[inline(always)]
    fn merge(self, word: u64) -> u64 {
        let moves = word & self.high != 0 && word & self.low == 0;
        word ^ if moves { self.low | self.high } else { 0 }
    }
}

/// The image of each value of each byte of a set of at most 64 edges, so that it is mapped by eight
/// look-ups.
type ByteImages = [[u64; 256]; 8];

/// Returns the image of a set of one word.
#[inline(always)]
fn image_of_word(word: u64, bytes: &ByteImages) -> u64 {
    word.to_le_bytes().iter().zip(bytes).fold(0, |image, (byte, table)| image | table[*byte as usize])
}

struct Map {
    edges: [Edge; super::MAX_EDGES],
    /// Those of a board of at most 64 edges. A larger one, with its larger network, has no need of
    /// them.
    bytes: Option<Box<ByteImages>>,
}

impl SymmetryTable {
    pub(super) fn new(rows: usize, cols: usize, twins: &[(Edge, Edge)]) -> SymmetryTable {
        let transposes: &[bool] = if rows == cols { &[false, true] } else { &[false] };
        let mut maps = Vec::new();
        for &transpose in transposes {
            for flip_rows in [false, true] {
                for flip_cols in [false, true] {
                    maps.push(Map::new(rows, cols, transpose, flip_rows, flip_cols));
                }
            }
        }
        let bits = |&(low, high): &(Edge, Edge)| TwinBits { low: 1 << low.index(), high: 1 << high.index() };
        let is_one_word = maps.iter().all(|map| map.bytes.is_some());
        let twin_bits = is_one_word.then(|| twins.iter().map(bits).collect());
        SymmetryTable { maps, twin_bits }
    }

    pub(super) fn len(&self) -> usize {
        self.maps.len()
    }

    /// Returns the least image of a set whose twins are then merged, and the index of its symmetry.
    pub(super) fn least_image(&self, edges: Edges, twins: &[(Edge, Edge)]) -> (Edges, usize) {
        let images = self.maps.iter().enumerate();
        let least = match &self.twin_bits {
            // In one word, which stays in a register.
            Some(twin_bits) => images
                .filter_map(|(index, map)| {
                    let image = image_of_word(edges.0[0], map.bytes.as_ref()?);
                    Some((twin_bits.iter().fold(image, |word, twins| twins.merge(word)), index))
                })
                .min()
                .map(|(word, index)| (Edges::of_word(word), index)),
            None => images.map(|(index, map)| (map.image(edges).lowered(twins), index)).min(),
        };
        least.expect("the identity should be a symmetry")
    }
}

impl Map {
    /// Returns the image of a set of edges.
    fn image(&self, edges: Edges) -> Edges {
        match &self.bytes {
            Some(bytes) => Edges::of_word(image_of_word(edges.0[0], bytes)),
            None => edges.iter().map(|edge| self.edges[edge.index()]).collect(),
        }
    }

    /// Computes the map on the lattice of half steps, where H(r, c) lies at (2r, 2c+1) and V(r, c)
    /// at (2r+1, 2c).
    fn new(rows: usize, cols: usize, transpose: bool, flip_rows: bool, flip_cols: bool) -> Map {
        let horizontals = (rows + 1) * cols;
        let count = horizontals + rows * (cols + 1);
        let mut edges = [Edge::new(0); super::MAX_EDGES];
        let mut bytes = (count <= 64).then(|| Box::new([[0; 256]; 8]));
        for (index, target) in edges.iter_mut().enumerate().take(count) {
            let (mut y, mut x) = match index.checked_sub(horizontals) {
                None => (2 * (index / cols), 2 * (index % cols) + 1),
                Some(v) => (2 * (v / (cols + 1)) + 1, 2 * (v % (cols + 1))),
            };
            if transpose {
                (y, x) = (x, y);
            }
            if flip_rows {
                y = 2 * rows - y;
            }
            if flip_cols {
                x = 2 * cols - x;
            }
            let mapped = if y % 2 == 0 { y / 2 * cols + x / 2 } else { horizontals + y / 2 * (cols + 1) + x / 2 };
            *target = Edge::new(mapped);
            let Some(bytes) = &mut bytes else { continue };
            for (value, word) in bytes[index / 8].iter_mut().enumerate() {
                if value >> (index % 8) & 1 == 1 {
                    *word |= 1 << mapped;
                }
            }
        }
        Map { edges, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_distinct_permutations_that_keep_boxes() {
        for (rows, cols, count) in
            [(1, 1, 8), (2, 3, 4), (5, 5, 8), (4, 6, 4), (1, 21, 4), (12, 2, 4), (6, 6, 8), (9, 9, 8), (3, 25, 4)]
        {
            let board = Board::new(rows, cols).unwrap();
            let maps: Vec<Symmetry> = board.symmetries().collect();
            assert_eq!(maps.len(), count);
            let images: std::collections::HashSet<Vec<Edge>> =
                maps.iter().map(|s| board.all().iter().map(|e| s.edge(e)).collect()).collect();
            assert_eq!(images.len(), count, "{board}");
            let boxes: Vec<Edges> = (0..board.boxes()).map(|b| board.sides(b)).collect();
            for symmetry in maps {
                assert_eq!(symmetry.edges(board.all()), board.all());
                for sides in &boxes {
                    let image = symmetry.edges(*sides);
                    assert_eq!(image, sides.iter().map(|e| symmetry.edge(e)).collect());
                    assert!(boxes.contains(&image));
                }
            }
        }
    }
}
