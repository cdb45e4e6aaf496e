//! Training samples: capture-free states with their targets.

use doublecross_core::board::{Edge, Edges, State};
use doublecross_core::solver::Bounds;

/// A training sample: a state and its targets, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The state, which is capture-free.
    pub state: State,
    /// The margin still to come, as far as it is known.
    pub margin: MarginTarget,
    /// The target policy: undrawn edges with their weights, which add up to about 65535.
    pub policy: Vec<(Edge, u16)>,
    /// The value of each undrawn edge, the exact margin for the player who draws it; empty if they
    /// are not known.
    pub edge_margins: Vec<(Edge, i8)>,
}

/// The margin still to come, as far as a sample knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarginTarget {
    /// It is proved, and so is every edge of the policy.
    Exact(i8),
    /// It is that of the game's end and nothing that was proved contradicts it, or it is proved beside a policy that
    /// is not.
    Played(i8),
    /// It is proved to lie from the first to the second, and the game ended otherwise.
    Within(i8, i8),
}

impl MarginTarget {
    /// Returns the margin if it is exact.
    pub fn exact(self) -> Option<i8> {
        if let MarginTarget::Exact(margin) = self { Some(margin) } else { None }
    }

    /// Returns `true` if the margin and the policy are proved.
    pub fn is_exact(self) -> bool {
        self.exact().is_some()
    }

    /// Returns the lowest and the highest margin that the sample teaches.
    pub fn range(self) -> (i8, i8) {
        match self {
            MarginTarget::Exact(margin) | MarginTarget::Played(margin) => (margin, margin),
            MarginTarget::Within(lower, upper) => (lower, upper),
        }
    }

    /// Returns the target of a policy that is not proved, with what is proved of the margin. The margin of the game's
    /// end stays where it is within the bounds.
    pub(crate) fn proved(self, bounds: Bounds) -> MarginTarget {
        let (lower, upper) = self.range();
        let bounds = match self {
            MarginTarget::Exact(_) => return self,
            MarginTarget::Played(_) => bounds,
            MarginTarget::Within(..) => bounds.intersect(Bounds::new(lower as i32, upper as i32)),
        };
        match (self, bounds.margin()) {
            (_, Some(margin)) => MarginTarget::Played(margin as i8),
            (MarginTarget::Played(_), None) if (bounds.lower..=bounds.upper).contains(&(lower as i32)) => self,
            (_, None) => MarginTarget::Within(bounds.lower as i8, bounds.upper as i8),
        }
    }
}

impl Sample {
    /// Returns the weights of a policy of probabilities. Edges whose weight rounds to 0 are left
    /// out.
    pub fn quantize(policy: impl IntoIterator<Item = (Edge, f32)>) -> Vec<(Edge, u16)> {
        let weights = policy.into_iter().map(|(edge, probability)| (edge, (probability * 65535.0).round() as u16));
        weights.filter(|&(_, weight)| weight > 0).collect()
    }

    /// Returns the uniform policy over these edges.
    pub(crate) fn uniform(edges: Edges) -> Vec<(Edge, u16)> {
        Sample::quantize(edges.iter().map(|edge| (edge, 1.0 / edges.len() as f32)))
    }

    /// Returns `true` if the state is capture-free, the edges of the targets are undrawn and each is
    /// there once, the policy's weights can be added up to a probability, and all margins are
    /// possible.
    pub fn is_possible(&self) -> bool {
        if !self.state.is_capture_free() {
            return false;
        }
        let open = self.state.open_boxes() as i32;
        let is_margin = |margin: i8| (margin as i32).abs() <= open && (margin as i32 - open) % 2 == 0;
        let undrawn = self.state.undrawn();
        let weight: u32 = self.policy.iter().map(|&(_, weight)| weight as u32).sum();
        let edges: Edges = self.policy.iter().map(|&(edge, _)| edge).collect();
        let valued: Edges = self.edge_margins.iter().map(|&(edge, _)| edge).collect();
        let (lower, upper) = self.margin.range();
        (lower <= upper && is_margin(lower) && is_margin(upper))
            && (1..=2 * u16::MAX as u32).contains(&weight)
            && (edges.len(), valued.len()) == (self.policy.len(), self.edge_margins.len())
            && self.policy.iter().all(|&(edge, _)| undrawn.contains(edge))
            && self.edge_margins.iter().all(|&(edge, margin)| undrawn.contains(edge) && is_margin(margin))
    }
}
