//! What the solver is asked while a search runs. The more a search visits a position, the more its exact value is worth:
//! a new one is asked about with a small budget, and again with what its visits add up to whenever these have doubled.
//! So it costs a simulation no more than twice the budget of a visit for each node on its way. Bounds that fall short
//! of the margin are worth having too: values stay within them, and what cannot be best is not searched.

use crate::board::Edges;
use crate::solver::safe_edges;

use super::expand::Oracles;
use super::tree::{Action, Node};
use super::{Evaluator, Prover, Search, Settings};

/// Positions with `s` safe edges are asked about with at least `2^s / LEAST` nodes: with fewer the solver seldom gets far.
const LEAST: u128 = 10;

impl Settings {
    /// The solver's budget for a position with so many undrawn and safe edges that was visited so often before; `None`
    /// where it is too small or the solver is kept out.
    pub fn proof_nodes(&self, undrawn: usize, safe: usize, visits: u32) -> Option<u64> {
        let nodes = self.solver_nodes.saturating_mul(u64::from(visits) + 1);
        let is_near = undrawn <= self.solver_undrawn && safe <= self.solver_safe;
        (nodes > 0 && is_near && u128::from(nodes) * LEAST >= 1 << safe).then_some(nodes)
    }
}

impl Search {
    /// Bounds of the margin still to come in a capture-free position with these safe edges that was visited so often
    /// before, if the solver is asked about it.
    pub(super) fn proved<E: Evaluator>(
        &self,
        drawn: Edges,
        safe: Edges,
        lead: i32,
        visits: u32,
        oracles: &mut Oracles<'_, E>,
    ) -> Option<(i32, i32)> {
        let solver = oracles.solver.as_mut()?;
        let nodes = self.settings.proof_nodes(self.board.undrawn(drawn).len(), safe.len(), visits)?;
        if self.settings.margin_weight > 0.0 {
            return Some(solver.bounds(drawn, -lead, nodes));
        }
        self.proved_result(drawn, lead, nodes, &mut **solver)
    }

    /// The same where nothing but the result counts: who wins takes fewer nodes than the margin.
    fn proved_result(&self, drawn: Edges, lead: i32, nodes: u64, solver: &mut dyn Prover) -> Option<(i32, i32)> {
        let open = self.board.open_boxes(drawn) as i32;
        if solver.is_at_least(drawn, 1 - lead, nodes)? {
            return Some(((1 - lead).max(-open), open));
        }
        // Margins have the parity of the open boxes: a level end may be out of the question.
        let is_odd = (open + lead) % 2 != 0;
        match if is_odd { Some(false) } else { solver.is_at_least(drawn, -lead, nodes) } {
            Some(true) => Some((-lead, -lead)),
            Some(false) => Some((-open, (-1 - lead).min(open))),
            None => Some((-open, -lead)),
        }
    }

    /// Asks the solver again about the node that an action leads to, if its visits have doubled since it was asked.
    pub(super) fn prove_again<E: Evaluator>(&mut self, action: u32, oracles: &mut Oracles<'_, E>) {
        let Action { child, to, price, .. } = self.actions[action as usize];
        let Node { lead, visits, .. } = self.nodes[child as usize];
        // With a price the child is the opponent's choice, and `to` comes after it.
        if price > 0 || !(visits + 1).is_power_of_two() {
            return;
        }
        if let Some(bounds) = self.proved(to, safe_edges(self.board, to), lead, visits, oracles) {
            self.narrow(child, bounds);
        }
    }

    /// Takes over bounds of the margin still to come.
    pub(super) fn narrow(&mut self, node: u32, (lower, upper): (i32, i32)) {
        let node = &mut self.nodes[node as usize];
        node.lower = node.lower.max(lower);
        node.upper = node.upper.min(upper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_grow_with_visits() {
        let settings = Settings { solver_undrawn: 40, solver_safe: 20, solver_nodes: 200, ..Settings::default() };
        assert_eq!(settings.proof_nodes(30, 8, 0), Some(200));
        assert_eq!(settings.proof_nodes(30, 8, 7), Some(1600));
        // 2^11 is more than 10 * 200.
        assert_eq!(settings.proof_nodes(30, 10, 0), Some(200));
        assert_eq!(settings.proof_nodes(30, 11, 0), None);
        assert_eq!(settings.proof_nodes(30, 11, 1), Some(400));
        assert_eq!(settings.proof_nodes(41, 8, 0), None);
        assert_eq!(settings.proof_nodes(30, 21, (1 << 20) - 1), None);
        assert_eq!(Settings { solver_nodes: 0, ..settings.clone() }.proof_nodes(0, 0, 0), None);
        let all = Settings { solver_nodes: u64::MAX, solver_undrawn: 64, solver_safe: 64, ..settings };
        assert_eq!(all.proof_nodes(64, 64, u32::MAX), Some(u64::MAX));
    }
}
