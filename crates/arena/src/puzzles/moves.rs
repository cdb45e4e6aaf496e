//! Moves as a player counts them: edges with the same effect are one move.

use doublecross_core::board::{Edge, Edges, Offer, State};

/// The effect of an edge by the rules alone: the boxes that can be taken from then on, those that the
/// edge itself captures included, what is left when they are taken, and the price of keeping
/// control.
///
/// The margin after an edge follows from its effect, whatever the margin of the rest is.
#[derive(PartialEq, Eq)]
struct Effect {
    /// `true` if the same player moves again.
    is_capture: bool,
    offer: Offer,
}

impl Effect {
    fn of(state: State, edge: Edge) -> Effect {
        let captures = state.captures(edge);
        let offer = state.after(edge).merge_twins().offer();
        Effect { is_capture: captures > 0, offer: Offer { taken: offer.taken + captures as i32, ..offer } }
    }
}

/// Returns the undrawn edges of a state in groups that are one move each.
///
/// Two edges are one move if both or neither capture a box, and if then as many boxes can be taken in
/// all, with the same edges left (the two outer edges of an undrawn corner count as the same) and
/// the same price of keeping control. So all edges of a chain of three boxes or more are one move, as
/// are the outer edges of a chain of two, both edges of a corner, and captures in either order.
///
/// ```
/// use doublecross_core::board::State;
/// use doublecross_arena::puzzles::distinct_moves;
/// // A chain of two: its middle edge, or either outer one.
/// assert_eq!(distinct_moves("1x2:0xf".parse()?).len(), 2);
/// // A chain of three: any edge.
/// assert_eq!(distinct_moves("1x3:0x3f".parse()?).len(), 1);
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub fn distinct_moves(state: State) -> Vec<Edges> {
    let mut moves: Vec<(Effect, Edges)> = Vec::new();
    for edge in state.undrawn() {
        let effect = Effect::of(state, edge);
        match moves.iter_mut().find(|(other, _)| *other == effect) {
            Some((_, edges)) => edges.insert(edge),
            None => moves.push((effect, Edges::EMPTY.with(edge))),
        }
    }
    moves.into_iter().map(|(_, edges)| edges).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Minimax, any_state};
    use super::*;
    use doublecross_core::board::Position;
    use proptest::prelude::*;

    fn moves(text: &str) -> Vec<Vec<String>> {
        let state = text.parse::<Position>().unwrap().state();
        let names = |edges: Edges| edges.iter().map(|edge| state.board().edge_name(edge)).collect();
        distinct_moves(state).into_iter().map(names).collect()
    }

    #[test]
    fn captures_in_either_order_are_one_move() {
        // A box on offer at each end, and the middle box with two undrawn sides.
        let both = "1x4 H0,0 H1,0 V0,0 H0,3 H1,3 V0,4 H0,1 H0,2";
        assert!(moves(both).contains(&vec!["V0,1".to_string(), "V0,3".into()]));
        // A half-open run of two: to take a box of it, or to leave both.
        assert_eq!(moves("1x2 H0,0 H0,1 H1,0 H1,1 V0,0"), [["V0,1"], ["V0,2"]]);
    }

    #[test]
    fn both_edges_of_a_corner_are_one_move() {
        assert!(moves("2x2").contains(&vec!["H0,0".to_string(), "V0,0".into()]));
    }

    proptest! {
        /// The groups partition the undrawn edges, and all edges of one have the same margin.
        #[test]
        fn the_edges_of_a_move_have_one_margin(state in any_state(12)) {
            let moves = distinct_moves(state);
            prop_assert_eq!(moves.iter().copied().fold(Edges::EMPTY, Edges::union), state.undrawn());
            prop_assert_eq!(moves.iter().map(|edges| edges.len()).sum::<usize>(), state.undrawn().len());
            let mut minimax = Minimax::default();
            for edges in moves {
                let mut margins: Vec<i32> = edges.iter().map(|edge| minimax.edge_margin(state, edge)).collect();
                margins.dedup();
                prop_assert_eq!(margins.len(), 1, "{} {:?}", state, edges);
            }
        }
    }
}
