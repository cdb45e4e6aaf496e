//! What a search expects to be played.

use super::tree::{Action, NO_NODE};
use super::{Choice, Search};

impl Search {
    /// The choices that the last search expects one after the other: an action of its root, then the best of each node
    /// ([`Search::expected`]), as far as the tree goes. Boxes that nobody would leave are taken between them without being
    /// listed.
    pub fn line(&self, action: usize) -> Vec<Choice> {
        let mut line = Vec::new();
        let mut next = self.nodes.first().and_then(|_| self.actions_of(0).get(action));
        while let Some(action) = next {
            line.push(action.choice);
            next = match action.child {
                NO_NODE => None,
                child => self.expected(child),
            };
        }
        line
    }

    /// The action of a node that leads on and is proved to be worth what the node is, else the most visited one, of those
    /// alike the one with the best value, else the first.
    pub(super) fn expected(&self, node: u32) -> Option<&Action> {
        let proved = self.is_settled(node).then(|| self.worth(node, self.nodes[node as usize].lower));
        let rank = |action: &Action| {
            let is_proved = proved.is_some_and(|worth| self.worth(node, self.action_bounds(action).0) >= worth);
            (is_proved, action.visits, self.action_value(action).unwrap_or(f32::NEG_INFINITY))
        };
        let leads_on = self.actions_of(node).iter().filter(|action| action.child != NO_NODE).map(|a| (rank(a), a));
        // The first of the best: a later one has to be better.
        let better = |a: &(bool, u32, f32), b: &(bool, u32, f32)| {
            (a.0, a.1) > (b.0, b.1) || (a.0, a.1) == (b.0, b.1) && a.2 > b.2
        };
        leads_on.reduce(|best, other| if better(&other.0, &best.0) { other } else { best }).map(|(_, action)| action)
    }
}
