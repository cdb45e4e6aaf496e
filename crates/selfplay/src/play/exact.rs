//! Training samples with exact answers.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{MarginTarget, Sample};
use doublecross_arena::random::random_edge;
use doublecross_core::board::{Edge, State};
use doublecross_core::solver::{Solution, Solver};

/// A solver that labels, with so many nodes for each position.
pub(crate) struct Labeler<'a> {
    pub solver: &'a mut Solver,
    pub nodes: u64,
    /// `true` to give the values of the edges that are not optimal, with as many nodes again. A sample has
    /// no edge values if they do not suffice.
    pub with_edges: bool,
}

impl Labeler<'_> {
    /// Returns the sample of a state, or `None` if the solver does not settle it.
    pub fn sample(&mut self, state: State) -> Option<Sample> {
        let solution = self.solver.solve(state, self.nodes);
        let margin = solution.margin().filter(|_| !solution.best.is_empty())?;
        let edge_margins = if self.with_edges { edge_margins(self.solver, state, &solution, self.nodes) } else { None };
        Some(Sample {
            state,
            margin: MarginTarget::Exact(margin as i8),
            policy: Sample::uniform(solution.best),
            edge_margins: edge_margins.unwrap_or_default(),
        })
    }

    /// Plays on from a state and returns an exact sample for each capture-free state on the way, while at
    /// least `least_undrawn` edges are undrawn and the solver settles each.
    ///
    /// Searches evaluate such states at their leaves.
    pub fn walk(&mut self, mut state: State, least_undrawn: usize, rng: &mut ChaCha8Rng) -> Vec<Sample> {
        let mut samples = Vec::new();
        loop {
            state = state.offer().rest;
            if state.is_over() || state.undrawn().len() < least_undrawn {
                return samples;
            }
            let Some(sample) = self.sample(state) else { return samples };
            state = careless_move(&sample, rng);
            samples.push(sample);
        }
    }
}

/// Returns the state after one of the sample's best edges, or in one case of four after any edge, so
/// that the states that follow are not those of perfect play alone.
pub(crate) fn careless_move(sample: &Sample, rng: &mut ChaCha8Rng) -> State {
    let best = sample.policy.iter().map(|&(edge, _)| edge).collect();
    let choices = if rng.random_range(0..4) == 0 { sample.state.undrawn() } else { best };
    sample.state.after(random_edge(choices, rng))
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
            let sample = Labeler { solver: &mut solver, nodes: u64::MAX, with_edges: true }.sample(state).unwrap();
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
            let sample = |with_edges| Labeler { solver: &mut fresh(), nodes, with_edges }.sample(state);
            // The rest of the sample does not depend on `with_edges`.
            let without = sample(true).map(|sample| Sample { edge_margins: Vec::new(), ..sample });
            assert_eq!(without, sample(false), "{nodes}");
        }
        assert!(Labeler { solver: &mut fresh(), nodes: 20, with_edges: true }.sample(state).is_none());
    }
}
