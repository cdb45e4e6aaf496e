//! The undrawn edges as two words of one stride, so that all boxes are processed at once.
//!
//! Strings and coins is the same game: a box is a coin, an undrawn edge a string that ties it to a
//! neighbor or to the ground (docs/strategy.md, section 9). Bit `r * stride + c` of a word of
//! boxes is box (r, c). The same bit of `horizontal` is its top string and of `vertical` its left
//! string, so its bottom string is in `horizontal >> stride` and its right string in
//! `vertical >> 1`. A board with more rows than columns is stored transposed, so that it is
//! processed like the wide board that is its image. Words have 64 bits where a bit for each dot fits, as up
//! to 7x7 boxes, and otherwise 128 ([`Word`]).

use super::word::Word;
use super::{Edge, Edges};

/// The undrawn edges of a position, in the layout of [`Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Strings<W> {
    /// Undrawn horizontal edges.
    pub horizontal: W,
    /// Undrawn vertical edges.
    pub vertical: W,
}

/// Boxes by their number of undrawn sides, as words of boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Degrees<W> {
    /// Boxes on offer: one undrawn side.
    pub one: W,
    /// Boxes of a chain or loop: two undrawn sides.
    pub two: W,
    /// Joints of three strings.
    pub three: W,
    /// Joints of four strings.
    pub four: W,
}

/// The positions of a board's edges in [`Strings`].
pub(super) struct Layout<W> {
    stride: usize,
    boxes: W,
    /// The edge of each bit of `horizontal` and of `vertical`.
    edge_of: [[u8; 128]; 2],
    /// The strings of each value of each of the first eight bytes of an edge set.
    first_bytes: Box<[[Strings<W>; 256]; 8]>,
    /// The strings of each value of the bytes after those.
    more_bytes: Vec<[Strings<W>; 256]>,
}

/// The layout of a board, in the word that holds it.
pub(super) enum AnyLayout {
    Narrow(Layout<u64>),
    Wide(Layout<u128>),
}

/// Evaluates an expression with the layout of a board. `AnyLayout` must be in scope.
macro_rules! with_layout {
    ($board:expr, $layout:ident => $value:expr) => {
        match $board.layout() {
            AnyLayout::Narrow($layout) => $value,
            AnyLayout::Wide($layout) => $value,
        }
    };
}

pub(super) use with_layout;

const NO_EDGE: u8 = u8::MAX;

impl<W: Word> Strings<W> {
    /// No string: the end of the game.
    pub const NONE: Strings<W> = Strings { horizontal: W::ZERO, vertical: W::ZERO };

    /// Returns the number of undrawn edges.
    pub fn len(self) -> u32 {
        self.horizontal.count() + self.vertical.count()
    }

    /// Returns these strings without those of `other`.
    pub fn without(self, other: Strings<W>) -> Strings<W> {
        Strings { horizontal: self.horizontal & !other.horizontal, vertical: self.vertical & !other.vertical }
    }

    /// Returns the strings in either set.
    #[inline(always)]
    fn with(self, other: Strings<W>) -> Strings<W> {
        Strings { horizontal: self.horizontal | other.horizontal, vertical: self.vertical | other.vertical }
    }
}

impl AnyLayout {
    pub fn new(rows: usize, cols: usize) -> AnyLayout {
        // Rows of boxes and the row of strings below them, each one place longer than the boxes.
        match (rows + 1) * (cols + 1) {
            ..=64 => AnyLayout::Narrow(Layout::new(rows, cols)),
            _ => AnyLayout::Wide(Layout::new(rows, cols)),
        }
    }
}

impl<W: Word> Layout<W> {
    fn new(rows: usize, cols: usize) -> Layout<W> {
        let is_transposed = rows > cols;
        let (long, short) = if is_transposed { (rows, cols) } else { (cols, rows) };
        let stride = long + 1;
        assert!(stride * (short + 1) <= W::BITS);
        let horizontals = (rows + 1) * cols;
        let count = horizontals + rows * (cols + 1);
        let mut layout = Layout {
            stride,
            boxes: W::ZERO,
            edge_of: [[NO_EDGE; 128]; 2],
            first_bytes: Box::new([[Strings::NONE; 256]; 8]),
            more_bytes: vec![[Strings::NONE; 256]; count.div_ceil(8).saturating_sub(8)],
        };
        for r in 0..short {
            for c in 0..long {
                layout.boxes |= W::ONE << (r * stride + c);
            }
        }
        for index in 0..count {
            let (is_horizontal, r, c) = match index.checked_sub(horizontals) {
                None => (true, index / cols, index % cols),
                Some(v) => (false, v / (cols + 1), v % (cols + 1)),
            };
            let (is_horizontal, r, c) = if is_transposed { (!is_horizontal, c, r) } else { (is_horizontal, r, c) };
            let bit = r * stride + c;
            layout.edge_of[!is_horizontal as usize][bit] = index as u8;
            let mut bytes = layout.first_bytes.iter_mut().chain(&mut layout.more_bytes);
            for (value, strings) in bytes.nth(index / 8).into_iter().flatten().enumerate() {
                if value >> (index % 8) & 1 == 1 {
                    let word = if is_horizontal { &mut strings.horizontal } else { &mut strings.vertical };
                    *word |= W::ONE << bit;
                }
            }
        }
        layout
    }

    /// Returns the distance, in bits, between a box and the box below it.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the strings of a set of edges.
    pub fn strings(&self, edges: Edges) -> Strings<W> {
        let mut strings = Strings::NONE;
        for (byte, table) in edges.0[0].to_le_bytes().iter().zip(self.first_bytes.iter()) {
            strings = strings.with(table[*byte as usize]);
        }
        if !self.more_bytes.is_empty() {
            for (byte, table) in edges.to_bytes()[8..].iter().zip(&self.more_bytes) {
                strings = strings.with(table[*byte as usize]);
            }
        }
        strings
    }

    /// Returns the set of edges of these strings.
    pub fn edges(&self, strings: Strings<W>) -> Edges {
        let mut edges = Edges::EMPTY;
        if self.more_bytes.is_empty() {
            // One word, which stays in a register.
            let mut word = 0;
            self.for_each_edge(strings, |edge| word |= 1u64 << edge);
            edges.0[0] = word;
        } else {
            self.for_each_edge(strings, |edge| edges.insert(Edge::of_bit(edge as usize)));
        }
        edges
    }

    #[inline(always)]
    fn for_each_edge(&self, strings: Strings<W>, mut each: impl FnMut(u8)) {
        for (mut bits, edge_of) in [strings.horizontal, strings.vertical].into_iter().zip(&self.edge_of) {
            while bits != W::ZERO {
                each(edge_of[bits.lowest_index() % 128]);
                bits = bits.without_lowest();
            }
        }
    }

    /// Returns the boxes by their number of undrawn sides. Four one-bit numbers are added in every
    /// box at once.
    pub fn degrees(&self, strings: Strings<W>) -> Degrees<W> {
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

    /// Returns the strings that touch any of these boxes.
    pub fn touching(&self, strings: Strings<W>, boxes: W) -> Strings<W> {
        Strings {
            horizontal: strings.horizontal & (boxes | boxes << self.stride),
            vertical: strings.vertical & (boxes | boxes << 1),
        }
    }

    /// Returns the boxes beside these strings.
    pub fn beside(&self, strings: Strings<W>) -> W {
        let Strings { horizontal, vertical } = strings;
        (horizontal | horizontal >> self.stride | vertical | vertical >> 1) & self.boxes
    }

    /// Returns these boxes and those that a string ties to them.
    pub fn spread(&self, strings: Strings<W>, boxes: W) -> W {
        self.beside(self.touching(strings, boxes)) | boxes
    }

    /// Returns the boxes of `within` that strings connect to `seed` through boxes of `within`
    /// alone.
    pub fn connected(&self, strings: Strings<W>, seed: W, within: W) -> W {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::edges::WORDS;
    use crate::board::{Board, State};
    use proptest::prelude::*;

    fn any_board() -> impl Strategy<Value = Board> {
        let sizes: Vec<(usize, usize)> =
            (1..60).flat_map(|r| (1..60).map(move |c| (r, c))).filter(|&(r, c)| Board::new(r, c).is_ok()).collect();
        prop::sample::select(sizes).prop_map(|(r, c)| Board::new(r, c).unwrap())
    }

    fn check<W: Word>(layout: &Layout<W>, state: State) -> Result<(), TestCaseError> {
        let board = state.board();
        let strings = layout.strings(state.undrawn());
        prop_assert_eq!(layout.edges(strings), state.undrawn());
        prop_assert_eq!(strings.len() as usize, state.undrawn().len());
        let degrees = layout.degrees(strings);
        for (degree, boxes) in [degrees.one, degrees.two, degrees.three, degrees.four].into_iter().enumerate() {
            let count = (0..board.boxes()).filter(|&b| state.undrawn_sides(b).len() == degree + 1);
            prop_assert_eq!(boxes.count() as usize, count.count());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn strings_convert_to_states_and_back(board in any_board(), words: [u64; WORDS]) {
            let state = State::from_drawn(board, Edges(words).intersection(board.all()));
            with_layout!(board, layout => check(layout, state)?);
            // Narrow boards are the same in wide words.
            check(&Layout::<u128>::new(board.rows(), board.cols()), state)?;
        }
    }
}
