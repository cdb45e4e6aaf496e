//! The principal variation of a search.

use super::tree::{Action, NodeId};
use super::{Choice, Search};

impl Search {
    /// The choices that the last search expects one after the other: an action of its root, then the best of each node, as
    /// far as the tree goes. Boxes that nobody would leave are taken between them without being listed.
    pub fn principal_variation(&self, action: usize) -> Vec<Choice> {
        let mut variation = Vec::new();
        let mut next = self.nodes.first().and_then(|_| self.actions_of(0).get(action));
        while let Some(action) = next {
            variation.push(action.choice);
            next = action.child.and_then(|child| self.expected(child));
        }
        variation
    }

    /// The action of a node that leads on and is proved to be worth what the node is, else the most visited one, of those
    /// alike the one with the best value, else the first.
    pub(super) fn expected(&self, node: NodeId) -> Option<&Action> {
        let proved = self.is_settled(node).then(|| self.utility_of(node, self.node(node).bounds.lower));
        let rank = |action: &Action| {
            let is_proved =
                proved.is_some_and(|proved| self.utility_of(node, self.action_bounds(action).lower) >= proved);
            (is_proved, action.visits, self.action_value(action).unwrap_or(f32::NEG_INFINITY))
        };
        let leads_on = self.actions_of(node).iter().filter(|action| action.child.is_some()).map(|a| (rank(a), a));
        // The first of the best: a later one has to be better.
        let better = |a: &(bool, u32, f32), b: &(bool, u32, f32)| {
            (a.0, a.1) > (b.0, b.1) || (a.0, a.1) == (b.0, b.1) && a.2 > b.2
        };
        leads_on.reduce(|best, other| if better(&other.0, &best.0) { other } else { best }).map(|(_, action)| action)
    }
}
