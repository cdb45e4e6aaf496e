//! The loop of a search, from its root.

use crate::board::{MAX_EDGES, Offer, State};

use super::expand::Oracles;
use super::halving::considered_visits;
use super::node::{Action, NodeId};
use super::settings::MOST_ACTIONS;
use super::{Choice, Evaluator, Outcome, Prover, Search};

impl Search {
    /// Searches a position that is not over. The player to move leads by `lead` boxes.
    ///
    /// `noise` is added to the logits of the root, by edge, when sequential halving compares
    /// actions and when the final action is chosen. Gumbel noise explores, zeros lead to the best
    /// action. `solver` is used at leaves if the settings give it a budget.
    pub fn run<'a, E: Evaluator>(
        &mut self,
        state: State,
        lead: i32,
        noise: &[f32; MAX_EDGES],
        evaluator: &'a mut E,
        solver: Option<&'a mut dyn Prover>,
    ) -> Outcome {
        self.nodes.clear();
        self.actions.clear();
        self.moves.clear();
        let solver = solver.filter(|_| self.settings.solver_nodes > 0);
        let oracles = &mut Oracles { evaluator, solver };
        let offer = state.offer();
        let root = match offer.taken {
            0 => self.expand_root(state, lead, oracles),
            _ => self.expand_answer(&offer, lead, oracles),
        };
        // The last evaluation is that of the root's expansion.
        let raw_margin = self.raw_margin(root, &offer);
        let count = self.node(root).action_count as usize;
        let noise: Vec<f32> = self.moves_of(root).iter().map(|played| noise_of(played.choice, noise)).collect();
        let halving = considered_visits(count.min(self.settings.max_considered), self.settings.halving_simulations());
        let mut simulations = 0;
        while simulations < self.settings.simulations && !self.is_settled(root) && !self.must_end() {
            let action = match halving.get(simulations) {
                Some(&visits) => self.halving_action(root, &noise, visits),
                None => self.selected_action(root),
            };
            self.simulate(root, action, oracles);
            simulations += 1;
        }
        self.outcome(root, &noise, raw_margin, simulations)
    }

    /// Returns `true` if the tree is full or another thread ends the search.
    fn must_end(&self) -> bool {
        self.actions.len() >= MOST_ACTIONS || self.is_stopped()
    }

    /// Returns the expected margin still to come by the evaluation of the root.
    fn raw_margin(&self, root: NodeId, offer: &Offer) -> f32 {
        let bounds = self.node(root).bounds;
        if let Some(margin) = bounds.margin() {
            return margin as f32;
        }
        // The child of an answer may be settled without an evaluation.
        let is_evaluated = |action: &Action| action.child.is_some_and(|child| self.node(child).action_count > 0);
        if offer.taken > 0 && !self.actions_of(root).iter().any(is_evaluated) {
            return (bounds.lower + bounds.upper) as f32 / 2.0;
        }
        // With boxes on offer, the evaluation is that of the state when they are taken.
        let rest = self.evaluation.expected_margin(self.board.boxes());
        offer.expected_margin(rest)
    }

    /// Returns the action that sequential halving simulates next: the one with the largest score
    /// among those with this many visits.
    fn halving_action(&mut self, root: NodeId, noise: &[f32], visits: u32) -> usize {
        self.best_scored(root, noise, |_, action| action.visits == visits)
    }
}

/// Returns the noise of a choice at the root.
fn noise_of(choice: Choice, noise: &[f32; MAX_EDGES]) -> f32 {
    match choice {
        Choice::Draw(edges) => edges.lowest().map_or(0.0, |edge| noise[edge.index()]),
        Choice::TakeAll | Choice::KeepControl => 0.0,
    }
}
