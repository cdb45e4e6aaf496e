//! The tree of a search: nodes and actions in two arrays, with the values and proved bounds that
//! follow from them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::board::Board;
use crate::float::{larger, smaller};
use crate::solver::Bounds;

use super::node::{Action, Move, Node, NodeId};
use super::selection::Candidate;
use super::{Evaluation, Settings, Utility};

/// A search of positions of one board. Its memory is reused from search to search.
///
/// ```
/// use doublecross_core::board::{MAX_EDGES, State};
/// use doublecross_core::search::{RolloutEvaluator, Search, Settings};
/// let state: State = "2x3".parse()?;
/// let settings = Settings { simulations: 50, ..Settings::default() };
/// let mut search = Search::new(state.board(), settings);
/// let no_noise = [0.0; MAX_EDGES];
/// let outcome = search.run(state, 0, &no_noise, &mut RolloutEvaluator, None);
/// assert!(outcome.simulations <= 50);
/// assert!(outcome.choice().first_edge(state).is_some());
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub struct Search {
    pub(super) board: Board,
    pub(super) settings: Settings,
    pub(super) utility: Utility,
    pub(super) nodes: Vec<Node>,
    pub(super) actions: Vec<Action>,
    /// The move of each action.
    pub(super) moves: Vec<Move>,
    /// Scratch memory of the selection.
    pub(super) candidates: Vec<Candidate>,
    /// Scratch memory of the selection: a score for each candidate.
    pub(super) scores: Vec<f32>,
    /// The nodes of the current simulation, each with the index of the action selected there.
    pub(super) path: Vec<(NodeId, u32)>,
    /// The last evaluation.
    pub(super) evaluation: Evaluation,
    /// The flag that ends a search when another thread sets it.
    pub(super) stop: Arc<AtomicBool>,
    /// The flag that ends all searches from outside.
    end: Arc<AtomicBool>,
}

impl Search {
    /// Creates a search of this board.
    pub fn new(board: Board, settings: Settings) -> Search {
        Search {
            board,
            utility: Utility::new(settings.margin_weight, board.boxes()),
            settings,
            nodes: Vec::new(),
            actions: Vec::new(),
            moves: Vec::new(),
            candidates: Vec::new(),
            scores: Vec::new(),
            path: Vec::new(),
            evaluation: Evaluation::new(board),
            stop: Arc::default(),
            end: Arc::default(),
        }
    }

    /// Returns a flag that ends a search before its last simulation when another thread sets it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Returns the search with a flag that ends it before its next simulation as long as it is set.
    #[must_use]
    pub fn with_stop(self, end: Arc<AtomicBool>) -> Search {
        Search { end, ..self }
    }

    /// Returns `true` if one of the flags is set that end a search.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed) || self.end.load(Relaxed)
    }

    /// Sets the number of simulations of later searches.
    pub fn set_simulations(&mut self, simulations: usize) {
        self.settings.simulations = simulations;
    }

    /// Sets the leaf budget of later searches in proportion to a number of nodes of the solver at
    /// the root.
    pub fn set_leaf_nodes(&mut self, root_nodes: u64) {
        self.settings = self.settings.clone().with_leaves(root_nodes);
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// Adds a node whose actions, if any, are the next to be added.
    pub(super) fn push_node(&mut self, lead: i32, value: f32, bounds: Bounds) -> NodeId {
        let first_action = self.actions.len() as u32;
        self.nodes.push(Node { lead, bounds, value, sum: 0.0, visits: 0, first_action, action_count: 0 });
        self.nodes.len() as NodeId - 1
    }

    /// Adds an action and what it does.
    pub(super) fn push_action(&mut self, action: Action, played: Move) {
        self.actions.push(action);
        self.moves.push(played);
    }

    /// Ends the list of a node's actions.
    pub(super) fn close_actions(&mut self, node: NodeId) {
        let end = self.actions.len() as u32;
        let node = self.node_mut(node);
        node.action_count = end - node.first_action;
    }

    /// Adds a node without actions whose bounds determine its value.
    pub(super) fn settled_node(&mut self, lead: i32, bounds: Bounds) -> NodeId {
        self.push_node(lead, self.utility.of(lead + bounds.lower), bounds)
    }

    /// Returns the actions of a node.
    pub(super) fn actions_of(&self, node: NodeId) -> &[Action] {
        &self.actions[self.indices_of(node)]
    }

    /// Returns what the actions of a node do.
    pub(super) fn moves_of(&self, node: NodeId) -> &[Move] {
        &self.moves[self.indices_of(node)]
    }

    /// Returns the indices of the actions of a node.
    fn indices_of(&self, node: NodeId) -> Range<usize> {
        let Node { first_action, action_count, .. } = *self.node(node);
        first_action as usize..(first_action + action_count) as usize
    }

    /// Returns `true` if the bounds determine the node's value.
    pub(super) fn is_settled(&self, node: NodeId) -> bool {
        let Node { lead, bounds, .. } = *self.node(node);
        self.settles(lead, bounds)
    }

    /// Returns `true` if all margins within these bounds have the same utility.
    pub(super) fn settles(&self, lead: i32, bounds: Bounds) -> bool {
        self.utility.of(lead + bounds.lower) == self.utility.of(lead + bounds.upper)
    }

    /// Returns the utility of a margin still to come, for the player to move at this node.
    pub(super) fn utility_of(&self, node: NodeId, margin: i32) -> f32 {
        self.utility.of(self.node(node).lead + margin)
    }

    /// Returns the node's value for its player to move: exact if the node is settled, otherwise the
    /// mean, clamped to the bounds.
    pub(super) fn node_value(&self, node: NodeId) -> f32 {
        let Node { value, sum, visits, .. } = *self.node(node);
        self.clamped(node, if visits == 0 { value } else { sum / visits as f32 })
    }

    /// Returns the value nearest to this one that the node's bounds allow.
    pub(super) fn clamped(&self, node: NodeId, value: f32) -> f32 {
        let Bounds { lower, upper } = self.node(node).bounds;
        // `clamp` would panic on bounds that contradict each other, which a false hit of the
        // solver's table could cause.
        smaller(larger(value, self.utility_of(node, lower)), self.utility_of(node, upper))
    }

    /// Returns an action's value for the player who chooses it, once its child exists.
    pub(super) fn action_value(&self, action: &Action) -> Option<f32> {
        action.child.map(|child| action.sign() * self.node_value(child))
    }

    /// Returns bounds of the margin still to come after this action.
    pub(super) fn action_bounds(&self, action: &Action) -> Bounds {
        let bounds = match action.child {
            Some(child) => self.node(child).bounds,
            None => Bounds::of_open_boxes(action.open),
        };
        action.bounds_after(bounds)
    }

    /// Narrows the bounds of a node to the best of its actions' bounds.
    pub(super) fn tighten(&mut self, node: NodeId) {
        let bounds = self.actions_of(node).iter().map(|action| self.action_bounds(action));
        let nothing = Bounds::new(i32::MIN, i32::MIN);
        let best = bounds.fold(nothing, |a, b| Bounds::new(a.lower.max(b.lower), a.upper.max(b.upper)));
        self.narrow(node, best);
    }

    /// Narrows the bounds of a node by proved bounds of the margin still to come.
    pub(super) fn narrow(&mut self, node: NodeId, bounds: Bounds) {
        let node = self.node_mut(node);
        node.bounds = node.bounds.intersect(bounds);
    }

    /// Collects the candidates for selection among the node's actions.
    pub(super) fn gather(&mut self, node: NodeId) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let proved = self.utility_of(node, self.node(node).bounds.lower);
        candidates.extend(self.actions_of(node).iter().map(|action| {
            let Bounds { lower, upper } = self.action_bounds(action);
            let open = self.utility_of(node, upper) > larger(self.utility_of(node, lower), proved);
            Candidate { logit: action.logit, visits: action.visits, q: self.action_value(action), open }
        }));
        self.candidates = candidates;
    }
}
