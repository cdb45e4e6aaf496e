//! What a search expects to be played.

use super::tree::NO_NODE;
use super::{Choice, Search};

impl Search {
    /// The choices that the last search expects one after the other: an action of its root, then the most visited of
    /// each node, as far as the tree goes. Boxes that nobody would leave are taken between them without being listed.
    pub fn line(&self, action: usize) -> Vec<Choice> {
        let mut line = Vec::new();
        let mut next = self.nodes.first().and_then(|_| self.actions_of(0).get(action));
        while let Some(action) = next {
            line.push(action.choice);
            next = match action.child {
                NO_NODE => None,
                child => self.actions_of(child).iter().filter(|a| a.child != NO_NODE).max_by_key(|a| a.visits),
            };
        }
        line
    }
}
