//! The analysis of single edges, from the actions of a search.

use crate::board::{Edge, Edges, Position};
use crate::search::{Choice, Outcome};
use crate::solver::Bounds;

/// The analysis of an undrawn edge, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeAnalysis {
    /// The edge.
    pub edge: Edge,
    /// The share of the policy after the search. The shares of all edges add up to 1.
    pub policy: f32,
    /// The expected final margin after the edge is drawn. `None` if the search never tried it.
    pub expected: Option<f32>,
    /// Proved bounds of the final margin after the edge is drawn.
    pub bounds: Bounds,
}

impl EdgeAnalysis {
    /// Returns the analysis of every undrawn edge, from the outcome of a search.
    pub(super) fn all(position: &Position, outcome: &Outcome) -> Vec<EdgeAnalysis> {
        let (state, lead) = (position.state(), position.lead());
        let bounds = Bounds::of_state(state).shift(lead);
        let unknown = |edge| EdgeAnalysis { edge, policy: 0.0, expected: None, bounds };
        let mut edges: Vec<EdgeAnalysis> = position.undrawn().iter().map(unknown).collect();
        for action in &outcome.actions {
            let begins: Edges = match action.choice {
                Choice::Draw(edges) => edges,
                choice => choice.first_edge(state).into_iter().collect(),
            };
            let share = action.policy / begins.len().max(1) as f32;
            for analysis in edges.iter_mut().filter(|analysis| begins.contains(analysis.edge)) {
                // Taking all and keeping control may begin with the same edge.
                analysis.policy += share;
                analysis.expected = action.q.map(|q| q * state.board().boxes() as f32);
                analysis.bounds = action.bounds.shift(lead);
            }
        }
        edges
    }
}

/// Sets the values of edges that take boxes on offer or leave them.
///
/// Every way to deal with the boxes ends in the same state, so the facts that the search has found
/// about that state hold for all of these edges. An edge that begins to take all may leave both
/// choices open, or raise the price of control.
pub(super) fn resolve_captures(position: &Position, outcome: &Outcome, edges: &mut [EdgeAnalysis]) {
    let (state, lead) = (position.state(), position.lead());
    let offer = state.offer();
    if offer.taken == 0 {
        return;
    }
    // The margin of that state, for the player to move there.
    let (mut bounds, mut expected) = (Bounds::of_state(offer.rest), None);
    for action in &outcome.actions {
        let left = action.q.map(|q| q * state.board().boxes() as f32 - (lead + offer.taken) as f32);
        let (known, left) = match (action.choice, offer.price) {
            (Choice::TakeAll, _) => (action.bounds.shift(-offer.taken), left),
            (Choice::KeepControl, Some(price)) => {
                (action.bounds.negate().shift(offer.taken - price), left.map(|left| -price as f32 - left))
            }
            _ => continue,
        };
        bounds = bounds.intersect(known);
        expected = expected.or(left);
    }
    for analysis in edges {
        let next = state.after(analysis.edge).offer();
        if next.rest != offer.rest {
            continue;
        }
        let captures = state.captures(analysis.edge);
        analysis.bounds = next.bounds(bounds).after(captures).shift(lead);
        analysis.expected = expected.map(|rest| match captures {
            0 => lead as f32 - next.expected_margin(rest),
            _ => (lead + captures as i32) as f32 + next.expected_margin(rest),
        });
    }
}
