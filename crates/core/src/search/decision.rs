//! The decision at the end of a search: the action to play and the improved policy.

use super::node::{Action, NodeId};
use super::selection::{improved_logits, largest, softmax};
use super::{Outcome, RootAction, Search, Selection};

/// The tenths of the largest number of visits that an action needs to be played, with PUCT.
const ENOUGH_TENTHS: u32 = 3;

impl Search {
    /// Returns the action to play: the one with the largest score among those with enough visits or
    /// with a proved value.
    pub(super) fn final_action(&mut self, root: NodeId, noise: &[f32]) -> usize {
        let useful = self.actions_of(root).iter().filter(|action| self.is_useful(root, action));
        let most = useful.map(|action| action.visits).max().unwrap_or(0);
        let enough = match self.settings.selection {
            Selection::Puct { .. } => (most * ENOUGH_TENTHS).div_ceil(10),
            // Actions that sequential halving has dropped are not played.
            Selection::Gumbel => most,
        };
        let lead = self.node(root).lead;
        self.best_scored(root, noise, |search, action| {
            action.visits >= enough || search.settles(lead, search.action_bounds(action))
        })
    }

    /// Returns the action of the root with the largest noisy score among those to keep, or among
    /// all if there are none to keep. Actions that are proved worse than another are left out,
    /// unless no others remain.
    pub(super) fn best_scored(
        &mut self,
        root: NodeId,
        noise: &[f32],
        keep: impl Fn(&Search, &Action) -> bool,
    ) -> usize {
        self.gather(root);
        improved_logits(&self.candidates, self.node(root).value, self.settings.scale, &mut self.scores);
        let best_of = |keep: &dyn Fn(&Action) -> bool| {
            let is_kept = |action: &Action| self.is_useful(root, action) && keep(action);
            let kept: Vec<bool> = self.actions_of(root).iter().map(is_kept).collect();
            let score = |i: usize| if kept[i] { self.scores[i] + noise[i] } else { f32::NEG_INFINITY };
            largest((0..noise.len()).map(score)).filter(|&i| kept[i])
        };
        best_of(&|action| keep(self, action)).or_else(|| best_of(&|_| true)).unwrap_or(0)
    }

    /// Returns `true` if an action may still be worth as much as the root is proved to be.
    fn is_useful(&self, root: NodeId, action: &Action) -> bool {
        self.utility_of(root, self.action_bounds(action).upper) >= self.utility_of(root, self.node(root).bounds.lower)
    }

    /// Returns `true` if the node is settled and the action is proved to be worth as much.
    pub(super) fn is_proved(&self, node: NodeId, action: &Action) -> bool {
        let least = self.utility_of(node, self.node(node).bounds.lower);
        self.is_settled(node) && self.utility_of(node, self.action_bounds(action).lower) >= least
    }

    /// Returns the outcome of a search whose simulations have ended.
    pub(super) fn outcome(&mut self, root: NodeId, noise: &[f32], raw_margin: f32, simulations: usize) -> Outcome {
        let (bounds, own) = (self.node(root).bounds, self.node(root).value);
        self.gather(root);
        improved_logits(&self.candidates, own, self.settings.scale, &mut self.scores);
        let policy = {
            let useful = self.actions_of(root).iter().map(|action| self.is_useful(root, action));
            let mut scores = self.scores.clone();
            for (score, useful) in scores.iter_mut().zip(useful) {
                *score = if useful { *score } else { f32::NEG_INFINITY };
            }
            softmax(&mut scores);
            scores
        };
        let mut prior: Vec<f32> = self.candidates.iter().map(|candidate| candidate.logit).collect();
        softmax(&mut prior);
        let actions: Vec<RootAction> = (self.actions_of(root).iter().zip(self.moves_of(root)).zip(policy).zip(prior))
            .map(|(((action, played), policy), prior)| RootAction {
                choice: played.choice,
                prior,
                visits: action.visits,
                policy,
                q: self.action_value(action),
                bounds: self.action_bounds(action),
                is_proved: self.is_proved(root, action),
            })
            .collect();
        let chosen = if self.is_settled(root) {
            // Of the actions that are proved to be worth as much as the root, the one with the
            // highest probability.
            let score = |a: &RootAction| if a.is_proved { a.policy } else { -1.0 };
            largest(actions.iter().map(score)).unwrap_or(0)
        } else {
            self.final_action(root, noise)
        };
        let value = actions[chosen].q.unwrap_or(own);
        Outcome { actions, chosen, value, bounds, raw_margin, simulations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges, State};
    use crate::search::node::{Move, Target};
    use crate::search::{Choice, Settings};
    use crate::solver::Bounds;

    /// Creates a root on 2x2 with an action for each (visits, value, whether the value is proved),
    /// with equal priors.
    fn root_of(selection: Selection, actions: &[(u32, f32, bool)]) -> (Search, NodeId) {
        let mut search = Search::new(Board::new(2, 2).unwrap(), Settings { selection, ..Settings::default() });
        let children: Vec<NodeId> = (actions.iter())
            .map(|&(visits, value, is_proved)| {
                let child = search.push_node(0, -value, Bounds::of_open_boxes(4));
                let node = search.node_mut(child);
                (node.visits, node.sum) = (visits, -value * visits as f32);
                if is_proved {
                    let margin = (-4..=4).find(|&margin| search.utility.of(margin) == -value).unwrap();
                    search.node_mut(child).bounds = Bounds::exact(margin);
                }
                child
            })
            .collect();
        let root = search.push_node(0, 0.0, Bounds::of_open_boxes(4));
        for (index, (&(visits, ..), child)) in actions.iter().zip(children).enumerate() {
            let choice = Choice::Draw(Edges::from_bytes(&(1u64 << index).to_le_bytes()));
            let action = Action { logit: 0.0, visits, child: Some(child), gain: 0, keeps_turn: false, open: 4 };
            search.push_action(action, Move { choice, target: Target::State(State::new(search.board)) });
        }
        search.close_actions(root);
        (search, root)
    }

    #[test]
    fn the_final_action_has_enough_visits_or_a_proof() {
        let (puct, gumbel) = (Selection::Puct { exploration: 0.45 }, Selection::Gumbel);
        // Three tenths of 20 visits are 6. Two boxes are worth 0.75.
        let (most, more, fewer, proved) = ((20, 0.3, false), (6, 0.9, false), (5, 0.95, false), (1, 0.75, true));
        for (selection, actions, expected) in [
            (puct, &[most, fewer][..], 0),
            (puct, &[most, fewer, more], 2),
            (puct, &[most, fewer, proved], 2),
            (puct, &[more, most, proved], 0),
            (gumbel, &[more, most, fewer], 1),
            (gumbel, &[more, most, fewer, proved], 3),
        ] {
            let (mut search, root) = root_of(selection, actions);
            assert_eq!(search.final_action(root, &vec![0.0; actions.len()]), expected, "{selection:?} {actions:?}");
        }
        // An action that is proved worse than another is not played, and its visits do not count.
        let (mut search, root) = root_of(puct, &[(90, 0.75, true), (20, 0.9, false), (7, 0.95, false)]);
        search.node_mut(root).bounds.lower = 3;
        assert_eq!(search.final_action(root, &[0.0; 3]), 2);
    }
}
