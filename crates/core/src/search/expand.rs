//! Creation of nodes: settled by the end of the game or the solver, otherwise evaluated, with the
//! actions that lead on.

use crate::board::{Edge, Edges, Offer, State};
use crate::float::{exp, larger, ln};
use crate::solver::Bounds;

use super::node::{Action, Move, NodeId, Target};
use super::{Choice, Evaluator, Prover, Search};

/// The evaluator and the solver of one search.
pub(super) struct Oracles<'a, E> {
    pub evaluator: &'a mut E,
    pub solver: Option<&'a mut dyn Prover>,
}

impl Search {
    /// Creates the node of a capture-free root, evaluated and with its actions even if the solver
    /// could settle it.
    pub(super) fn expand_root<E: Evaluator>(
        &mut self,
        state: State,
        lead: i32,
        oracles: &mut Oracles<'_, E>,
    ) -> NodeId {
        if state.is_over() {
            return self.settled_node(lead, Bounds::exact(0));
        }
        self.evaluated_node(state, state.safe_edges(), lead, oracles)
    }

    /// Creates the node of a capture-free state: settled by the end of the game or by the solver,
    /// otherwise evaluated.
    pub(super) fn expand<E: Evaluator>(&mut self, state: State, lead: i32, oracles: &mut Oracles<'_, E>) -> NodeId {
        let safe = state.safe_edges();
        let bounds = match state.is_over() {
            true => Some(Bounds::exact(0)),
            false => self.proved_bounds(state, safe, lead, 0, oracles),
        };
        if let Some(bounds) = bounds.filter(|&bounds| self.settles(lead, bounds)) {
            return self.settled_node(lead, bounds);
        }
        let node = self.evaluated_node(state, safe, lead, oracles);
        if let Some(bounds) = bounds {
            self.narrow(node, bounds);
            self.node_mut(node).value = self.clamped(node, self.node(node).value);
        }
        node
    }

    /// Creates a node with the evaluator's value and priors.
    fn evaluated_node<E: Evaluator>(
        &mut self,
        state: State,
        safe: Edges,
        lead: i32,
        oracles: &mut Oracles<'_, E>,
    ) -> NodeId {
        oracles.evaluator.evaluate(state, &mut self.evaluation);
        let value = self.evaluated_value(lead);
        let open = state.open_boxes() as i32;
        let node = self.push_node(lead, value, Bounds::of_open_boxes(open));
        self.list_actions(state, safe, open);
        self.close_actions(node);
        node
    }

    /// Creates the node of a state with boxes on offer, with the actions "take all" and "keep
    /// control".
    ///
    /// Both actions lead to the same state, so both children are created at once. The evaluation of
    /// the second one comes from the evaluator's cache.
    pub(super) fn expand_answer<E: Evaluator>(
        &mut self,
        offer: &Offer,
        lead: i32,
        oracles: &mut Oracles<'_, E>,
    ) -> NodeId {
        let Offer { taken, rest, price } = *offer;
        let open = rest.open_boxes() as i32;
        let node = self.push_node(lead, 0.0, Bounds::of_open_boxes(open + taken));
        // The children are created first, so that the two actions of this node are adjacent.
        let take_all = self.expand(rest, lead + taken, oracles);
        let keep = price.map(|price| {
            let gain = taken - price;
            (Choice::KeepControl, self.expand(rest, -(lead + gain), oracles), gain, false)
        });
        self.node_mut(node).first_action = self.actions.len() as u32;
        for (choice, child, gain, keeps_turn) in [(Choice::TakeAll, take_all, taken, true)].into_iter().chain(keep) {
            // The evaluation of the child counts as its first visit.
            let child_node = self.node_mut(child);
            (child_node.visits, child_node.sum) = (1, child_node.value);
            let action = Action { logit: 0.0, visits: 0, child: Some(child), gain, keeps_turn, open };
            self.push_action(action, Move { choice, target: Target::State(rest) });
        }
        self.close_actions(node);
        let values = self.actions_of(node).iter().filter_map(|action| self.action_value(action));
        self.node_mut(node).value = values.fold(f32::NEG_INFINITY, larger);
        self.tighten(node);
        node
    }

    /// Returns the expected utility by the last evaluation, for a player who leads by `lead`.
    fn evaluated_value(&self, lead: i32) -> f32 {
        let boxes = self.board.boxes() as i32;
        let margins = (-boxes..=boxes).zip(&self.evaluation.margins);
        margins.map(|(margin, &probability)| probability * self.utility.of(lead + margin)).sum()
    }

    /// Lists the actions of a capture-free state: safe edges, with corner twins as one action, and
    /// an opening for each chain and loop. The prior of an action is the sum over its edges.
    fn list_actions(&mut self, state: State, safe: Edges, open: i32) {
        // Of twins that are both safe, the first stands for both.
        let (mut first, mut with_twin) = (safe, Edges::EMPTY);
        let twins = self.board.twins();
        for &(low, high) in twins.iter().filter(|&&(low, high)| safe.contains(low) && safe.contains(high)) {
            first.remove(high);
            with_twin.insert(low);
        }
        for edge in first {
            let mut edges = Edges::EMPTY.with(edge);
            if with_twin.contains(edge) {
                let others = twins.iter().filter(|&&(low, high)| low == edge && safe.contains(high));
                others.for_each(|&(_, high)| edges.insert(high));
            }
            self.push_draw(edges, Target::State(state.after(edge)), 0, open);
        }
        for opening in state.openings() {
            let offer = opening.offer;
            let (target, gain) = match offer.price {
                // The opponent can only take all.
                None => (Target::State(offer.rest), -offer.taken),
                Some(_) => (Target::Answer(offer), 0),
            };
            self.push_draw(opening.edges, target, gain, open + gain);
        }
    }

    /// Adds the action that draws any one of these edges and passes the turn.
    fn push_draw(&mut self, edges: Edges, target: Target, gain: i32, open: i32) {
        let logit = |edge: Edge| self.evaluation.logits[edge.index()];
        // The logarithm of a sum of one exponential, as for most actions, is its exponent.
        let logit = match edges.only() {
            Some(edge) => larger(f32::NEG_INFINITY, logit(edge)),
            None => {
                let largest = edges.iter().map(logit).fold(f32::NEG_INFINITY, larger);
                largest + ln(edges.iter().map(|edge| exp(logit(edge) - largest)).sum())
            }
        };
        let action = Action { logit, visits: 0, child: None, gain, keeps_turn: false, open };
        self.push_action(action, Move { choice: Choice::Draw(edges), target });
    }
}
