//! The tree: nodes and actions in two arenas, simulations, back-up of values and of proved bounds.

use crate::board::{Board, Edges, MAX_EDGES};
use crate::solver::{Offer, Openings, Solver, safe_edges};

use super::halving::considered_visits;
use super::selection::{Candidate, Scale, improved_logits, largest, select, softmax};
use super::{Evaluation, Evaluator, Utility};

/// How a search is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Simulations below the root.
    pub simulations: usize,
    /// At most this many actions are considered at the root.
    pub considered: usize,
    /// `c_visit` of the Q-transform.
    pub c_visit: f32,
    /// `c_scale` of the Q-transform; Q-values are raw, in -1..=1.
    pub c_scale: f32,
    /// The share of the margin, beside the result, in what is maximised (see [`Utility`]).
    pub margin_weight: f32,
    /// Leaves with at most this many undrawn edges are given to the solver.
    pub solver_undrawn: usize,
    /// The solver's budget for one leaf, in nodes; 0 keeps it out.
    pub solver_nodes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            simulations: 100,
            considered: 16,
            c_visit: 50.0,
            c_scale: 1.0,
            margin_weight: 0.5,
            solver_undrawn: 0,
            solver_nodes: 0,
        }
    }
}

/// What an action at the root stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Draw any one of these interchangeable edges.
    Draw(Edges),
    /// Take every box on offer.
    TakeAll,
    /// Leave the last boxes of a run to the opponent, who then has to move.
    KeepControl,
}

/// One action at the root after a search.
#[derive(Clone, Copy, Debug)]
pub struct RootAction {
    /// What it is.
    pub choice: Choice,
    /// Simulations that went through it.
    pub visits: u32,
    /// The improved policy's probability.
    pub policy: f32,
    /// Its value for the player to move, in utility.
    pub q: Option<f32>,
    /// Proved bounds of the margin still to come when it is chosen.
    pub bounds: (i32, i32),
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Every action of the root.
    pub actions: Vec<RootAction>,
    /// Index of the action to play.
    pub chosen: usize,
    /// The root's value after the search, in utility.
    pub value: f32,
    /// Proved bounds of the margin still to come.
    pub bounds: (i32, i32),
    /// Expected margin still to come by the root's own evaluation (exact when settled without one).
    pub raw_margin: f32,
    /// Simulations run.
    pub simulations: usize,
}

impl Outcome {
    /// The exact margin still to come, when the search proved it.
    pub fn settled(&self) -> Option<i32> {
        (self.bounds.0 == self.bounds.1).then_some(self.bounds.0)
    }

    /// The choice to play.
    pub fn choice(&self) -> Choice {
        self.actions[self.chosen].choice
    }
}

const NO_NODE: u32 = u32::MAX;

struct Node {
    /// The player to move owns this many boxes more than the other.
    lead: i32,
    /// Bounds of the margin still to come for the player to move.
    lower: i32,
    upper: i32,
    /// Own evaluation and the sum over simulations, in utility.
    value: f32,
    sum: f32,
    visits: u32,
    first_action: u32,
    actions: u32,
}

/// A step to a position `to`, or, with a price, to the opponent's answer to what `to` is left of.
struct Action {
    choice: Choice,
    logit: f32,
    visits: u32,
    child: u32,
    to: Edges,
    /// Boxes that change hands on the way, from the player's view.
    gain: i32,
    same_mover: bool,
    /// The opponent's offer, when it has to choose: boxes it can take, and what keeping control costs it.
    taken: i32,
    price: i32,
}

/// A search tree for one board, its memory kept from search to search.
pub struct Search {
    board: Board,
    settings: Settings,
    utility: Utility,
    nodes: Vec<Node>,
    actions: Vec<Action>,
    candidates: Vec<Candidate>,
    scores: Vec<f32>,
    path: Vec<(u32, u32)>,
    evaluation: Evaluation,
}

/// What a search asks while it runs.
struct Oracles<'a, E> {
    evaluator: &'a mut E,
    solver: Option<&'a mut Solver>,
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
        }
    }

    /// How it searches.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Searches a position that is not over, `lead` being the boxes by which the player to move is ahead. `noise` is
    /// added to the root's logits, by edge: Gumbel noise explores, zeros play the best. The solver is asked at leaves
    /// when one is given and the settings let it.
    pub fn run<E: Evaluator>(
        &mut self,
        drawn: Edges,
        lead: i32,
        noise: &[f32; MAX_EDGES],
        evaluator: &mut E,
        solver: Option<&mut Solver>,
    ) -> Outcome {
        self.nodes.clear();
        self.actions.clear();
        let solver = solver.filter(|_| self.settings.solver_nodes > 0);
        let oracles = &mut Oracles { evaluator, solver };
        let offer = Offer::resolve(self.board.layout(), self.board.strings(drawn));
        let root = if offer.taken == 0 {
            self.expand(drawn, lead, true, oracles)
        } else {
            self.answer(self.board.drawn(offer.rest), lead, offer.taken, offer.price, oracles)
        };
        // Expanding the root made the last evaluation.
        let raw_margin = self.raw_margin(root, offer.taken);
        let count = self.nodes[root as usize].actions as usize;
        let noise: Vec<f32> = self.actions_of(root).iter().map(|action| noise_of(action, noise)).collect();
        let sequence = considered_visits(count.min(self.settings.considered), self.settings.simulations);
        let mut simulations = 0;
        for visits in sequence {
            if self.is_settled(root) {
                break;
            }
            let action = self.root_action(root, &noise, Some(visits));
            self.simulate(root, action, oracles);
            simulations += 1;
        }
        self.outcome(root, &noise, raw_margin, simulations)
    }

    fn raw_margin(&self, root: u32, taken: i32) -> f32 {
        let node = &self.nodes[root as usize];
        if node.lower == node.upper {
            return node.lower as f32;
        }
        let rest = self.evaluation.expected_margin(self.board.boxes());
        // At an answer the evaluation is that of what is left; the better line is reported.
        let price = self.actions_of(root).iter().find(|a| a.choice == Choice::KeepControl).map(|a| taken - a.gain);
        match price {
            Some(price) => taken as f32 + rest.max(-price as f32 - rest),
            None => taken as f32 + rest,
        }
    }

    fn actions_of(&self, node: u32) -> &[Action] {
        let node = &self.nodes[node as usize];
        &self.actions[node.first_action as usize..(node.first_action + node.actions) as usize]
    }

    fn is_settled(&self, node: u32) -> bool {
        let node = &self.nodes[node as usize];
        node.lower == node.upper
    }

    /// The node's value for its player to move: exact when settled, else the mean within what the bounds allow.
    fn node_value(&self, node: u32) -> f32 {
        let Node { value, sum, visits, .. } = self.nodes[node as usize];
        self.allowed(node, if visits == 0 { value } else { sum / visits as f32 })
    }

    /// The value nearest to this one that the node's bounds allow.
    fn allowed(&self, node: u32, value: f32) -> f32 {
        let node = &self.nodes[node as usize];
        value.clamp(self.utility.of(node.lead + node.lower), self.utility.of(node.lead + node.upper))
    }

    /// An action's value for the player who chooses it, once its child exists.
    fn action_value(&self, action: &Action) -> Option<f32> {
        (action.child != NO_NODE).then(|| {
            let value = self.node_value(action.child);
            if action.same_mover { value } else { -value }
        })
    }

    /// Bounds of the margin still to come when this action is chosen.
    fn action_bounds(&self, action: &Action) -> (i32, i32) {
        let (lower, upper) = if action.child == NO_NODE {
            let open = self.board.open_boxes(action.to) as i32 + action.taken;
            (-open, open)
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

    fn gather(&mut self, node: u32) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let proved = self.nodes[node as usize].lower;
        candidates.extend(self.actions_of(node).iter().map(|action| {
            let (lower, upper) = self.action_bounds(action);
            let open = lower < upper && upper > proved;
            Candidate { logit: action.logit, visits: action.visits, q: self.action_value(action), open }
        }));
        self.candidates = candidates;
    }

    fn scale(&self) -> Scale {
        Scale { c_visit: self.settings.c_visit, c_scale: self.settings.c_scale }
    }

    /// The root's action with the largest noisy score among those with this many visits, or among the most visited.
    /// Actions proved worse than another are left out as long as there is one to choose.
    fn root_action(&mut self, root: u32, noise: &[f32], visits: Option<u32>) -> usize {
        self.gather(root);
        improved_logits(&self.candidates, self.nodes[root as usize].value, self.scale(), &mut self.scores);
        let lower = self.nodes[root as usize].lower;
        let useful: Vec<bool> = self.actions_of(root).iter().map(|a| self.action_bounds(a).1 >= lower).collect();
        let best_of = |keep: &dyn Fn(usize) -> bool| {
            let score = |i: usize| if keep(i) { self.scores[i] + noise[i] } else { f32::NEG_INFINITY };
            largest((0..noise.len()).map(score)).filter(|&i| keep(i))
        };
        let most = self.candidates.iter().zip(&useful).filter(|(_, u)| **u).map(|(c, _)| c.visits).max().unwrap_or(0);
        let wanted = visits.unwrap_or(most);
        best_of(&|i| useful[i] && self.candidates[i].visits == wanted).or_else(|| best_of(&|i| useful[i])).unwrap_or(0)
    }

    /// One simulation: down to a new or settled node, then back up.
    fn simulate<E: Evaluator>(&mut self, root: u32, action: usize, oracles: &mut Oracles<'_, E>) {
        self.path.clear();
        let (mut node, mut index) = (root, self.nodes[root as usize].first_action + action as u32);
        loop {
            self.path.push((node, index));
            let child = self.actions[index as usize].child;
            if child == NO_NODE {
                node = self.grow(node, index, oracles);
                break;
            }
            node = child;
            if self.is_settled(node) {
                break;
            }
            self.gather(node);
            let value = self.nodes[node as usize].value;
            let chosen = select(&self.candidates, value, self.scale(), &mut self.scores);
            index = self.nodes[node as usize].first_action + chosen as u32;
        }
        let leaf = &mut self.nodes[node as usize];
        let (mut value, settled) = (leaf.value, leaf.lower == leaf.upper);
        if leaf.visits == 0 || settled {
            leaf.visits += 1;
            leaf.sum += value;
        }
        if settled {
            value = self.node_value(node);
        }
        for (node, index) in std::mem::take(&mut self.path).into_iter().rev() {
            let action = &mut self.actions[index as usize];
            action.visits += 1;
            value = if action.same_mover { value } else { -value };
            self.tighten(node);
            // A simulation that tried something worse than what is proved says nothing against the node.
            value = self.allowed(node, value);
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += value;
        }
    }

    /// Makes the child of an action.
    fn grow<E: Evaluator>(&mut self, node: u32, index: u32, oracles: &mut Oracles<'_, E>) -> u32 {
        let lead = self.nodes[node as usize].lead;
        let Action { to, gain, same_mover, taken, price, .. } = self.actions[index as usize];
        let lead = if same_mover { lead + gain } else { -(lead + gain) };
        let child = if price > 0 {
            self.answer(to, lead, taken, price, oracles)
        } else {
            self.expand(to, lead, false, oracles)
        };
        self.actions[index as usize].child = child;
        child
    }

    /// The bounds of a node are the best of its actions' bounds.
    fn tighten(&mut self, node: u32) {
        let bounds = self.actions_of(node).iter().map(|action| self.action_bounds(action));
        let (lower, upper) = bounds.fold((i32::MIN, i32::MIN), |(l, u), (lower, upper)| (l.max(lower), u.max(upper)));
        let node = &mut self.nodes[node as usize];
        node.lower = node.lower.max(lower);
        node.upper = node.upper.min(upper);
    }

    /// A node for a capture-free position: settled by the game's end or by the solver, else evaluated. The root is
    /// always given its actions.
    fn expand<E: Evaluator>(&mut self, drawn: Edges, lead: i32, is_root: bool, oracles: &mut Oracles<'_, E>) -> u32 {
        let undrawn = self.board.undrawn(drawn);
        let exact = if undrawn.is_empty() {
            Some(0)
        } else {
            let reach = !is_root && undrawn.len() <= self.settings.solver_undrawn;
            let solver = oracles.solver.as_deref_mut().filter(|_| reach);
            solver.and_then(|solver| solver.margin(drawn, self.settings.solver_nodes))
        };
        if let Some(margin) = exact {
            return self.settled_node(lead, margin);
        }
        let mut evaluation = std::mem::replace(&mut self.evaluation, Evaluation::BLANK);
        oracles.evaluator.evaluate(drawn, &mut evaluation);
        let value = self.evaluated_value(&evaluation, lead);
        let node = self.push_node(lead, value, self.board.open_boxes(drawn) as i32);
        self.list_actions(drawn, &evaluation);
        let node_ref = &mut self.nodes[node as usize];
        node_ref.actions = self.actions.len() as u32 - node_ref.first_action;
        self.evaluation = evaluation;
        node
    }

    fn evaluated_value(&self, evaluation: &Evaluation, lead: i32) -> f32 {
        let boxes = self.board.boxes() as i32;
        let margins = (-boxes..=boxes).zip(&evaluation.margins);
        margins.map(|(margin, &probability)| probability * self.utility.of(lead + margin)).sum()
    }

    fn settled_node(&mut self, lead: i32, margin: i32) -> u32 {
        let node = self.push_node(lead, self.utility.of(lead + margin), 0);
        (self.nodes[node as usize].lower, self.nodes[node as usize].upper) = (margin, margin);
        node
    }

    fn push_node(&mut self, lead: i32, value: f32, open: i32) -> u32 {
        let first_action = self.actions.len() as u32;
        self.nodes.push(Node { lead, lower: -open, upper: open, value, sum: 0.0, visits: 0, first_action, actions: 0 });
        self.nodes.len() as u32 - 1
    }

    /// The actions of a capture-free position: safe edges, corner twins together, and an opening for each chain and
    /// loop. An action's prior is the sum over its edges.
    fn list_actions(&mut self, drawn: Edges, evaluation: &Evaluation) {
        let board = self.board;
        let mut safe = safe_edges(board, drawn);
        while let Some(edge) = safe.lowest() {
            let mut edges = Edges::EMPTY.with(edge);
            for &(low, high) in board.twins() {
                if low == edge && safe.contains(high) {
                    edges.insert(high);
                }
            }
            safe = safe.difference(edges);
            self.push_action(edges, drawn.with(edge), 0, (0, 0), evaluation);
        }
        for opening in Openings::new(board.layout(), board.strings(drawn)) {
            let edges = board.layout().edges(opening.edges);
            let Offer { taken, rest, price } = opening.offer;
            let gain = if price == 0 { -taken } else { 0 };
            let answer = if price == 0 { (0, 0) } else { (taken, price) };
            self.push_action(edges, board.drawn(rest), gain, answer, evaluation);
        }
    }

    fn push_action(&mut self, edges: Edges, to: Edges, gain: i32, (taken, price): (i32, i32), evaluation: &Evaluation) {
        let logit = |edge: crate::board::Edge| evaluation.logits[edge.index()];
        let largest = edges.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = edges.iter().map(|edge| (logit(edge) - largest).exp()).sum();
        self.actions.push(Action {
            choice: Choice::Draw(edges),
            logit: largest + sum.ln(),
            visits: 0,
            child: NO_NODE,
            to,
            gain,
            same_mover: false,
            taken,
            price,
        });
    }

    /// A node for boxes on offer: take all or keep control. Both lead to the same position, so one evaluation is made
    /// for both and both children exist at once.
    fn answer<E: Evaluator>(
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
        let mut steps = vec![(Choice::TakeAll, take_all, taken, true)];
        if price > 0 {
            let gain = taken - price;
            let keep = self.expand(rest, -(lead + gain), false, oracles);
            steps.push((Choice::KeepControl, keep, gain, false));
        }
        let first_action = self.actions.len() as u32;
        for (choice, child, gain, same_mover) in steps {
            // Its own evaluation is the first that is known of it.
            let node = &mut self.nodes[child as usize];
            (node.visits, node.sum) = (1, node.value);
            let (logit, visits) = (0.0, 0);
            self.actions.push(Action { choice, logit, visits, child, to: rest, gain, same_mover, taken: 0, price: 0 });
        }
        let actions = self.actions.len() as u32 - first_action;
        (self.nodes[node as usize].first_action, self.nodes[node as usize].actions) = (first_action, actions);
        let values = self.actions_of(node).iter().filter_map(|action| self.action_value(action));
        self.nodes[node as usize].value = values.fold(f32::NEG_INFINITY, f32::max);
        self.tighten(node);
        node
    }

    fn outcome(&mut self, root: u32, noise: &[f32], raw_margin: f32, simulations: usize) -> Outcome {
        let node = &self.nodes[root as usize];
        let (bounds, own) = ((node.lower, node.upper), node.value);
        self.gather(root);
        improved_logits(&self.candidates, own, self.scale(), &mut self.scores);
        let policy = {
            let lower = bounds.0;
            let useful = self.actions_of(root).iter().map(|action| self.action_bounds(action).1 >= lower);
            let mut scores = self.scores.clone();
            for (score, useful) in scores.iter_mut().zip(useful) {
                *score = if useful { *score } else { f32::NEG_INFINITY };
            }
            softmax(&mut scores);
            scores
        };
        let actions: Vec<RootAction> = (self.actions_of(root).iter().zip(policy))
            .map(|(action, policy)| RootAction {
                choice: action.choice,
                visits: action.visits,
                policy,
                q: self.action_value(action),
                bounds: self.action_bounds(action),
            })
            .collect();
        let chosen = if bounds.0 == bounds.1 {
            // Proved: of the actions that certainly reach the margin, the one the policy likes best.
            let score = |a: &RootAction| if a.bounds.0 == bounds.0 { a.policy } else { -1.0 };
            largest(actions.iter().map(score)).unwrap_or(0)
        } else {
            self.root_action(root, noise, None)
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
