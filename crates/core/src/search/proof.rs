//! Proofs by the solver during a search.
//!
//! The more often a search visits a position, the more its exact value is worth. The solver gets a
//! small budget for a new position, and a budget in proportion to the visits each time that these
//! have doubled. So proofs cost a simulation at most twice the budget of a visit for each node on
//! its path. Bounds that do not meet help too: values stay within them, and actions that cannot be
//! best are not searched.

use crate::board::{Edges, State};
use crate::solver::Bounds;

use super::expand::Oracles;
use super::node::{Node, Target};
use super::{Evaluator, Prover, Search, Settings};

/// The divisor in the smallest worthwhile budget: a position with `s` safe edges gets at least
/// `2^s / LEAST` nodes or none, because the solver seldom gets far with fewer.
const LEAST: u128 = 10;

impl Settings {
    /// Returns the budget of the solver for a position with this many undrawn edges, safe edges and
    /// earlier visits, or `None` if the budget is too small or the position out of reach.
    pub fn proof_nodes(&self, undrawn: usize, safe: usize, visits: u32) -> Option<u64> {
        let nodes = self.solver_nodes.saturating_mul(u64::from(visits) + 1);
        let is_near = undrawn <= self.solver_undrawn && safe <= self.solver_safe;
        (nodes > 0 && is_near && (u128::from(nodes) * LEAST) >> safe.min(127) > 0).then_some(nodes)
    }
}

impl Search {
    /// Returns bounds of the margin still to come in a capture-free state with these safe edges and
    /// this number of earlier visits, or `None` if the solver is not used for it.
    pub(super) fn proved_bounds<E: Evaluator>(
        &self,
        state: State,
        safe: Edges,
        lead: i32,
        visits: u32,
        oracles: &mut Oracles<'_, E>,
    ) -> Option<Bounds> {
        let solver = oracles.solver.as_mut()?;
        let nodes = self.settings.proof_nodes(state.undrawn().len(), safe.len(), visits)?;
        if self.settings.margin_weight > 0.0 {
            return Some(solver.bounds(state, -lead, nodes));
        }
        proved_result(state, lead, nodes, &mut **solver)
    }

    /// Uses the solver again for the node that an action leads to, if the visits of the node have
    /// doubled since the last time.
    pub(super) fn prove_again<E: Evaluator>(&mut self, action: u32, oracles: &mut Oracles<'_, E>) {
        let Some(child) = self.actions[action as usize].child else { return };
        let Node { lead, visits, .. } = *self.node(child);
        if !(visits + 1).is_power_of_two() {
            return;
        }
        let Target::State(state) = self.moves[action as usize].target else { return };
        if let Some(bounds) = self.proved_bounds(state, state.safe_edges(), lead, visits, oracles) {
            self.narrow(child, bounds);
        }
    }
}

/// Returns bounds of the margin that settle the result, if only the result counts. The winner takes
/// fewer nodes to prove than the margin.
fn proved_result(state: State, lead: i32, nodes: u64, solver: &mut dyn Prover) -> Option<Bounds> {
    let open = state.open_boxes() as i32;
    if solver.is_at_least(state, 1 - lead, nodes)? {
        return Some(Bounds::new((1 - lead).max(-open), open));
    }
    // Margins have the parity of the number of open boxes, which may rule out a tie.
    let is_odd = (open + lead) % 2 != 0;
    Some(match if is_odd { Some(false) } else { solver.is_at_least(state, -lead, nodes) } {
        Some(true) => Bounds::exact(-lead),
        Some(false) => Bounds::new(-open, (-1 - lead).min(open)),
        None => Bounds::new(-open, -lead),
    })
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
