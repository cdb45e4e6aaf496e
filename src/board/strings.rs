//! The undrawn edges as two words of one stride, so that all boxes are worked on at once.
//!
//! Strings-and-coins is the same game: a box is a coin, an undrawn edge a string that ties it to a neighbour or to the
//! ground. Bit `r * stride + c` of a word of boxes is box (r, c); the same bit of `horizontal` is its top string, of
//! `vertical` its left string, so that its bottom string is `horizontal >> stride` and its right one `vertical >> 1`.
//! Boards with more rows than columns lie on their side in here, so that they are worked on like the wide boards that they
//! are turned images of.

use super::{Board, Edges, State};

/// The undrawn edges of a position. See the module's head for the layout, which [`Layout`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strings {
    /// Undrawn horizontal edges.
    pub horizontal: u64,
    /// Undrawn vertical edges.
    pub vertical: u64,
}

/// Boxes by their number of undrawn sides, each a word of boxes.
#[derive(Clone, Copy, Debug)]
pub struct Degrees {
    /// Boxes on offer: one undrawn side.
    pub one: u64,
    /// Boxes in a chain or loop: two undrawn sides.
    pub two: u64,
    /// Joints of three strings.
    pub three: u64,
    /// Joints of four strings.
    pub four: u64,
}

/// How a board's edges lie in [`Strings`].
pub struct Layout {
    stride: usize,
    boxes: u64,
    edge_of_horizontal: [u8; 64],
    edge_of_vertical: [u8; 64],
    /// The strings of each value of each byte of an edge set's word.
    bytes: Box<[[Strings; 256]; 8]>,
}

const NO_EDGE: u8 = u8::MAX;

impl Strings {
    /// The end of the game: no string is left.
    pub const NONE: Strings = Strings { horizontal: 0, vertical: 0 };

    /// How many edges are undrawn.
    pub fn len(self) -> u32 {
        self.horizontal.count_ones() + self.vertical.count_ones()
    }

    /// These strings without those.
    pub fn without(self, other: Strings) -> Strings {
        Strings { horizontal: self.horizontal & !other.horizontal, vertical: self.vertical & !other.vertical }
    }
}

impl Layout {
    pub(super) fn new(rows: usize, cols: usize) -> Layout {
        let on_side = rows > cols;
        let (long, short) = if on_side { (rows, cols) } else { (cols, rows) };
        let stride = long + 1;
        let horizontals = (rows + 1) * cols;
        let count = horizontals + rows * (cols + 1);
        let mut layout = Layout {
            stride,
            boxes: 0,
            edge_of_horizontal: [NO_EDGE; 64],
            edge_of_vertical: [NO_EDGE; 64],
            bytes: Box::new([[Strings::NONE; 256]; 8]),
        };
        for r in 0..short {
            layout.boxes |= ((1 << long) - 1) << (r * stride);
        }
        for index in 0..count {
            let (is_horizontal, r, c) = match index.checked_sub(horizontals) {
                None => (true, index / cols, index % cols),
                Some(v) => (false, v / (cols + 1), v % (cols + 1)),
            };
            let (is_horizontal, r, c) = if on_side { (!is_horizontal, c, r) } else { (is_horizontal, r, c) };
            let bit = r * stride + c;
            let back = if is_horizontal { &mut layout.edge_of_horizontal } else { &mut layout.edge_of_vertical };
            back[bit] = index as u8;
            for (value, strings) in layout.bytes[index / 8].iter_mut().enumerate() {
                if value >> (index % 8) & 1 == 1 {
                    let word = if is_horizontal { &mut strings.horizontal } else { &mut strings.vertical };
                    *word |= 1 << bit;
                }
            }
        }
        layout
    }

    /// The distance between a box and the box below it.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The strings of a set of edges.
    pub fn strings(&self, edges: Edges) -> Strings {
        let mut strings = Strings::NONE;
        for (byte, table) in edges.0.to_le_bytes().iter().zip(self.bytes.iter()) {
            strings.horizontal |= table[*byte as usize].horizontal;
            strings.vertical |= table[*byte as usize].vertical;
        }
        strings
    }

    /// The set of edges of these strings.
    pub fn edges(&self, strings: Strings) -> Edges {
        let mut word = 0u64;
        for (mut bits, edge_of) in
            [(strings.horizontal, &self.edge_of_horizontal), (strings.vertical, &self.edge_of_vertical)]
        {
            while bits != 0 {
                word |= 1 << edge_of[bits.trailing_zeros() as usize];
                bits &= bits - 1;
            }
        }
        Edges(word)
    }

    /// Boxes by their number of undrawn sides: four one-bit numbers added in every box at once.
    pub fn degrees(&self, strings: Strings) -> Degrees {
        let Strings { horizontal, vertical } = strings;
        let (top, bottom) = (horizontal & self.boxes, horizontal >> self.stride & self.boxes);
        let (left, right) = (vertical & self.boxes, vertical >> 1 & self.boxes);
        let (odd_rows, both_rows) = (top ^ bottom, top & bottom);
        let (odd_cols, both_cols) = (left ^ right, left & right);
        let (odd, pair) = (odd_rows ^ odd_cols, both_rows | both_cols);
        Degrees {
            one: odd & !pair,
            two: !odd & ((odd_rows & odd_cols) | (both_rows ^ both_cols)),
            three: odd & pair,
            four: both_rows & both_cols,
        }
    }

    /// The strings that touch any of these boxes.
    pub fn touching(&self, strings: Strings, boxes: u64) -> Strings {
        Strings {
            horizontal: strings.horizontal & (boxes | boxes << self.stride),
            vertical: strings.vertical & (boxes | boxes << 1),
        }
    }

    /// The boxes beside these strings.
    pub fn beside(&self, strings: Strings) -> u64 {
        let Strings { horizontal, vertical } = strings;
        (horizontal | horizontal >> self.stride | vertical | vertical >> 1) & self.boxes
    }

    /// These boxes and the boxes that a string ties to them.
    pub fn spread(&self, strings: Strings, boxes: u64) -> u64 {
        self.beside(self.touching(strings, boxes)) | boxes
    }

    /// The boxes of `within` that strings tie to `seed`, through boxes of `within` alone.
    pub fn connected(&self, strings: Strings, seed: u64, within: u64) -> u64 {
        let mut region = seed;
        loop {
            let grown = self.spread(strings, region) & within;
            if grown == region {
                return region;
            }
            region = grown;
        }
    }
}

impl State {
    /// The undrawn edges as strings.
    pub(crate) fn strings(self) -> Strings {
        self.board().layout().strings(self.undrawn())
    }

    /// The state whose undrawn edges are these strings.
    pub(crate) fn from_strings(board: Board, strings: Strings) -> State {
        State::from_undrawn(board, board.layout().edges(strings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some_board() -> impl Strategy<Value = Board> {
        let sizes: Vec<(usize, usize)> =
            (1..22).flat_map(|r| (1..22).map(move |c| (r, c))).filter(|&(r, c)| Board::new(r, c).is_ok()).collect();
        prop::sample::select(sizes).prop_map(|(r, c)| Board::new(r, c).unwrap())
    }

    proptest! {
        #[test]
        fn strings_hold_the_same_position(board in some_board(), word: u64) {
            let state = State::from_drawn(board, Edges(word).intersection(board.all()));
            let layout = board.layout();
            let strings = state.strings();
            prop_assert_eq!(State::from_strings(board, strings), state);
            prop_assert_eq!(strings.len() as usize, state.undrawn().len());
            let degrees = layout.degrees(strings);
            for (degree, boxes) in [degrees.one, degrees.two, degrees.three, degrees.four].into_iter().enumerate() {
                let count = (0..board.boxes()).filter(|&b| state.undrawn_sides(b).len() == degree + 1);
                prop_assert_eq!(boxes.count_ones() as usize, count.count());
            }
        }
    }
}
