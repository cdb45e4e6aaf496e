//! The chains and loops of a capture-free state.

use super::strings::{AnyLayout, Layout, Strings, with_layout};
use super::word::Word;
use super::{Edges, State};

/// A chain or loop: boxes with two undrawn sides that undrawn edges connect.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// The undrawn edges beside its boxes.
    pub edges: Edges,
    /// The number of its boxes.
    pub length: u32,
    /// `true` for a loop that touches no joint.
    pub is_loop: bool,
}

impl State {
    /// Calls `each` with every chain and loop of a capture-free state.
    pub fn for_each_chain(self, mut each: impl FnMut(Chain)) {
        with_layout!(self.board(), layout => {
            for StringChain { ties, length, is_loop, .. } in StringChains::new(layout, layout.strings(self.undrawn())) {
                each(Chain { edges: layout.edges(ties), length, is_loop });
            }
        })
    }
}

/// A chain or loop in terms of strings.
pub(super) struct StringChain<W> {
    pub boxes: W,
    /// The strings beside its boxes.
    pub ties: Strings<W>,
    pub length: u32,
    pub is_loop: bool,
}

/// The chains and loops of a state that are not yet listed.
pub(super) struct StringChains<'a, W> {
    layout: &'a Layout<W>,
    strings: Strings<W>,
    /// Boxes with two undrawn sides.
    two: W,
    /// Those that are not yet listed.
    left: W,
}

impl<'a, W: Word> StringChains<'a, W> {
    pub fn new(layout: &'a Layout<W>, strings: Strings<W>) -> StringChains<'a, W> {
        let degrees = layout.degrees(strings);
        debug_assert_eq!(degrees.one, W::ZERO, "the state should be capture-free");
        StringChains { layout, strings, two: degrees.two, left: degrees.two }
    }
}

impl<W: Word> Iterator for StringChains<'_, W> {
    type Item = StringChain<W>;

    fn next(&mut self) -> Option<StringChain<W>> {
        if self.left == W::ZERO {
            return None;
        }
        let boxes = self.layout.connected(self.strings, self.left.lowest(), self.two);
        self.left &= !boxes;
        let ties = self.layout.touching(self.strings, boxes);
        let length = boxes.count();
        Some(StringChain { boxes, ties, length, is_loop: ties.len() == length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// Chains are those whose openings are listed, on every small position.
    #[test]
    fn chains_are_those_that_can_be_opened() {
        let board = Board::new(2, 3).unwrap();
        for word in 0..1u64 << board.edges() {
            let state = State::from_drawn(board, Edges::from_bytes(&word.to_le_bytes()));
            if !state.is_capture_free() {
                continue;
            }
            let mut chains = Vec::new();
            state.for_each_chain(|chain| chains.push(chain));
            let openings: Vec<_> = state.openings().collect();
            assert_eq!(chains.len(), openings.len());
            for (chain, opening) in chains.iter().zip(openings) {
                assert_eq!((chain.length, chain.is_loop), (opening.length, opening.is_loop));
                assert!(opening.edges.difference(chain.edges).is_empty());
                let beside = (0..board.boxes()).filter(|&b| {
                    let undrawn = state.undrawn_sides(b);
                    undrawn.len() == 2 && undrawn.difference(chain.edges).is_empty()
                });
                assert!(beside.count() >= chain.length as usize);
            }
        }
    }
}
