//! Edges that come to the same.

use crate::board::{Board, Edges};

use super::Offer;

/// The undrawn edges of a position, in groups that lead to the same result by the rules alone: all edges of a chain,
/// both edges of a corner. An edge that takes a box is a group of its own.
///
/// ```
/// use doublecross::board::{Board, Edges};
/// use doublecross::solver::equal_edges;
/// let board = Board::new(2, 2)?;
/// // Four corners and four inner edges.
/// assert_eq!(equal_edges(board, Edges::EMPTY).len(), 8);
/// # Ok::<(), doublecross::board::BoardError>(())
/// ```
pub fn equal_edges(board: Board, drawn: Edges) -> Vec<Edges> {
    let mut groups: Vec<(Option<Offer>, Edges)> = Vec::new();
    for edge in board.undrawn(drawn) {
        let after = board.settle_twins(drawn.with(edge));
        let offer = (board.captures(drawn, edge) == 0).then(|| Offer::resolve(board.layout(), board.strings(after)));
        match groups.iter_mut().find(|(other, _)| offer.is_some() && *other == offer) {
            Some((_, edges)) => edges.insert(edge),
            None => groups.push((offer, Edges::EMPTY.with(edge))),
        }
    }
    groups.into_iter().map(|(_, edges)| edges).collect()
}
