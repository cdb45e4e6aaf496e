//! The principal variation of a search.

use super::node::{Action, Move, NodeId};
use super::{Choice, Search};

impl Search {
    /// Returns the choices that the last search expects one after another: the action of its root
    /// with index `action`, then the expected action of each node, as far as the tree goes. Boxes
    /// that are taken in between without a choice are not listed.
    pub fn principal_variation(&self, action: usize) -> Vec<Choice> {
        let mut variation = Vec::new();
        let mut next = self.nodes.first().map(|_| (0, action));
        while let Some((node, action)) = next {
            let Some(Move { choice, .. }) = self.moves_of(node).get(action) else { break };
            variation.push(*choice);
            next = self.actions_of(node)[action].child.and_then(|child| Some((child, self.expected(child)?)));
        }
        variation
    }

    /// Returns the index of the expected action of a node, among those with a child: actions that are proved to
    /// be worth as much as the node come first, then the most visited one, then the one with the
    /// best value, then the first.
    pub(super) fn expected(&self, node: NodeId) -> Option<usize> {
        let rank = |action: &Action| {
            let value = self.action_value(action).unwrap_or(f32::NEG_INFINITY);
            (self.is_proved(node, action), action.visits, value)
        };
        let leads_on = self.actions_of(node).iter().enumerate().filter(|(_, action)| action.child.is_some());
        // A later action has to be better to be preferred.
        let ranked = leads_on.map(|(index, action)| (rank(action), index));
        ranked.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, index)| index)
    }
}
