//! The tree: nodes and actions in two arenas, with the values and proved bounds that are read off them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::{Board, Edges};

use super::selection::Candidate;
use super::{Choice, Evaluation, Settings, Utility};

pub(super) const NO_NODE: u32 = u32::MAX;

pub(super) struct Node {
    /// The player to move owns this many boxes more than the other.
    pub(super) lead: i32,
    /// Bounds of the margin still to come for the player to move.
    pub(super) lower: i32,
    pub(super) upper: i32,
    /// Own evaluation and the sum over simulations, in utility.
    pub(super) value: f32,
    pub(super) sum: f32,
    pub(super) visits: u32,
    pub(super) first_action: u32,
    pub(super) actions: u32,
}

/// A step to a position `to`, or, with a price, to the opponent's answer to what `to` is left of.
pub(super) struct Action {
    pub(super) choice: Choice,
    pub(super) logit: f32,
    pub(super) visits: u32,
    pub(super) child: u32,
    pub(super) to: Edges,
    /// Boxes that change hands on the way, from the player's view.
    pub(super) gain: i32,
    /// Boxes that are still open after it.
    pub(super) open: i32,
    pub(super) same_mover: bool,
    /// The opponent's offer, when it has to choose: boxes it can take, and what keeping control costs it.
    pub(super) taken: i32,
    pub(super) price: i32,
}

/// A search tree for one board, its memory kept from search to search.
pub struct Search {
    pub(super) board: Board,
    pub(super) settings: Settings,
    pub(super) utility: Utility,
    pub(super) nodes: Vec<Node>,
    pub(super) actions: Vec<Action>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) scores: Vec<f32>,
    pub(super) path: Vec<(u32, u32)>,
    pub(super) evaluation: Evaluation,
    pub(super) stop: Arc<AtomicBool>,
}

impl Search {
    /// A search of this board.
    pub fn new(board: Board, settings: Settings) -> Search {
        Search {
            board,
            utility: Utility::new(settings.margin_weight, board.boxes()),
            settings,
            nodes: Vec::new(),
            actions: Vec::new(),
            candidates: Vec::new(),
            scores: Vec::new(),
            path: Vec::new(),
            evaluation: Evaluation::BLANK,
            stop: Arc::default(),
        }
    }

    /// What ends a search before its last simulation when another thread sets it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Searches with so many simulations from now on.
    pub fn set_simulations(&mut self, simulations: usize) {
        self.settings.simulations = simulations;
    }

    /// Searches with what goes at leaves with so many nodes of the solver at the root from now on.
    pub fn set_leaf_nodes(&mut self, root_nodes: u64) {
        self.settings = self.settings.clone().with_leaves(root_nodes);
    }

    /// How it searches.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn push_node(&mut self, lead: i32, value: f32, open: i32) -> u32 {
        let first_action = self.actions.len() as u32;
        self.nodes.push(Node { lead, lower: -open, upper: open, value, sum: 0.0, visits: 0, first_action, actions: 0 });
        self.nodes.len() as u32 - 1
    }

    pub(super) fn settled_node(&mut self, lead: i32, (lower, upper): (i32, i32)) -> u32 {
        let node = self.push_node(lead, self.utility.of(lead + lower), 0);
        (self.nodes[node as usize].lower, self.nodes[node as usize].upper) = (lower, upper);
        node
    }

    pub(super) fn actions_of(&self, node: u32) -> &[Action] {
        let node = &self.nodes[node as usize];
        &self.actions[node.first_action as usize..(node.first_action + node.actions) as usize]
    }

    /// Whether the bounds leave no doubt of the node's worth.
    pub(super) fn is_settled(&self, node: u32) -> bool {
        let Node { lead, lower, upper, .. } = self.nodes[node as usize];
        self.leaves_no_doubt(lead, (lower, upper))
    }

    /// Whether a margin within these bounds is worth the same whatever it is.
    pub(super) fn leaves_no_doubt(&self, lead: i32, (lower, upper): (i32, i32)) -> bool {
        self.utility.of(lead + lower) == self.utility.of(lead + upper)
    }

    /// What a margin still to come is worth to the player to move at this node.
    pub(super) fn worth(&self, node: u32, margin: i32) -> f32 {
        self.utility.of(self.nodes[node as usize].lead + margin)
    }

    /// The node's value for its player to move: exact when settled, else the mean within what the bounds allow.
    pub(super) fn node_value(&self, node: u32) -> f32 {
        let Node { value, sum, visits, .. } = self.nodes[node as usize];
        self.allowed(node, if visits == 0 { value } else { sum / visits as f32 })
    }

    /// The value nearest to this one that the node's bounds allow.
    pub(super) fn allowed(&self, node: u32, value: f32) -> f32 {
        let Node { lower, upper, .. } = self.nodes[node as usize];
        // `clamp` would panic where bounds contradict each other, as the table's one false hit in 4 * 10^12 can have them.
        value.max(self.worth(node, lower)).min(self.worth(node, upper))
    }

    /// An action's value for the player who chooses it, once its child exists.
    pub(super) fn action_value(&self, action: &Action) -> Option<f32> {
        (action.child != NO_NODE).then(|| {
            let value = self.node_value(action.child);
            if action.same_mover { value } else { -value }
        })
    }

    /// Bounds of the margin still to come when this action is chosen.
    pub(super) fn action_bounds(&self, action: &Action) -> (i32, i32) {
        let (lower, upper) = if action.child == NO_NODE {
            (-action.open, action.open)
        } else {
            let child = &self.nodes[action.child as usize];
            (child.lower, child.upper)
        };
        if action.same_mover {
            (action.gain + lower, action.gain + upper)
        } else {
            (action.gain - upper, action.gain - lower)
        }
    }

    /// The bounds of a node are the best of its actions' bounds.
    pub(super) fn tighten(&mut self, node: u32) {
        let bounds = self.actions_of(node).iter().map(|action| self.action_bounds(action));
        let (lower, upper) = bounds.fold((i32::MIN, i32::MIN), |(l, u), (lower, upper)| (l.max(lower), u.max(upper)));
        let node = &mut self.nodes[node as usize];
        node.lower = node.lower.max(lower);
        node.upper = node.upper.min(upper);
    }

    pub(super) fn gather(&mut self, node: u32) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let proved = self.worth(node, self.nodes[node as usize].lower);
        candidates.extend(self.actions_of(node).iter().map(|action| {
            let (lower, upper) = self.action_bounds(action);
            let open = self.worth(node, upper) > self.worth(node, lower).max(proved);
            Candidate { logit: action.logit, visits: action.visits, q: self.action_value(action), open }
        }));
        self.candidates = candidates;
    }
}
