//! The order in which the two players try safe edges.

use crate::board::{Board, Edge, Orientation, State};

use super::bits::bits;
use super::places::STRING_PLACES;

/// The order in which safe edges are tried. It starts from the center of the board, so that
/// variations transpose (docs/experiments/solver.md#n73).
#[derive(Clone, Copy)]
pub(crate) enum Order {
    /// Edges of the border last, and others by steps along the lattice. For positions near the
    /// empty board, where each player has an order of its own
    /// (docs/experiments/solver.md#n91).
    Early,
    /// By distance from the center. For positions with many drawn edges.
    Distance,
}

impl Order {
    /// Returns the edges of a board in the order in which a player tries them.
    pub fn edges(self, board: Board, player: Mover) -> Vec<Edge> {
        let place = |edge: &Edge| {
            let offset = Offset::new(board, *edge);
            let Offset { along, across, .. } = offset;
            match (self, player) {
                (Order::Early, Mover::First) => (offset.is_border, 0, along + across, across),
                (Order::Early, Mover::Second) => {
                    (offset.is_border, usize::from(along > 0), along + across, along.min(across))
                }
                (Order::Distance, _) => (false, 0, along * along + across * across, 0),
            }
        };
        let mut edges: Vec<Edge> = board.all().iter().collect();
        edges.sort_by_key(place);
        edges
    }
}

/// The place of an edge's middle relative to the center of the board, in half steps of the lattice.
struct Offset {
    /// The steps in the direction of the edge in the middle of the board, or from left to right
    /// where there is none.
    along: usize,
    /// The steps in the other direction.
    across: usize,
    /// `true` for an edge of the border.
    is_border: bool,
}

impl Offset {
    fn new(board: Board, edge: Edge) -> Offset {
        let (orientation, row, col) = board.coordinates(edge);
        // H(r, c) lies at (2r, 2c+1), and the center at (rows, columns).
        let (y, x) = match orientation {
            Orientation::Horizontal => (2 * row, 2 * col + 1),
            Orientation::Vertical => (2 * row + 1, 2 * col),
        };
        let (dy, dx) = (y.abs_diff(board.rows()), x.abs_diff(board.cols()));
        let is_middle_upright = board.rows() % 2 == 1 && board.cols().is_multiple_of(2);
        let (along, across) = if is_middle_upright { (dy, dx) } else { (dx, dy) };
        Offset { along, across, is_border: board.boxes_of(edge).len() == 1 }
    }
}

/// One of the two players, as far as a position shows: captures change who is to move, and leave no
/// trace in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mover {
    /// The player to move with an even number of drawn edges.
    First,
    /// The player to move with an odd number.
    Second,
}

impl Mover {
    /// Returns the player to move in a state, if no box was captured on the way to it.
    pub fn to_move(state: State) -> Mover {
        if state.drawn().len().is_multiple_of(2) { Mover::First } else { Mover::Second }
    }

    /// Returns the other player.
    #[inline]
    pub fn other(self) -> Mover {
        match self {
            Mover::First => Mover::Second,
            Mover::Second => Mover::First,
        }
    }
}

/// Strings by their places in the order in which a player tries them.
pub(crate) struct StringOrder {
    strings: [u8; STRING_PLACES],
    places: [u8; STRING_PLACES],
}

impl StringOrder {
    /// Creates the order of these strings, each of which is named once.
    ///
    /// # Panics
    /// Panics if there are more strings than places for them.
    pub fn new(strings: impl Iterator<Item = u8>) -> StringOrder {
        let mut order = StringOrder { strings: [0; STRING_PLACES], places: [0; STRING_PLACES] };
        for (place, string) in strings.enumerate() {
            order.strings[place] = string;
            order.places[usize::from(string)] = place as u8;
        }
        order
    }

    /// Returns the places of these strings.
    pub fn places(&self, strings: u64) -> u64 {
        bits(strings).fold(0, |places, string| places | 1 << self.places[string])
    }

    /// Returns the string at a place.
    #[inline]
    pub fn string(&self, place: usize) -> u8 {
        self.strings[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Edges;

    fn order_of(order: Order, rows: usize, cols: usize, player: Mover) -> (Board, Vec<Edge>) {
        let board = Board::new(rows, cols).unwrap();
        (board, order.edges(board, player))
    }

    #[test]
    fn every_edge_has_one_place_and_those_of_the_border_are_last() {
        for (rows, cols) in [(1, 1), (2, 3), (3, 2), (3, 3), (4, 5), (5, 4), (5, 5)] {
            for player in [Mover::First, Mover::Second] {
                for order in [Order::Early, Order::Distance] {
                    let (board, edges) = order_of(order, rows, cols, player);
                    assert_eq!(edges.iter().copied().collect::<Edges>(), board.all());
                    assert_eq!(edges.len(), board.edges());
                }
                let (board, edges) = order_of(Order::Early, rows, cols, player);
                assert!(edges.is_sorted_by_key(|&edge| board.boxes_of(edge).len() == 1), "{rows}x{cols}");
            }
        }
    }

    #[test]
    fn the_first_player_goes_along_the_edge_in_the_middle_and_the_second_across() {
        let horizontal = |(board, edges): (Board, Vec<Edge>)| {
            edges[..3].iter().map(|&edge| board.coordinates(edge)).collect::<Vec<_>>()
        };
        let in_middle = |row, col| (Orientation::Horizontal, row, col);
        assert_eq!(
            horizontal(order_of(Order::Early, 4, 5, Mover::First)),
            [in_middle(2, 2), in_middle(2, 1), in_middle(2, 3)]
        );
        assert_eq!(
            horizontal(order_of(Order::Early, 4, 5, Mover::Second)),
            [in_middle(2, 2), in_middle(1, 2), in_middle(3, 2)]
        );
        // The same board, turned.
        let upright = |player| order_of(Order::Early, 5, 4, player).1[..3].to_vec();
        let turned = |edges: [(usize, usize); 3]| {
            let board = Board::new(5, 4).unwrap();
            edges.map(|(row, col)| board.edge(Orientation::Vertical, row, col).unwrap()).to_vec()
        };
        assert_eq!(upright(Mover::First), turned([(2, 2), (1, 2), (3, 2)]));
        assert_eq!(upright(Mover::Second), turned([(2, 2), (2, 1), (2, 3)]));
    }

    #[test]
    fn places_lead_back_to_their_strings() {
        let order = StringOrder::new([3, 0, 5, 1].into_iter());
        assert_eq!(order.places(1 << 3 | 1 << 1), 1 << 0 | 1 << 3);
        let strings = 1 << 5 | 1 << 0;
        assert_eq!(bits(order.places(strings)).fold(0, |all, place| all | 1 << order.string(place)), strings);
    }

    #[test]
    fn players_alternate() {
        let state: State = "3x3".parse().unwrap();
        let after = state.after(state.board().all().lowest().unwrap());
        assert_eq!(Mover::to_move(state), Mover::First);
        assert_eq!(Mover::to_move(after), Mover::First.other());
    }
}
