//! Diversity: the moves that are equivalent to the chosen one.

use crate::board::{Edges, Position};

use super::{Choice, Play};

/// Returns the edges that are equivalent to a play, together with their images under the symmetries
/// of the position.
///
/// If the solver or the search has proved edges, these are all proved edges. Otherwise they are the
/// edges whose searched value is at most `tolerance` below that of the play, in utility, and that
/// have at least half as many visits.
pub fn equivalent_moves(position: &Position, play: &Play, tolerance: f32) -> Edges {
    let only = Edges::EMPTY.with(play.edge);
    let edges = match (play.proved, &play.searched) {
        (Some(proved), _) => proved.edges,
        (None, Some(outcome)) => {
            let chosen = &outcome.actions[outcome.chosen];
            let is_equal = |action: &&super::RootAction| {
                if chosen.is_proved {
                    return action.is_proved;
                }
                2 * action.visits >= chosen.visits
                    && action.q.zip(chosen.q).is_some_and(|(q, best)| q >= best - tolerance)
            };
            let edges = outcome.actions.iter().filter(is_equal).map(|action| match action.choice {
                Choice::Draw(edges) => edges,
                Choice::TakeAll | Choice::KeepControl => Edges::EMPTY,
            });
            edges.fold(only, Edges::union)
        }
        (None, None) => only,
    };
    let state = position.state();
    let symmetries = position.board().symmetries().filter(|&symmetry| state.image(symmetry) == state);
    symmetries.map(|symmetry| symmetry.edges(edges)).fold(edges, Edges::union)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Budget, UniformEvaluator};
    use crate::solver::ProvedEdges;

    fn choices(game: &str, nodes: u64, tolerance: f32) -> (Play, Edges) {
        let position = game.parse::<Position>().unwrap();
        let play = Budget::new(32, nodes).player(position.board(), UniformEvaluator).decide(&position);
        let edges = equivalent_moves(&position, &play, tolerance);
        assert!(edges.contains(play.edge));
        (play, edges)
    }

    #[test]
    fn images_of_the_first_edge_are_equivalent() {
        // Without a solver, nothing is known of the empty board but its symmetries.
        let (_, edges) = choices("3x3", 0, -1.0);
        assert!([4, 8].contains(&edges.len()), "{}", edges.len());
        let (_, one) = choices("3x3 H0,0 V0,1", 0, -1.0);
        assert_eq!(one.len(), 1);
    }

    #[test]
    fn all_proved_edges_are_equivalent() {
        let (play, edges) = choices("2x2", 10_000, 0.0);
        assert_eq!(play.proved, Some(ProvedEdges { edges, is_final: true }));
        assert_eq!(edges.len(), 8);
    }
}
