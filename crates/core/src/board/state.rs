//! The drawn edges of a board, on which alone the margin still to come depends.

use std::fmt;

use super::strings::{AnyLayout, with_layout};
use super::word::Word;
use super::{Board, Edge, Edges, Symmetry};

/// A board with its drawn edges.
///
/// A state has neither owners nor a score, nor a player to move: the margin still to come for the
/// player to move depends on the drawn edges alone (docs/strategy.md, section 7).
/// [`Position`](super::Position) adds the rest of a game.
///
/// ```
/// use doublecross_core::board::{Board, State};
/// let state: State = "2x2:0x81f".parse()?;
/// assert_eq!(state.board(), Board::new(2, 2)?);
/// assert_eq!((state.drawn().len(), state.undrawn().len()), (6, 6));
/// assert_eq!(state.to_string(), "2x2:0x81f");
/// let edge = state.undrawn().lowest().unwrap();
/// assert_eq!(state.after(edge).undrawn().len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    board: Board,
    drawn: Edges,
}

impl State {
    /// Creates the state of the empty board.
    pub const fn new(board: Board) -> State {
        State { board, drawn: Edges::EMPTY }
    }

    /// Creates the state with exactly these edges drawn.
    ///
    /// # Panics
    /// Panics if `drawn` contains an edge that the board does not have.
    pub fn from_drawn(board: Board, drawn: Edges) -> State {
        assert!(drawn.difference(board.all()).is_empty(), "an edge is off the {board} board");
        State { board, drawn }
    }

    /// Creates the state with exactly these edges drawn, or returns `None` if `drawn` contains an
    /// edge that the board does not have.
    pub fn checked(board: Board, drawn: Edges) -> Option<State> {
        drawn.difference(board.all()).is_empty().then_some(State { board, drawn })
    }

    /// Creates the state with all edges drawn except these.
    pub fn from_undrawn(board: Board, undrawn: Edges) -> State {
        State { board, drawn: board.all().difference(undrawn) }
    }

    /// Returns the board.
    pub const fn board(self) -> Board {
        self.board
    }

    /// Returns the drawn edges.
    pub const fn drawn(self) -> Edges {
        self.drawn
    }

    /// Returns the undrawn edges.
    pub fn undrawn(self) -> Edges {
        self.board.all().difference(self.drawn)
    }

    /// Returns `true` if every edge is drawn.
    pub fn is_over(self) -> bool {
        self.drawn == self.board.all()
    }

    /// Returns the state after drawing one more edge.
    #[must_use]
    pub const fn after(self, edge: Edge) -> State {
        State { board: self.board, drawn: self.drawn.with(edge) }
    }

    /// Returns the state after drawing these edges of the board too.
    pub(super) fn after_all(self, edges: Edges) -> State {
        State { board: self.board, drawn: self.drawn.union(edges) }
    }

    /// Returns the number of boxes that drawing `edge` would close, 0 to 2.
    pub fn captures(self, edge: Edge) -> usize {
        let after = self.after(edge);
        self.board.boxes_of(edge).iter().filter(|&&b| after.is_closed(b as usize)).count()
    }

    /// Returns `true` if all four sides of a box are drawn.
    pub fn is_closed(self, box_index: usize) -> bool {
        self.undrawn_sides(box_index).is_empty()
    }

    /// Returns the undrawn sides of a box.
    pub fn undrawn_sides(self, box_index: usize) -> Edges {
        self.board.sides(box_index).difference(self.drawn)
    }

    /// Returns the number of boxes with an undrawn side.
    pub fn open_boxes(self) -> usize {
        with_layout!(self.board, layout => layout.beside(layout.strings(self.undrawn())).count() as usize)
    }

    /// Returns `true` if no box has exactly one undrawn side.
    pub fn is_capture_free(self) -> bool {
        with_layout!(self.board, layout => layout.degrees(layout.strings(self.undrawn())).one.count() == 0)
    }

    /// Returns the undrawn edges of a capture-free state that put no box on offer.
    pub fn safe_edges(self) -> Edges {
        with_layout!(self.board, layout => {
            let strings = layout.strings(self.undrawn());
            let chains = layout.touching(strings, layout.degrees(strings).two);
            layout.edges(strings.without(chains))
        })
    }

    /// Returns the image of the state under a symmetry of its board.
    #[must_use]
    pub fn image(self, symmetry: Symmetry) -> State {
        State { board: self.board, drawn: symmetry.edges(self.drawn) }
    }

    /// Returns the same state, except that of each half-drawn corner pair the edge with the lower
    /// index is drawn.
    #[must_use]
    pub fn merge_twins(self) -> State {
        State { board: self.board, drawn: self.drawn.lowered(self.board.twins()) }
    }

    /// Returns the place that an undrawn edge has in `merged`, which is this state with
    /// [merged twins](State::merge_twins): its own place, or that of the twin that has taken its place.
    #[inline]
    #[must_use]
    pub fn merged_place(self, merged: State, edge: Edge) -> Edge {
        if merged.drawn.contains(edge) { self.twin_place(merged, edge) } else { edge }
    }

    /// Returns the place of an undrawn edge that is drawn in `merged`.
    #[cold]
    fn twin_place(self, merged: State, edge: Edge) -> Edge {
        let sides = self.board.boxes_of(edge).first().map_or(Edges::EMPTY, |&corner| self.board.sides(corner as usize));
        let moved = merged.drawn.difference(self.drawn).intersection(sides);
        let freed = self.drawn.difference(merged.drawn).intersection(sides);
        let place = moved.iter().zip(freed.iter()).find(|&(from, _)| from == edge);
        place.map_or(edge, |(_, to)| to)
    }

    /// Returns the representative of all states that symmetries and corner twins make of this one,
    /// and the symmetry that leads to it, up to twins.
    pub fn canonical(self) -> (State, Symmetry) {
        let (drawn, index) = self.board.symmetry_table().least_image(self.drawn, self.board.twins());
        (State { board: self.board, drawn }, Symmetry::new(self.board, index))
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_and_open_boxes_are_counted() {
        // 1x2: all edges but the middle one are drawn.
        let board = Board::new(1, 2).unwrap();
        let middle = board.vertical(0, 1).unwrap();
        let state = State::from_undrawn(board, Edges::EMPTY.with(middle));
        assert_eq!((state.captures(middle), state.open_boxes()), (2, 2));
        assert!(!state.is_capture_free() && !state.is_over());
        assert!(state.after(middle).is_over());
    }

    #[test]
    fn all_images_share_a_canonical_state() {
        let board = Board::new(3, 3).unwrap();
        let state = State::from_drawn(board, [1, 5, 12, 20].iter().map(|&i| Edge::new(i)).collect());
        let (canonical, symmetry) = state.canonical();
        assert_eq!(state.image(symmetry).merge_twins(), canonical);
        for symmetry in board.symmetries() {
            assert_eq!(state.image(symmetry).canonical().0, canonical);
        }
    }

    #[test]
    #[should_panic(expected = "off the 1x1 board")]
    fn an_edge_off_the_board_panics() {
        State::from_drawn(Board::new(1, 1).unwrap(), Edges::EMPTY.with(Edge::new(9)));
    }
}
