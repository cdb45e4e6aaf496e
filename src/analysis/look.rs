//! A look at a position: what each edge is worth, what is expected, how sure that is.

use super::line::Line;
use super::{Shape, controls, shapes};
use crate::board::{Board, Edge, Edges, MAX_EDGES, Position, Seat};
use crate::search::{Cached, Choice, Evaluation, Evaluator, Outcome, Search, Settings};
use crate::solver::{Offer, Solver, capturing_edge, equal_edges, keeping_edge, safe_edges};

/// What is known of an undrawn edge, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeLook {
    /// The edge.
    pub edge: Edge,
    /// Its share of the policy after the search; the shares add up to 1.
    pub policy: f32,
    /// The expected final margin when it is drawn; `None` where the search never looked.
    pub expected: Option<f32>,
    /// Proved bounds of the final margin when it is drawn.
    pub bounds: (i32, i32),
}

/// What a position looks like to the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Proved bounds of the final margin.
    pub bounds: (i32, i32),
    /// The expected final margin; exact when the bounds meet.
    pub expected: f32,
    /// Every undrawn edge.
    pub edges: Vec<EdgeLook>,
    /// Final margins with their probabilities by the network's own evaluation; one when it is settled.
    pub finals: Vec<(i32, f32)>,
    /// What is expected to be played.
    pub line: Vec<Edge>,
    /// Chains and loops once the boxes on offer are taken.
    pub shapes: Vec<Shape>,
    /// Boxes that can be taken at once.
    pub offered: usize,
    /// Safe edges when those are taken.
    pub safe: usize,
    /// The seat that will be in control, where that is known.
    pub controls: Option<Seat>,
}

/// Looks at positions of one board. What it finds out lives on, so that a second look with a larger budget goes deeper.
pub struct Analyst<E> {
    search: Search,
    evaluator: Cached<E>,
    solver: Solver,
}

/// Entries of the evaluation cache.
const CACHE: usize = 1 << 12;

/// Edges of the expected line at most.
const LONGEST_LINE: usize = 24;

/// The least probability that is told.
const LEAST_SHARE: f32 = 0.0005;

/// Where the margin is known the search is asked for its policy alone.
const SETTLED_SIMULATIONS: usize = 32;

/// Puts in what edges are worth that take boxes on offer or leave them: whatever is done with the boxes, the same is left
/// in the end, and what the search knows of that holds for each of them. An edge that begins to take all may leave both
/// ways to go on open, or make the other one dearer.
fn answers(position: &Position, outcome: &Outcome, edges: &mut [EdgeLook]) {
    let (board, drawn, lead) = (position.board(), position.drawn(), position.lead());
    let offer = Offer::resolve(board.layout(), board.strings(drawn));
    if offer.taken == 0 {
        return;
    }
    // The margin of what is left, for whoever moves there.
    let open = board.open_boxes(board.drawn(offer.rest)) as i32;
    let (mut bounds, mut expected) = ((-open, open), None);
    for action in &outcome.actions {
        let (low, high) = action.bounds;
        let left = action.q.map(|q| q * board.boxes() as f32 - (lead + offer.taken) as f32);
        let (known, left) = match action.choice {
            Choice::TakeAll => ((low - offer.taken, high - offer.taken), left),
            Choice::KeepControl => {
                let kept = offer.taken - offer.price;
                ((kept - high, kept - low), left.map(|left| -offer.price as f32 - left))
            }
            Choice::Draw(_) => continue,
        };
        bounds = (bounds.0.max(known.0), bounds.1.min(known.1));
        expected = expected.or(left);
    }
    for look in edges {
        let after = drawn.with(look.edge);
        let next = Offer::resolve(board.layout(), board.strings(after));
        if next.rest != offer.rest {
            continue;
        }
        let captured = board.captures(drawn, look.edge) as i32;
        let (low, high) = next.bounds(bounds.0, bounds.1);
        let worth =
            |rest: f32| next.taken as f32 + if next.price == 0 { rest } else { rest.max(-next.price as f32 - rest) };
        (look.bounds, look.expected) = match captured {
            0 => ((lead - high, lead - low), expected.map(|rest| lead as f32 - worth(rest))),
            _ => {
                let lead = lead + captured;
                ((lead + low, lead + high), expected.map(|rest| lead as f32 + worth(rest)))
            }
        };
    }
}

impl<E: Evaluator> Analyst<E> {
    /// An analyst whose solver's table holds about `entries` positions.
    pub fn new(board: Board, evaluator: E, entries: usize) -> Analyst<E> {
        // Values of the search are margins, so that they can be told as such.
        let settings = Settings { margin_weight: 1.0, ..Settings::default() };
        Analyst {
            search: Search::new(board, settings),
            evaluator: Cached::new(board, evaluator, CACHE),
            solver: Solver::new(board, entries),
        }
    }

    /// Looks at a position with so many simulations, and so many nodes of the solver for it and for each of its edges.
    ///
    /// # Panics
    /// When the position is of another board.
    pub fn look(&mut self, position: &Position, simulations: usize, nodes: u64) -> Look {
        let (board, drawn, lead) = (position.board(), position.drawn(), position.lead());
        let offer = Offer::resolve(board.layout(), board.strings(drawn));
        let rest = board.drawn(offer.rest);
        let mut look = Look {
            bounds: (lead, lead),
            expected: lead as f32,
            edges: Vec::new(),
            finals: vec![(lead, 1.0)],
            line: Vec::new(),
            shapes: shapes(board, rest),
            offered: offer.taken as usize,
            safe: safe_edges(board, rest).len(),
            controls: None,
        };
        if position.is_over() {
            return look;
        }
        let solution = self.solver.solve(drawn, nodes);
        let settled = solution.margin();
        self.search.set_simulations(if settled.is_some() { simulations.min(SETTLED_SIMULATIONS) } else { simulations });
        self.search.set_leaf_nodes(nodes);
        let noise = [0.0; MAX_EDGES];
        let outcome = self.search.run(drawn, lead, &noise, &mut self.evaluator, Some(&mut self.solver));
        let lower = solution.lower.max(outcome.bounds.0);
        let upper = solution.upper.min(outcome.bounds.1);
        look.bounds = (lead + lower, lead + upper);
        look.edges = self.edges(position, &outcome);
        let mut line = Line::new(position, LONGEST_LINE);
        if lower == upper {
            look.expected = (lead + lower) as f32;
            look.finals = vec![(lead + lower, 1.0)];
            self.settle(position, nodes, &mut look.edges);
            let mover = position.mover();
            let solver = &mut self.solver;
            let is_mover = controls(board, drawn, |drawn| solver.solve(drawn, nodes));
            look.controls = is_mover.map(|is_mover| if is_mover { mover } else { 1 - mover });
        } else {
            look.expected = (outcome.value * board.boxes() as f32).clamp(look.bounds.0 as f32, look.bounds.1 as f32);
            look.finals = self.finals(&offer, rest, lead);
            line.follow(&self.search.line(outcome.chosen));
        }
        line.follow_solver(&mut self.solver, nodes);
        look.line = line.edges();
        look
    }

    /// Every undrawn edge as the search sees it.
    fn edges(&self, position: &Position, outcome: &Outcome) -> Vec<EdgeLook> {
        let (board, drawn, lead) = (position.board(), position.drawn(), position.lead());
        let open = board.open_boxes(drawn) as i32;
        let unknown = |edge| EdgeLook { edge, policy: 0.0, expected: None, bounds: (lead - open, lead + open) };
        let mut edges: Vec<EdgeLook> = position.undrawn().iter().map(unknown).collect();
        for action in &outcome.actions {
            let drawn_by = match action.choice {
                Choice::Draw(edges) => edges,
                Choice::TakeAll => capturing_edge(board, drawn).into_iter().collect(),
                Choice::KeepControl => keeping_edge(board, drawn).into_iter().collect(),
            };
            let share = action.policy / drawn_by.len().max(1) as f32;
            for look in edges.iter_mut().filter(|look| drawn_by.contains(look.edge)) {
                // Taking all and keeping control may begin with the same edge.
                look.policy += share;
                look.expected = action.q.map(|q| q * board.boxes() as f32);
                look.bounds = (lead + action.bounds.0, lead + action.bounds.1);
            }
        }
        // An edge that begins an answer may be worth more than that answer.
        answers(position, outcome, &mut edges);
        edges
    }

    /// Puts the exact margins in, as far as the budget settles them.
    fn settle(&mut self, position: &Position, nodes: u64, edges: &mut [EdgeLook]) {
        let (board, drawn, lead) = (position.board(), position.drawn(), position.lead());
        for equals in equal_edges(board, drawn) {
            let Some(edge) = equals.lowest() else { continue };
            let Some(margin) = self.solver.margin(drawn.with(edge), nodes) else { continue };
            let captured = board.captures(drawn, edge) as i32;
            let worth = lead + if captured > 0 { captured + margin } else { -margin };
            for look in edges.iter_mut().filter(|look| equals.contains(look.edge)) {
                (look.expected, look.bounds) = (Some(worth as f32), (worth, worth));
            }
        }
    }

    /// Final margins by the evaluation of what is left when the boxes on offer are gone: by the better way to answer.
    fn finals(&mut self, offer: &Offer, rest: Edges, lead: i32) -> Vec<(i32, f32)> {
        let boxes = self.solver.board().boxes();
        let mut evaluation = Evaluation::BLANK;
        self.evaluator.evaluate(rest, &mut evaluation);
        let keeps = offer.keeps_control(evaluation.expected_margin(boxes));
        let final_margin = |margin: i32| {
            if keeps { lead + offer.taken - offer.price - margin } else { lead + offer.taken + margin }
        };
        let margins = (-(boxes as i32)..=boxes as i32).zip(evaluation.margins);
        let mut finals: Vec<(i32, f32)> = (margins.filter(|(_, probability)| *probability >= LEAST_SHARE))
            .map(|(margin, probability)| (final_margin(margin), probability))
            .collect();
        finals.sort_by_key(|(margin, _)| *margin);
        finals
    }
}
