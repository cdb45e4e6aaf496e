//! The principal variation of a search.

use super::node::{Action, NodeId};
use super::{Choice, Search};

impl Search {
    /// Returns the choices that the last search expects one after another: the action of its root
    /// with index `action`, then the expected action of each node, as far as the tree goes. Boxes
    /// that are taken in between without a choice are not listed.
    pub fn principal_variation(&self, action: usize) -> Vec<Choice> {
        let mut variation = Vec::new();
        let mut next = self.nodes.first().and_then(|_| self.actions_of(0).get(action));
        while let Some(action) = next {
            variation.push(action.choice);
            next = action.child.and_then(|child| self.expected(child));
        }
        variation
    }

    /// Returns the expected action of a node, among those with a child: actions that are proved to
    /// be worth as much as the node come first, then the most visited one, then the one with the
    /// best value, then the first.
    pub(super) fn expected(&self, node: NodeId) -> Option<&Action> {
        let proved = self.is_settled(node).then(|| self.utility_of(node, self.node(node).bounds.lower));
        let rank = |action: &Action| {
            let is_proved =
                proved.is_some_and(|proved| self.utility_of(node, self.action_bounds(action).lower) >= proved);
            (is_proved, action.visits, self.action_value(action).unwrap_or(f32::NEG_INFINITY))
        };
        let leads_on = self.actions_of(node).iter().filter(|action| action.child.is_some()).map(|a| (rank(a), a));
        // A later action has to be better to be preferred.
        let better = |a: &(bool, u32, f32), b: &(bool, u32, f32)| {
            (a.0, a.1) > (b.0, b.1) || (a.0, a.1) == (b.0, b.1) && a.2 > b.2
        };
        leads_on.reduce(|best, other| if better(&other.0, &best.0) { other } else { best }).map(|(_, action)| action)
    }
}
