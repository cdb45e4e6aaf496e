//! One simulation: down to a new or settled node, then back up with its value and what it proves.

use super::expand::Oracles;
use super::selection::select;
use super::tree::{Action, NO_NODE};
use super::{Evaluator, Search};

impl Search {
    /// One simulation: down to a new or settled node, then back up.
    pub(super) fn simulate<E: Evaluator>(&mut self, root: u32, action: usize, oracles: &mut Oracles<'_, E>) {
        self.path.clear();
        let (mut node, mut index) = (root, self.nodes[root as usize].first_action + action as u32);
        loop {
            self.path.push((node, index));
            let child = self.actions[index as usize].child;
            if child == NO_NODE {
                node = self.grow(node, index, oracles);
                break;
            }
            node = child;
            if !self.is_settled(node) {
                self.prove_again(index, oracles);
            }
            if self.is_settled(node) {
                break;
            }
            index = self.nodes[node as usize].first_action + self.selected(node) as u32;
        }
        let settled = self.is_settled(node);
        let leaf = &mut self.nodes[node as usize];
        let mut value = leaf.value;
        if leaf.visits == 0 || settled {
            leaf.visits += 1;
            leaf.sum += value;
        }
        if settled {
            value = self.node_value(node);
        }
        let path = std::mem::take(&mut self.path);
        for &(node, index) in path.iter().rev() {
            let action = &mut self.actions[index as usize];
            action.visits += 1;
            value = if action.same_mover { value } else { -value };
            self.tighten(node);
            // A simulation that tried something worse than what is proved says nothing against the node.
            value = self.allowed(node, value);
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += value;
        }
        self.path = path;
    }

    /// The index among the node's actions of the one to simulate next.
    pub(super) fn selected(&mut self, node: u32) -> usize {
        self.gather(node);
        select(&self.candidates, self.nodes[node as usize].value, &self.settings, &mut self.scores)
    }

    /// Makes the child of an action.
    fn grow<E: Evaluator>(&mut self, node: u32, index: u32, oracles: &mut Oracles<'_, E>) -> u32 {
        let lead = self.nodes[node as usize].lead;
        let Action { to, gain, same_mover, taken, price, .. } = self.actions[index as usize];
        let lead = if same_mover { lead + gain } else { -(lead + gain) };
        let child = if price > 0 {
            self.answer(to, lead, taken, price, oracles)
        } else {
            self.expand(to, lead, false, oracles)
        };
        self.actions[index as usize].child = child;
        child
    }
}
