//! A search from its root: which of its actions are simulated, and what is reported in the end.

use std::sync::atomic::Ordering::Relaxed;

use crate::board::{MAX_EDGES, Offer, State};

use super::expand::Oracles;
use super::halving::considered_visits;
use super::selection::{improved_logits, largest, softmax};
use super::tree::{Action, NodeId};
use super::{Choice, Evaluator, Outcome, Prover, RootAction, Search, Selection};

/// With PUCT an action with so many tenths of the visits of the most visited one is known well enough to be played.
const ENOUGH: u32 = 3;

impl Search {
    /// Searches a position that is not over, `lead` being the boxes by which the player to move is ahead. `noise` is
    /// added to the root's logits, by edge, where sequential halving compares actions and where one is chosen in the end:
    /// Gumbel noise explores, zeros play the best. The solver is asked at leaves when one is given and the settings let it.
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
        let solver = solver.filter(|_| self.settings.solver_nodes > 0);
        let oracles = &mut Oracles { evaluator, solver };
        let offer = state.offer();
        let root = match offer.taken {
            0 => self.expand_root(state, lead, oracles),
            _ => self.answer(&offer, lead, oracles),
        };
        // Expanding the root made the last evaluation.
        let raw_margin = self.raw_margin(root, &offer);
        let count = self.node(root).action_count as usize;
        let noise: Vec<f32> = self.actions_of(root).iter().map(|action| noise_of(action, noise)).collect();
        let halving = considered_visits(count.min(self.settings.max_considered), self.settings.halved());
        let mut simulations = 0;
        while simulations < self.settings.simulations && !self.is_settled(root) && !self.stop.load(Relaxed) {
            let action = match halving.get(simulations) {
                Some(&visits) => self.halved_action(root, &noise, visits),
                None => self.selected(root),
            };
            self.simulate(root, action, oracles);
            simulations += 1;
        }
        self.outcome(root, &noise, raw_margin, simulations)
    }

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
        // At an answer the evaluation is that of what is left.
        let rest = self.evaluation.expected_margin(self.board.boxes());
        offer.expected_margin(rest)
    }

    /// The action that sequential halving simulates next: of those with this many visits the one with the largest score.
    fn halved_action(&mut self, root: NodeId, noise: &[f32], visits: u32) -> usize {
        self.best_scored(root, noise, |_, action| action.visits == visits)
    }

    /// The action to play: of those that were looked at enough to be judged, or are proved and need no looking at, the one
    /// with the largest score.
    fn final_action(&mut self, root: NodeId, noise: &[f32]) -> usize {
        let useful = self.actions_of(root).iter().filter(|action| self.is_useful(root, action));
        let most = useful.map(|action| action.visits).max().unwrap_or(0);
        let enough = match self.settings.selection {
            Selection::Puct { .. } => (most * ENOUGH).div_ceil(10),
            // What halving dropped was dropped for good.
            Selection::Gumbel => most,
        };
        let lead = self.node(root).lead;
        self.best_scored(root, noise, |search, action| {
            action.visits >= enough || search.settles(lead, search.action_bounds(action))
        })
    }

    /// The root's action with the largest noisy score among those to keep, or among all if there is none. Actions proved
    /// worse than another are left out as long as there is one to choose.
    fn best_scored(&mut self, root: NodeId, noise: &[f32], keep: impl Fn(&Search, &Action) -> bool) -> usize {
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

    /// Whether an action may still be worth what the root is proved to be.
    fn is_useful(&self, root: NodeId, action: &Action) -> bool {
        self.utility_of(root, self.action_bounds(action).upper) >= self.utility_of(root, self.node(root).bounds.lower)
    }

    fn outcome(&mut self, root: NodeId, noise: &[f32], raw_margin: f32, simulations: usize) -> Outcome {
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
        let proved = self.is_settled(root).then(|| self.utility_of(root, bounds.lower));
        let actions: Vec<RootAction> = (self.actions_of(root).iter().zip(policy).zip(prior))
            .map(|((action, policy), prior)| RootAction {
                choice: action.choice,
                prior,
                visits: action.visits,
                policy,
                q: self.action_value(action),
                bounds: self.action_bounds(action),
                is_proved: proved
                    .is_some_and(|proved| self.utility_of(root, self.action_bounds(action).lower) >= proved),
            })
            .collect();
        let chosen = if proved.is_some() {
            // Of the actions that certainly are worth what the root is, the one the policy likes best.
            let score = |a: &RootAction| if a.is_proved { a.policy } else { -1.0 };
            largest(actions.iter().map(score)).unwrap_or(0)
        } else {
            self.final_action(root, noise)
        };
        let value = actions[chosen].q.unwrap_or(own);
        Outcome { actions, chosen, value, bounds, raw_margin, simulations }
    }
}

fn noise_of(action: &Action, noise: &[f32; MAX_EDGES]) -> f32 {
    match action.choice {
        Choice::Draw(edges) => edges.lowest().map_or(0.0, |edge| noise[edge.index()]),
        Choice::TakeAll | Choice::KeepControl => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::search::Settings;
    use crate::search::tree::Target;
    use crate::solver::Bounds;

    /// A root on 2x2 with an action for each (visits, value, whether that value is proved), all as likely.
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
            search.actions.push(Action {
                choice: Choice::Draw(Edges::from_bytes((1u64 << index).to_le_bytes())),
                logit: 0.0,
                visits,
                child: Some(child),
                target: Target::State(State::new(search.board)),
                gain: 0,
                keeps_turn: false,
                open: 4,
            });
        }
        search.close_actions(root);
        (search, root)
    }

    #[test]
    fn what_is_played_was_looked_at_enough_or_is_proved() {
        let (puct, gumbel) = (Selection::Puct { exploration: 0.45 }, Selection::Gumbel);
        // Three tenths of 20 visits are 6; two boxes are worth 0.75.
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
        // What is proved to be worse than another is not played, and its visits do not count.
        let (mut search, root) = root_of(puct, &[(90, 0.75, true), (20, 0.9, false), (7, 0.95, false)]);
        search.node_mut(root).bounds.lower = 3;
        assert_eq!(search.final_action(root, &[0.0; 3]), 2);
    }
}
