//! The order in which the two players try safe edges.

use crate::board::{Board, Edge, Orientation, State};

use super::graph::STRING_PLACES;

/// The order in which safe edges are tried. It starts from the centre of the board, so that
/// variations transpose (docs/experiments/0073-order-of-safe-edges.md).
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// Edges of the border last, and others by steps along the lattice. For positions near the
    /// empty board, where each player has an order of its own
    /// (docs/experiments/0091-an-order-for-each-player.md).
    Early,
    /// By distance from the centre. For positions with many drawn edges.
    Distance,
}

impl Order {
    /// Returns the edges of a board in the order in which a player tries them.
    pub fn edges(self, board: Board, player: Player) -> Vec<Edge> {
        let place = |edge: &Edge| {
            let offset = Offset::new(board, *edge);
            let Offset { along, across, .. } = offset;
            match (self, player) {
                (Order::Early, Player::First) => (offset.is_border, 0, along + across, across),
                (Order::Early, Player::Second) => {
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

/// The place of an edge's middle relative to the centre of the board, in half steps of the lattice.
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
        // H(r, c) lies at (2r, 2c+1), and the centre at (rows, columns).
        let (y, x) = match orientation {
            Orientation::Horizontal => (2 * row, 2 * col + 1),
            Orientation::Vertical => (2 * row + 1, 2 * col),
        };
        let (dy, dx) = (y.abs_diff(board.rows()), x.abs_diff(board.cols()));
        let is_middle_upright = board.rows() % 2 == 1 && board.cols() % 2 == 0;
        let (along, across) = if is_middle_upright { (dy, dx) } else { (dx, dy) };
        Offset { along, across, is_border: board.boxes_of(edge).len() == 1 }
    }
}

/// One of the two players, by who would be to move if all moves had been safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Player {
    /// The player who made the first move of the game.
    First,
    /// The other one.
    Second,
}

impl Player {
    /// Returns the player to move in a state.
    pub fn to_move(state: State) -> Player {
        if state.drawn().len().is_multiple_of(2) { Player::First } else { Player::Second }
    }

    /// Returns the other player.
    #[inline]
    pub fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }
}

/// Strings in the order in which a player tries them.
pub(super) struct InOrder {
    strings: [u8; STRING_PLACES],
    count: usize,
}

impl InOrder {
    /// Creates a list of these strings.
    ///
    /// # Panics
    /// Panics if there are more strings than places for them.
    pub fn new(strings: impl Iterator<Item = u8>) -> InOrder {
        let mut list = InOrder { strings: [0; STRING_PLACES], count: 0 };
        for string in strings {
            list.strings[list.count] = string;
            list.count += 1;
        }
        list
    }

    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.strings[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Edges;

    fn order_of(order: Order, rows: usize, cols: usize, player: Player) -> (Board, Vec<Edge>) {
        let board = Board::new(rows, cols).unwrap();
        (board, order.edges(board, player))
    }

    #[test]
    fn every_edge_has_one_place_and_those_of_the_border_are_last() {
        for (rows, cols) in [(1, 1), (2, 3), (3, 2), (3, 3), (4, 5), (5, 4), (5, 5)] {
            for player in [Player::First, Player::Second] {
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
            horizontal(order_of(Order::Early, 4, 5, Player::First)),
            [in_middle(2, 2), in_middle(2, 1), in_middle(2, 3)]
        );
        assert_eq!(
            horizontal(order_of(Order::Early, 4, 5, Player::Second)),
            [in_middle(2, 2), in_middle(1, 2), in_middle(3, 2)]
        );
        // The same board, turned.
        let upright = |player| order_of(Order::Early, 5, 4, player).1[..3].to_vec();
        let turned = |edges: [(usize, usize); 3]| {
            let board = Board::new(5, 4).unwrap();
            edges.map(|(row, col)| board.edge(Orientation::Vertical, row, col).unwrap()).to_vec()
        };
        assert_eq!(upright(Player::First), turned([(2, 2), (1, 2), (3, 2)]));
        assert_eq!(upright(Player::Second), turned([(2, 2), (2, 1), (2, 3)]));
    }

    #[test]
    fn players_alternate() {
        let state: State = "3x3".parse().unwrap();
        let after = state.after(state.board().all().lowest().unwrap());
        assert_eq!(Player::to_move(state), Player::First);
        assert_eq!(Player::to_move(after), Player::First.other());
    }
}
