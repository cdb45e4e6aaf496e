//! The bot `chains`: as `greedy`, but it counts chains and keeps control.

use crate::board::{Edge, Position};

use super::without_third_sides;

pub(super) fn choose(position: &Position, nonce: u64) -> Option<Edge> {
    let state = position.state();
    let offer = state.offer();
    if offer.taken > 0 {
        // While safe edges are left, no player has to open a chain, and control is not worth its
        // price.
        let is_loony = without_third_sides(offer.rest).is_empty();
        let keeps = is_loony && offer.keeps_control(offer.rest.smallest_first_margin() as f32);
        return if keeps { state.control_edge() } else { state.capturing_edge() };
    }
    position.pick(without_third_sides(state), nonce).or_else(|| {
        let smallest = state.openings().min_by_key(|opening| opening.offer.taken)?;
        position.pick(smallest.edges, nonce)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges, State};
    use crate::bots::RuleBot;

    /// Returns the rows of a 2x3 board as two 3-chains, the top one opened at its left end.
    fn two_chains(bottom_is_taken: bool) -> Position {
        let board = Board::new(2, 3).unwrap();
        let mut drawn: Edges = (0..9).map(Edge::new).collect();
        drawn.insert(board.vertical(0, 0).unwrap());
        if bottom_is_taken {
            (0..4).for_each(|c| drawn.insert(board.vertical(1, c).unwrap()));
        }
        Position::from_state(State::from_drawn(board, drawn))
    }

    fn play_out(mut position: Position, moves: usize) -> Vec<usize> {
        (0..moves)
            .map(|_| {
                let edge = RuleBot::Chains.choose(&position, 1);
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
