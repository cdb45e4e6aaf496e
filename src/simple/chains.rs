//! `chains`: greedy that counts chains and keeps control.

use super::careful;
use crate::board::{Edge, Position};
use crate::solver::{Offer, Openings, capturing_edge, keeping_edge, smallest_first};

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    let (board, drawn) = (position.board(), position.drawn());
    let layout = board.layout();
    let offer = Offer::resolve(layout, board.strings(drawn));
    if offer.taken > 0 {
        // While there are safe edges left nobody has to open a chain, so control is not worth its price.
        let loony = careful(&Position::from_edges(board, board.drawn(offer.rest))).is_empty();
        let rest = smallest_first(layout, offer.rest);
        let keeps = loony && offer.price > 0 && -offer.price - rest > rest;
        return if keeps { keeping_edge(board, drawn) } else { capturing_edge(board, drawn) };
    }
    position.pick(careful(position), nonce).or_else(|| {
        let smallest = Openings::new(layout, board.strings(drawn)).min_by_key(|opening| opening.offer.taken)?;
        position.pick(layout.edges(smallest.edges), nonce)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::simple::Simple;

    /// Rows of a 2x3 board as two 3-chains, the top one opened at its left end.
    fn two_chains(bottom_is_gone: bool) -> Position {
        let board = Board::new(2, 3).unwrap();
        let mut drawn: Edges = (0..9).map(Edge::new).collect();
        drawn.insert(board.vertical(0, 0).unwrap());
        if bottom_is_gone {
            (0..4).for_each(|c| drawn.insert(board.vertical(1, c).unwrap()));
        }
        Position::from_edges(board, drawn)
    }

    fn play_out(mut position: Position, moves: usize) -> Vec<usize> {
        (0..moves)
            .map(|_| {
                let edge = Simple::Chains.choose(&position, 1);
                position.play(edge).unwrap();
                edge.index() - 9
            })
            .collect()
    }

    #[test]
    fn keeps_control_while_a_chain_is_left_and_takes_all_of_the_last() {
        assert_eq!(play_out(two_chains(false), 2), [1, 3]);
        assert_eq!(play_out(two_chains(true), 3), [1, 2, 3]);
    }
}
