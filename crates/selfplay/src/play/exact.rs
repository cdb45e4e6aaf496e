//! Training samples with exact answers.

use crate::{MarginTarget, Sample};
use doublecross_core::board::{Edge, State};
use doublecross_core::solver::{Solution, Solver};

/// Returns the sample of a state, or `None` if the solver does not settle it within so many nodes.
///
/// With `with_edges`, the solver has as many nodes again for the values of the edges that are not
/// optimal. The sample has no edge values if they do not suffice.
pub(crate) fn exact_sample(solver: &mut Solver, state: State, nodes: u64, with_edges: bool) -> Option<Sample> {
    let solution = solver.solve(state, nodes);
    let margin = solution.margin().filter(|_| !solution.best.is_empty())?;
    let edge_margins = if with_edges { edge_margins(solver, state, &solution, nodes) } else { None };
    Some(Sample {
        state,
        margin: MarginTarget::Exact(margin as i8),
        policy: Sample::uniform(solution.best),
        edge_margins: edge_margins.unwrap_or_default(),
    })
}

/// Returns the value of each undrawn edge of a capture-free state whose best edges are known.
///
/// Returns `None` if the solver does not settle the other edges within so many nodes.
pub(crate) fn edge_margins(
    solver: &mut Solver,
    state: State,
    solution: &Solution,
    nodes: u64,
) -> Option<Vec<(Edge, i8)>> {
    let best = solution.margin().filter(|_| !solution.best.is_empty())?;
    let mut left = nodes;
    let mut margins = Vec::new();
    for equivalent in state.equivalent_edges() {
        let edge = equivalent.lowest()?;
        let margin = if solution.best.contains(edge) {
            best
        } else {
            // No edge of a capture-free state captures a box. Worse edges are most often worse by
            // two boxes.
            let bounds = solver.bounds(state.after(edge), 2 - best, left);
            left = left.saturating_sub(solver.nodes());
            bounds.after(0).margin()?
        };
        margins.extend(equivalent.iter().map(|edge| (edge, margin as i8)));
    }
    Some(margins)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use doublecross_arena::random::{Purpose, random_state, stream};
    use doublecross_core::board::{Board, Edges};
    use doublecross_core::solver::Bounds;

    /// Returns the exact margin still to come if this edge is drawn, for the player who draws it.
    pub fn edge_margin(solver: &mut Solver, state: State, edge: Edge) -> i32 {
        let rest = solver.margin(state.after(edge), u64::MAX).unwrap();
        match state.captures(edge) {
            0 => -rest,
            captured => captured as i32 + rest,
        }
    }

    #[test]
    fn edge_margins_are_exact() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 16);
        for number in 0..20 {
            let state =
                random_state(board, 8 + number as usize % 8, true, &mut stream(4, 0, number, Purpose::Labeling));
            let sample = exact_sample(&mut solver, state, u64::MAX, true).unwrap();
            let edges: Edges = sample.edge_margins.iter().map(|&(edge, _)| edge).collect();
            assert_eq!((edges, sample.edge_margins.len()), (state.undrawn(), edges.len()));
            for &(edge, margin) in &sample.edge_margins {
                assert_eq!(margin as i32, edge_margin(&mut solver, state, edge), "{state} {edge:?}");
            }
            let most = sample.edge_margins.iter().map(|&(_, margin)| margin).max();
            assert_eq!(most, sample.margin.exact());
            assert!(sample.is_possible());
        }
    }

    #[test]
    fn unsettled_edges_leave_the_rest_of_a_sample_unchanged() {
        let board = Board::new(3, 3).unwrap();
        let state = random_state(board, 8, true, &mut stream(4, 0, 0, Purpose::Labeling));
        let fresh = || Solver::new(board, 1 << 12);
        let solution = fresh().solve(state, u64::MAX);
        let all = |nodes| edge_margins(&mut fresh(), state, &solution, nodes);
        let settled = (0..1000).find(|&nodes| all(20 * nodes).is_some()).unwrap();
        assert!(settled > 2);
        assert_eq!(all(20 * settled), all(u64::MAX));
        let unsettled = Solution { bounds: Bounds::new(-9, solution.bounds.upper), ..solution };
        assert_eq!(edge_margins(&mut fresh(), state, &unsettled, u64::MAX), None);
        for nodes in [0, 20, 200, 2000, u64::MAX] {
            let sample = |with_edges| exact_sample(&mut fresh(), state, nodes, with_edges);
            // The rest of the sample does not depend on `with_edges`.
            let without = sample(true).map(|sample| Sample { edge_margins: Vec::new(), ..sample });
            assert_eq!(without, sample(false), "{nodes}");
        }
        assert!(exact_sample(&mut fresh(), state, 20, true).is_none());
    }
}
