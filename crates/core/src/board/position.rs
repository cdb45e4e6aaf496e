//! Positions of a game: the drawn edges, the owners of the boxes and the player to move.

use std::fmt;

use crate::mix::split_mix;

use super::{Board, Edge, Edges, State};

/// A seat at the board: 0 moves first, 1 second.
pub type Seat = usize;

/// The drawn edges, the owners of the closed boxes and the player to move.
///
/// ```
/// use doublecross_core::board::{Board, Position};
/// let board = Board::new(1, 1)?;
/// let mut position = Position::new(board);
/// for edge in board.all() {
///     position.play(edge)?;
/// }
/// assert!(position.is_over());
/// assert_eq!(position.scores(), [0, 1]);
/// // The same game from its text.
/// assert_eq!("1x1 H0,0 H1,0 V0,0 V0,1".parse(), Ok(position));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    state: State,
    /// Bit b of entry s is set if seat s owns box b.
    owned: [u128; 2],
    mover: Seat,
}

impl Position {
    /// Creates the position of the empty board, with seat 0 to move.
    pub fn new(board: Board) -> Position {
        Position::from_state(State::new(board))
    }

    /// Creates a position without a history: closed boxes have no owner, and seat 0 is to move.
    pub fn from_state(state: State) -> Position {
        Position { state, owned: [0; 2], mover: 0 }
    }

    /// Returns the position with these owners and this seat to move. Bit b of entry s of `owned` is
    /// set if seat s owns box b.
    ///
    /// # Panics
    /// Panics if a box is owned twice or owned while open, or if the seat is neither 0 nor 1.
    pub fn with_owners(mut self, owned: [u128; 2], mover: Seat) -> Position {
        assert!(mover < 2 && owned[0] & owned[1] == 0);
        let closed = |b: &usize| self.state.is_closed(*b);
        let closed: u128 = (0..self.board().boxes()).filter(closed).map(|b| 1 << b).sum();
        assert!((owned[0] | owned[1]) & !closed == 0, "an open box should have no owner");
        self.owned = owned;
        self.mover = mover;
        self
    }

    /// Returns the board with its drawn edges.
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.state.board()
    }

    /// Returns the drawn edges.
    pub fn drawn(&self) -> Edges {
        self.state.drawn()
    }

    /// Returns the undrawn edges.
    pub fn undrawn(&self) -> Edges {
        self.state.undrawn()
    }

    /// Returns the seat to move.
    pub fn mover(&self) -> Seat {
        self.mover
    }

    /// Returns the number of boxes that each seat owns.
    pub fn scores(&self) -> [usize; 2] {
        self.owned.map(|boxes| boxes.count_ones() as usize)
    }

    /// Returns the lead of the player to move: the boxes that it owns less those of the opponent.
    pub fn lead(&self) -> i32 {
        let scores = self.scores();
        scores[self.mover] as i32 - scores[1 - self.mover] as i32
    }

    /// Returns the seat that owns a box, or `None` if the box has no owner.
    pub fn owner(&self, box_index: usize) -> Option<Seat> {
        (0..2).find(|&seat| self.owned[seat] >> box_index & 1 == 1)
    }

    /// Returns `true` if every edge is drawn.
    pub fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// Picks one of these edges, each with the same probability over the nonces, or returns `None`
    /// if there are none. The choice depends on the nonce and the drawn edges alone.
    pub fn pick(&self, edges: Edges, nonce: u64) -> Option<Edge> {
        let word = split_mix(nonce ^ split_mix(self.drawn().hash()));
        // The upper half of the product is very nearly uniform for so few edges.
        let index = ((word as u128 * edges.len() as u128) >> 64) as usize;
        edges.iter().nth(index)
    }

    /// Draws an edge for the player to move and returns the number of boxes that it closes, 0 to 2.
    /// A player who closes a box moves again. Otherwise the other seat is to move.
    ///
    /// # Errors
    /// Returns an error if the edge is drawn already or is not on the board. The position is then
    /// unchanged.
    pub fn play(&mut self, edge: Edge) -> Result<usize, MoveError> {
        let board = self.board();
        if edge.index() >= board.edges() {
            return Err(MoveError::OffBoard { edge, board });
        }
        if self.drawn().contains(edge) {
            return Err(MoveError::Drawn { edge, board });
        }
        self.state = self.state.after(edge);
        let mut captured = 0;
        for &b in board.boxes_of(edge) {
            if self.state.is_closed(b as usize) {
                self.owned[self.mover] |= 1 << b;
                captured += 1;
            }
        }
        if captured == 0 {
            self.mover = 1 - self.mover;
        }
        Ok(captured)
    }
}

/// An error returned by [`Position::play`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// The board has no such edge.
    OffBoard {
        /// The requested edge.
        edge: Edge,
        /// The board that does not have it.
        board: Board,
    },
    /// The edge is drawn already.
    Drawn {
        /// The requested edge.
        edge: Edge,
        /// The board of the edge.
        board: Board,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::OffBoard { edge, board } => {
                write!(f, "edge {} is not on {board}: the board has edges 0 to {}", edge.index(), board.edges() - 1)
            }
            MoveError::Drawn { edge, board } => {
                write!(f, "edge {} is drawn already", board.edge_name(*edge))
            }
        }
    }
}

impl std::error::Error for MoveError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_uniform() {
        let position = Position::new(Board::new(2, 2).unwrap());
        let mut counts = [0; 12];
        for nonce in 0..12_000 {
            counts[position.pick(position.undrawn(), nonce).unwrap().index()] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!(position.pick(Edges::EMPTY, 1), None);
    }

    #[test]
    fn a_player_who_closes_boxes_scores_and_moves_again() {
        // 1x2: all edges but the middle one are drawn, then the middle edge closes both boxes.
        let board = Board::new(1, 2).unwrap();
        let middle = board.vertical(0, 1).unwrap();
        let mut position = Position::new(board);
        for edge in board.all().iter().filter(|&e| e != middle) {
            assert_eq!(position.play(edge), Ok(0));
        }
        assert_eq!(position.mover(), 0);
        assert_eq!(position.play(middle), Ok(2));
        assert_eq!((position.mover(), position.scores(), position.lead()), (0, [2, 0], 2));
        assert_eq!(position.owner(1), Some(0));
        assert!(position.is_over());
    }

    #[test]
    fn an_illegal_edge_is_an_error_that_changes_nothing() {
        let board = Board::new(1, 1).unwrap();
        let mut position = Position::new(board);
        position.play(Edge::new(2)).unwrap();
        let before = position.clone();
        assert_eq!(position.play(Edge::new(2)), Err(MoveError::Drawn { edge: Edge::new(2), board }));
        assert!(matches!(position.play(Edge::new(4)), Err(MoveError::OffBoard { .. })));
        assert_eq!(position, before);
    }
}
