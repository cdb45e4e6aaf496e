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
        let rank = |action: &Action| {
            let value = self.action_value(action).unwrap_or(f32::NEG_INFINITY);
            (self.is_proved(node, action), action.visits, value)
        };
        let leads_on = self.actions_of(node).iter().filter(|action| action.child.is_some()).map(|a| (rank(a), a));
        // A later action has to be better to be preferred.
        leads_on.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, action)| action)
    }
}
