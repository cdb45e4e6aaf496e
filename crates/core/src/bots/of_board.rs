//! A value that belongs to a board.

use crate::board::Board;

/// A value for the board in play. It is kept while the board stays the same.
pub(crate) struct OfBoard<T>(Option<(Board, T)>);

impl<T> OfBoard<T> {
    /// Returns the value for `board`, built first if there is none or it is for another board. A
    /// build that returns `None` leaves the former value.
    pub fn get_or_build(&mut self, board: Board, build: impl FnOnce() -> Option<T>) -> Option<&mut T> {
        if self.0.as_ref().is_none_or(|(kept, _)| *kept != board) {
            self.0 = Some((board, build()?));
        }
        self.current()
    }

    /// Returns the value that was built last.
    pub fn current(&mut self) -> Option<&mut T> {
        self.0.as_mut().map(|(_, value)| value)
    }
}

// Derived, it would require the value to have a default.
impl<T> Default for OfBoard<T> {
    fn default() -> Self {
        OfBoard(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_while_the_board_stays_the_same() {
        let [small, large] = [2, 3].map(|side| Board::new(side, side).unwrap());
        let mut of_board = OfBoard::default();
        assert_eq!(of_board.current(), None);
        assert_eq!(of_board.get_or_build(small, || Some(1)), Some(&mut 1));
        assert_eq!(of_board.get_or_build(small, || unreachable!()), Some(&mut 1));
        assert_eq!(of_board.get_or_build(large, || None), None);
        assert_eq!(of_board.current(), Some(&mut 1));
        assert_eq!(of_board.get_or_build(large, || Some(2)), Some(&mut 2));
        assert_eq!(of_board.get_or_build(small, || Some(3)), Some(&mut 3));
    }
}
