//! New nodes: settled by the game's end or the solver, else evaluated, with the actions that lead on.

use crate::board::{Edge, Edges};
use crate::solver::{Offer, Openings, safe_edges};

use super::tree::{Action, NO_NODE};
use super::{Choice, Evaluation, Evaluator, Prover, Search};

/// What a search asks while it runs.
pub(super) struct Oracles<'a, E> {
    pub evaluator: &'a mut E,
    pub solver: Option<&'a mut dyn Prover>,
}

impl Search {
    /// A node for a capture-free position: settled by the game's end or by the solver, else evaluated. The root is
    /// always given its actions.
    pub(super) fn expand<E: Evaluator>(
        &mut self,
        drawn: Edges,
        lead: i32,
        is_root: bool,
        oracles: &mut Oracles<'_, E>,
    ) -> u32 {
        let safe = safe_edges(self.board, drawn);
        let bounds = if self.board.undrawn(drawn).is_empty() {
            Some((0, 0))
        } else if is_root {
            None
        } else {
            self.proved(drawn, safe, lead, 0, oracles)
        };
        if let Some(bounds) = bounds.filter(|&bounds| self.leaves_no_doubt(lead, bounds)) {
            return self.settled_node(lead, bounds);
        }
        let mut evaluation = std::mem::replace(&mut self.evaluation, Evaluation::BLANK);
        oracles.evaluator.evaluate(drawn, &mut evaluation);
        let value = self.evaluated_value(&evaluation, lead);
        let open = self.board.open_boxes(drawn) as i32;
        let node = self.push_node(lead, value, open);
        self.list_actions(drawn, safe, open, &evaluation);
        let node_ref = &mut self.nodes[node as usize];
        node_ref.actions = self.actions.len() as u32 - node_ref.first_action;
        self.evaluation = evaluation;
        if let Some(bounds) = bounds {
            self.narrow(node, bounds);
            self.nodes[node as usize].value = self.allowed(node, value);
        }
        node
    }

    /// A node for boxes on offer: take all or keep control. Both lead to the same position, so both children exist at
    /// once; the second one's evaluation is the first one's, out of the evaluator's cache.
    pub(super) fn answer<E: Evaluator>(
        &mut self,
        rest: Edges,
        lead: i32,
        taken: i32,
        price: i32,
        oracles: &mut Oracles<'_, E>,
    ) -> u32 {
        let open = self.board.open_boxes(rest) as i32 + taken;
        let node = self.push_node(lead, 0.0, open);
        // Children come first so that this node's two actions lie side by side.
        let take_all = self.expand(rest, lead + taken, false, oracles);
        let keep = (price > 0).then(|| {
            let gain = taken - price;
            (Choice::KeepControl, self.expand(rest, -(lead + gain), false, oracles), gain, false)
        });
        let first_action = self.actions.len() as u32;
        let steps = std::iter::once((Choice::TakeAll, take_all, taken, true)).chain(keep);
        for (choice, child, gain, same_mover) in steps {
            // Its own evaluation is the first that is known of it.
            let node = &mut self.nodes[child as usize];
            (node.visits, node.sum) = (1, node.value);
            let (logit, visits, open) = (0.0, 0, open - taken);
            self.actions.push(Action {
                choice,
                logit,
                visits,
                child,
                to: rest,
                gain,
                open,
                same_mover,
                taken: 0,
                price: 0,
            });
        }
        let actions = self.actions.len() as u32 - first_action;
        (self.nodes[node as usize].first_action, self.nodes[node as usize].actions) = (first_action, actions);
        let values = self.actions_of(node).iter().filter_map(|action| self.action_value(action));
        self.nodes[node as usize].value = values.fold(f32::NEG_INFINITY, f32::max);
        self.tighten(node);
        node
    }

    fn evaluated_value(&self, evaluation: &Evaluation, lead: i32) -> f32 {
        let boxes = self.board.boxes() as i32;
        let margins = (-boxes..=boxes).zip(&evaluation.margins);
        margins.map(|(margin, &probability)| probability * self.utility.of(lead + margin)).sum()
    }

    /// The actions of a capture-free position: safe edges, corner twins together, and an opening for each chain and
    /// loop. An action's prior is the sum over its edges.
    fn list_actions(&mut self, drawn: Edges, mut safe: Edges, open: i32, evaluation: &Evaluation) {
        let board = self.board;
        while let Some(edge) = safe.lowest() {
            let mut edges = Edges::EMPTY.with(edge);
            for &(low, high) in board.twins() {
                if low == edge && safe.contains(high) {
                    edges.insert(high);
                }
            }
            safe = safe.difference(edges);
            self.push_action(edges, drawn.with(edge), (0, open), (0, 0), evaluation);
        }
        for opening in Openings::new(board.layout(), board.strings(drawn)) {
            let edges = board.layout().edges(opening.edges);
            let Offer { taken, rest, price } = opening.offer;
            let (margin, answer) =
                if price == 0 { ((-taken, open - taken), (0, 0)) } else { ((0, open), (taken, price)) };
            self.push_action(edges, board.drawn(rest), margin, answer, evaluation);
        }
    }

    fn push_action(
        &mut self,
        edges: Edges,
        to: Edges,
        (gain, open): (i32, i32),
        (taken, price): (i32, i32),
        evaluation: &Evaluation,
    ) {
        let logit = |edge: Edge| evaluation.logits[edge.index()];
        let largest = edges.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = edges.iter().map(|edge| (logit(edge) - largest).exp()).sum();
        self.actions.push(Action {
            choice: Choice::Draw(edges),
            logit: largest + sum.ln(),
            visits: 0,
            child: NO_NODE,
            to,
            gain,
            open,
            same_mover: false,
            taken,
            price,
        });
    }
}
