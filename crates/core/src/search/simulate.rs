//! Simulations: select a path, expand the new node at its end, and back up its value and bounds.

use super::expand::Oracles;
use super::node::{Node, NodeId, Target};
use super::selection::select;
use super::{Evaluator, Search};

/// The end of a path down the tree.
enum Leaf {
    /// A node whose bounds leave nothing to search.
    Settled(NodeId),
    /// An action of a node that has no child yet, by its index.
    New(NodeId, u32),
}

impl Search {
    /// Runs one simulation that begins with this action of the root.
    pub(super) fn simulate<E: Evaluator>(&mut self, root: NodeId, action: usize, oracles: &mut Oracles<'_, E>) {
        let leaf = match self.select(root, action, oracles) {
            Leaf::Settled(node) => node,
            Leaf::New(node, action) => self.expand_action(node, action, oracles),
        };
        self.back_up(leaf);
    }

    /// Selects actions down to a new or settled node and stores the path. The solver is used again
    /// for nodes on the path whose visits have doubled.
    fn select<E: Evaluator>(&mut self, root: NodeId, action: usize, oracles: &mut Oracles<'_, E>) -> Leaf {
        self.path.clear();
        let (mut node, mut index) = (root, self.node(root).first_action + action as u32);
        loop {
            self.path.push((node, index));
            let Some(child) = self.actions[index as usize].child else { return Leaf::New(node, index) };
            node = child;
            if !self.is_settled(node) {
                self.prove_again(index, oracles);
            }
            if self.is_settled(node) {
                return Leaf::Settled(node);
            }
            index = self.node(node).first_action + self.selected_action(node) as u32;
        }
    }

    /// Returns the action of a node to simulate next, by its index among the node's actions.
    pub(super) fn selected_action(&mut self, node: NodeId) -> usize {
        self.gather(node);
        select(&self.candidates, self.nodes[node as usize].value, &self.settings, &mut self.scores)
    }

    /// Creates the child of an action.
    fn expand_action<E: Evaluator>(&mut self, node: NodeId, index: u32, oracles: &mut Oracles<'_, E>) -> NodeId {
        let lead = self.actions[index as usize].lead_after(self.node(node).lead);
        let child = match self.moves[index as usize].target {
            Target::State(state) => self.expand(state, lead, oracles),
            Target::Answer(offer) => self.expand_answer(&offer, lead, oracles),
        };
        self.actions[index as usize].child = Some(child);
        child
    }

    /// Backs up the leaf's value and bounds along the path.
    fn back_up(&mut self, leaf: NodeId) {
        let is_settled = self.is_settled(leaf);
        let node = self.node_mut(leaf);
        let mut value = node.value;
        if node.visits == 0 || is_settled {
            node.visits += 1;
            node.sum += value;
        }
        if is_settled {
            value = self.node_value(leaf);
        }
        let path = std::mem::take(&mut self.path);
        for &(node, index) in path.iter().rev() {
            let action = &mut self.actions[index as usize];
            action.visits += 1;
            value *= action.sign();
            self.tighten(node);
            // A simulation of an action worse than the proved one is no evidence against the node.
            value = self.clamped(node, value);
            let Node { visits, sum, .. } = self.node_mut(node);
            *visits += 1;
            *sum += value;
        }
        self.path = path;
    }
}
