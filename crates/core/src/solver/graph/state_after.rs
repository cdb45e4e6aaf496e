//! The state that a line of moves of the search leads to.

use crate::board::State;

use super::graph::Graph;
use super::key::Key;
use super::plan::Plan;
use super::successor::Move;

/// Returns the capture-free state after these moves, with all boxes on offer taken after each.
///
/// A graph does not tell where its chains lie, so the moves are made on the graph and on the state
/// at once: an edge belongs to a move if both lead to the same key. Pairs of short chains that
/// cancel in the graph stay in the state. Returns `None` if no edge belongs to a move.
pub(crate) fn state_after<K: Key>(plan: &Plan, state: State, moves: &[Move]) -> Option<State> {
    let mut graph = Graph::<K>::new(plan, state);
    moves.iter().try_fold(state, |state, &played| {
        graph.apply(plan, played);
        let successors = state.undrawn().iter().map(|edge| state.after(edge).offer().rest);
        successors.into_iter().find(|&next| Graph::<K>::new(plan, next).key() == graph.key())
    })
}

#[cfg(test)]
mod tests {
    use super::super::bits::bits;
    use super::super::graph::tests::any_capture_free;
    use super::super::key::{PlainKey, SymmetricKey};
    use super::super::order::Order;
    use super::*;
    use crate::solver::Solver;
    use proptest::prelude::*;

    fn check<K: Key>(plan: &Plan, state: State, choices: &[usize]) {
        let mut graph = Graph::<K>::new(plan, state);
        let mut moves = Vec::new();
        for choice in choices {
            let strings = bits(graph.safe | graph.hanging).map(|string| Move::String(string as u8));
            let chains = [graph.independent.shortest_short_chain(), graph.independent.shortest_long_chain()];
            let chains = chains.into_iter().flatten().map(|length| Move::Chain(length as u8));
            let loops = graph.independent.shortest_loop().map(|length| Move::Loop(length as u8));
            let all: Vec<Move> = strings.chain(chains).chain(loops).collect();
            let Some(&played) = all.get(choice % all.len().max(1)) else { break };
            graph.apply(plan, played);
            moves.push(played);
        }
        let end = state_after::<K>(plan, state, &moves).expect("each move should have an edge");
        assert_eq!(Graph::<K>::new(plan, end).key(), graph.key());
        assert!(end.is_capture_free());
    }

    proptest! {
        /// Any line of moves can be replayed on the edges, under symmetries too.
        #[test]
        fn lines_lead_to_states_with_the_same_key(state in any_capture_free(), choices: [usize; 6]) {
            let plan = Plan::new(state.board(), Order::Early);
            check::<PlainKey>(&plan, state, &choices);
            match plan.images() {
                4 => check::<SymmetricKey<4>>(&plan, state, &choices),
                _ => check::<SymmetricKey<8>>(&plan, state, &choices),
            }
        }
    }

    /// Every lemma that a search reports is true, and so are the boxes that cancel in it.
    #[test]
    fn lemmas_are_true() {
        let state: State = "3x3".parse().unwrap();
        let mut solver = Solver::new(state.board(), 1 << 16);
        solver.handle().keep_lemmas(20);
        assert_eq!(solver.margin(state, u64::MAX), Some(-3));
        let lemmas = solver.handle().take_lemmas();
        assert!(lemmas.len() > 100, "{}", lemmas.len());
        let mut fresh = Solver::new(state.board(), 1 << 16);
        for lemma in &lemmas {
            let margin = fresh.margin(lemma.state, u64::MAX).unwrap();
            assert!(lemma.bounds.contains(margin), "{lemma:?} {margin}");
        }
        assert!(solver.handle().take_lemmas().is_empty());
        // With the lemmas alone, the search has less to do.
        let mut again = Solver::new(state.board(), 1 << 16);
        lemmas.iter().for_each(|lemma| again.handle().add_lemma(lemma));
        assert_eq!(again.margin(state, u64::MAX), Some(-3));
        fresh.clear();
        assert_eq!(fresh.margin(state, u64::MAX), Some(-3));
        assert!(again.nodes() < fresh.nodes() / 4, "{} {}", again.nodes(), fresh.nodes());
    }
}
