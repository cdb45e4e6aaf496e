//! The tree: nodes and actions in two arenas, with the values and proved bounds that are read off them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::{Board, Offer, State};
use crate::solver::Bounds;

use super::selection::Candidate;
use super::{Choice, Evaluation, Settings, Utility};

/// The index of a node in its tree.
pub(super) type NodeId = u32;

/// A capture-free state, or an answer to an opened chain, with what is known of it.
pub(super) struct Node {
    /// The player to move owns this many boxes more than the other.
    pub lead: i32,
    /// Proved bounds of the margin still to come for the player to move.
    pub bounds: Bounds,
    /// Its own evaluation, in utility.
    pub value: f32,
    /// The sum over simulations, in utility.
    pub sum: f32,
    pub visits: u32,
    pub first_action: u32,
    pub action_count: u32,
}

/// The position that an action leads to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A capture-free state.
    State(State),
    /// The opponent's answer to this offer: take all, or keep control.
    Answer(Offer),
}

/// An edge of the tree.
pub(super) struct Action {
    pub choice: Choice,
    pub logit: f32,
    pub visits: u32,
    pub child: Option<NodeId>,
    pub target: Target,
    /// Boxes that change hands on the way, from the player's view.
    pub gain: i32,
    /// Whether the same player moves in the child.
    pub keeps_turn: bool,
    /// Boxes that are still open in the child.
    pub open: i32,
}

impl Action {
    /// A value or margin of the child, as the player who chooses the action sees it.
    pub fn sign(&self) -> f32 {
        if self.keeps_turn { 1.0 } else { -1.0 }
    }

    /// The child's bounds, as the player who chooses the action sees them.
    fn bounds_with(&self, child: Bounds) -> Bounds {
        let bounds = if self.keeps_turn { child } else { child.negate() };
        bounds.shift(self.gain)
    }

    /// The lead of the player to move in the child.
    pub fn lead_after(&self, lead: i32) -> i32 {
        if self.keeps_turn { lead + self.gain } else { -(lead + self.gain) }
    }
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
    /// The nodes of the current simulation, each with the index of the action taken there.
    pub(super) path: Vec<(NodeId, u32)>,
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

    /// A flag that ends a search before its last simulation when another thread sets it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Sets the number of simulations of the searches that follow.
    pub fn set_simulations(&mut self, simulations: usize) {
        self.settings.simulations = simulations;
    }

    /// Sets the leaf budget of the searches that follow to what goes with so many nodes of the solver at the root.
    pub fn set_leaf_nodes(&mut self, root_nodes: u64) {
        self.settings = self.settings.clone().with_leaves(root_nodes);
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// Adds a node whose actions, if any, are the next to be listed.
    pub(super) fn push_node(&mut self, lead: i32, value: f32, bounds: Bounds) -> NodeId {
        let first_action = self.actions.len() as u32;
        self.nodes.push(Node { lead, bounds, value, sum: 0.0, visits: 0, first_action, action_count: 0 });
        self.nodes.len() as NodeId - 1
    }

    /// Ends the list of a node's actions.
    pub(super) fn close_actions(&mut self, node: NodeId) {
        let end = self.actions.len() as u32;
        let node = self.node_mut(node);
        node.action_count = end - node.first_action;
    }

    pub(super) fn settled_node(&mut self, lead: i32, bounds: Bounds) -> NodeId {
        self.push_node(lead, self.utility.of(lead + bounds.lower), bounds)
    }

    pub(super) fn actions_of(&self, node: NodeId) -> &[Action] {
        let node = self.node(node);
        &self.actions[node.first_action as usize..(node.first_action + node.action_count) as usize]
    }

    /// Returns `true` if the bounds leave no doubt of the node's value.
    pub(super) fn is_settled(&self, node: NodeId) -> bool {
        let Node { lead, bounds, .. } = *self.node(node);
        self.settles(lead, bounds)
    }

    /// Returns `true` if every margin within these bounds has the same utility.
    pub(super) fn settles(&self, lead: i32, bounds: Bounds) -> bool {
        self.utility.of(lead + bounds.lower) == self.utility.of(lead + bounds.upper)
    }

    /// The utility of a margin still to come, for the player to move at this node.
    pub(super) fn utility_of(&self, node: NodeId, margin: i32) -> f32 {
        self.utility.of(self.node(node).lead + margin)
    }

    /// The node's value for its player to move: exact when settled, else the mean within what the bounds allow.
    pub(super) fn node_value(&self, node: NodeId) -> f32 {
        let Node { value, sum, visits, .. } = *self.node(node);
        self.allowed(node, if visits == 0 { value } else { sum / visits as f32 })
    }

    /// The value nearest to this one that the node's bounds allow.
    pub(super) fn allowed(&self, node: NodeId, value: f32) -> f32 {
        let Bounds { lower, upper } = self.node(node).bounds;
        // `clamp` would panic where bounds contradict each other, as the table's one false hit in 4 * 10^12 can have them.
        value.max(self.utility_of(node, lower)).min(self.utility_of(node, upper))
    }

    /// An action's value for the player who chooses it, once its child exists.
    pub(super) fn action_value(&self, action: &Action) -> Option<f32> {
        action.child.map(|child| action.sign() * self.node_value(child))
    }

    /// Bounds of the margin still to come when this action is chosen.
    pub(super) fn action_bounds(&self, action: &Action) -> Bounds {
        let bounds = match action.child {
            Some(child) => self.node(child).bounds,
            None => Bounds::of_open_boxes(action.open),
        };
        action.bounds_with(bounds)
    }

    /// Tightens the bounds of a node to the best of its actions' bounds.
    pub(super) fn tighten(&mut self, node: NodeId) {
        let bounds = self.actions_of(node).iter().map(|action| self.action_bounds(action));
        let nothing = Bounds::new(i32::MIN, i32::MIN);
        let best = bounds.fold(nothing, |a, b| Bounds::new(a.lower.max(b.lower), a.upper.max(b.upper)));
        self.narrow(node, best);
    }

    /// Takes over proved bounds of the margin still to come.
    pub(super) fn narrow(&mut self, node: NodeId, bounds: Bounds) {
        let node = self.node_mut(node);
        node.bounds = node.bounds.intersect(bounds);
    }

    /// Lists the node's actions as selection sees them.
    pub(super) fn gather(&mut self, node: NodeId) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let proved = self.utility_of(node, self.node(node).bounds.lower);
        candidates.extend(self.actions_of(node).iter().map(|action| {
            let Bounds { lower, upper } = self.action_bounds(action);
            let open = self.utility_of(node, upper) > self.utility_of(node, lower).max(proved);
            Candidate { logit: action.logit, visits: action.visits, q: self.action_value(action), open }
        }));
        self.candidates = candidates;
    }
}
