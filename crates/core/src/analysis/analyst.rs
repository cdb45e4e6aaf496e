//! The analysis of a position: the value of each edge and of the position, and how certain they
//! are.

use crate::board::{Board, Edge, MAX_EDGES, Offer, Position, Seat};
use crate::search::{Cached, Evaluation, Evaluator, Search, Settings};
use crate::solver::{Book, Bounds, Solver};

use super::edge::{EdgeAnalysis, resolve_captures};
use super::variation::Variation;
use super::{Shape, controls, shapes};

/// The analysis of a position, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Proved bounds of the final margin.
    pub bounds: Bounds,
    /// The expected final margin. Exact if the bounds meet.
    pub expected: f32,
    /// The analysis of every undrawn edge.
    pub edges: Vec<EdgeAnalysis>,
    /// Final margins with their probabilities by the evaluator alone, in ascending order. The exact
    /// margin if it is known.
    pub finals: Vec<(i32, f32)>,
    /// The principal variation.
    pub variation: Vec<Edge>,
    /// The chains and loops when the boxes on offer are taken.
    pub shapes: Vec<Shape>,
    /// The number of boxes on offer.
    pub offered: usize,
    /// The number of safe edges when the boxes on offer are taken.
    pub safe: usize,
    /// The seat that will be in control, if it is known.
    pub controls: Option<Seat>,
}

/// An analyst of positions of one board. It keeps the solver's table and the cache of evaluations,
/// so that a second analysis with a larger budget goes deeper.
///
/// ```
/// use doublecross_core::analysis::Analyst;
/// use doublecross_core::board::Position;
/// use doublecross_core::search::RolloutEvaluator;
/// let position: Position = "2x2 H0,0".parse()?;
/// let mut analyst = Analyst::new(position.board(), RolloutEvaluator, 1 << 12);
/// let analysis = analyst.analyze(&position, 50, 10_000);
/// // The solver settles so small a board: seat 1 loses by two boxes.
/// assert_eq!(analysis.bounds.margin(), Some(-2));
/// assert_eq!(analysis.edges.len(), 11);
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub struct Analyst<E> {
    search: Search,
    evaluator: Cached<E>,
    solver: Solver,
}

/// The number of entries of the evaluation cache.
const CACHE: usize = 1 << 12;

/// The largest number of edges of the principal variation.
const MAX_VARIATION: usize = 24;

/// The smallest probability of a final margin that is listed.
const MIN_PROBABILITY: f32 = 0.0005;

/// The number of simulations if the margin is known, so that only the policy is needed.
const SETTLED_SIMULATIONS: usize = 32;

impl<E: Evaluator> Analyst<E> {
    /// Creates an analyst whose solver has a table of about `entries` positions.
    pub fn new(board: Board, evaluator: E, entries: usize) -> Analyst<E> {
        // The values of the search are margins, so they can be reported as margins.
        let settings = Settings { margin_weight: 1.0, ..Settings::default() };
        Analyst {
            search: Search::new(board, settings),
            evaluator: Cached::new(evaluator, CACHE),
            solver: Solver::new(board, entries),
        }
    }

    /// Returns the analyst with a book, on which its solver relies.
    ///
    /// # Panics
    /// Panics if the book is of another board.
    #[must_use]
    pub fn with_book(self, book: &Book) -> Analyst<E> {
        self.solver.handle().add_book(book);
        self
    }

    /// Analyses a position with `simulations` simulations and `nodes` nodes of the solver, for the
    /// position and again for each of its edges.
    ///
    /// # Panics
    /// Panics if the position is of another board.
    pub fn analyze(&mut self, position: &Position, simulations: usize, nodes: u64) -> Analysis {
        let (board, state, lead) = (position.board(), position.state(), position.lead());
        let offer = state.offer();
        let mut analysis = Analysis {
            bounds: Bounds::exact(lead),
            expected: lead as f32,
            edges: Vec::new(),
            finals: vec![(lead, 1.0)],
            variation: Vec::new(),
            shapes: shapes(offer.rest),
            offered: offer.taken as usize,
            safe: offer.rest.safe_edges().len(),
            controls: None,
        };
        if position.is_over() {
            return analysis;
        }
        let solution = self.solver.solve(state, nodes);
        let is_settled = solution.margin().is_some();
        self.search.set_simulations(if is_settled { simulations.min(SETTLED_SIMULATIONS) } else { simulations });
        self.search.set_leaf_nodes(nodes);
        let noise = [0.0; MAX_EDGES];
        let outcome = self.search.run(state, lead, &noise, &mut self.evaluator, Some(&mut self.solver));
        let bounds = solution.bounds.intersect(outcome.bounds);
        analysis.bounds = bounds.shift(lead);
        analysis.edges = EdgeAnalysis::all(position, &outcome);
        resolve_captures(position, &outcome, &mut analysis.edges);
        let mut variation = Variation::new(position, MAX_VARIATION);
        if let Some(margin) = bounds.margin() {
            analysis.expected = (lead + margin) as f32;
            analysis.finals = vec![(lead + margin, 1.0)];
            self.set_exact_margins(position, nodes, &mut analysis.edges);
            let mover = position.mover();
            let is_mover = controls(state, margin, |state, target, budget| {
                self.solver.is_at_least(state, target, nodes.min(budget))
            });
            analysis.controls = is_mover.map(|is_mover| if is_mover { mover } else { 1 - mover });
        } else {
            let Bounds { lower, upper } = analysis.bounds;
            analysis.expected = (outcome.value * board.boxes() as f32).clamp(lower as f32, upper as f32);
            analysis.finals = self.finals(&offer, lead);
            variation.follow(&self.search.principal_variation(outcome.chosen));
        }
        variation.follow_solver(&mut self.solver, nodes);
        analysis.variation = variation.edges();
        analysis
    }

    /// Sets the exact margins of the edges, as far as the budget settles them.
    fn set_exact_margins(&mut self, position: &Position, nodes: u64, edges: &mut [EdgeAnalysis]) {
        let (state, lead) = (position.state(), position.lead());
        for equivalent in state.equivalent_edges() {
            let Some(edge) = equivalent.lowest() else { continue };
            let Some(margin) = self.solver.margin(state.after(edge), nodes) else { continue };
            let bounds = Bounds::exact(margin).after(state.captures(edge)).shift(lead);
            for analysis in edges.iter_mut().filter(|analysis| equivalent.contains(analysis.edge)) {
                (analysis.expected, analysis.bounds) = (Some(bounds.lower as f32), bounds);
            }
        }
    }

    /// Returns the final margins by the evaluation of what is left when the boxes on offer are
    /// taken, after the better choice for them.
    fn finals(&mut self, offer: &Offer, lead: i32) -> Vec<(i32, f32)> {
        let boxes = self.solver.board().boxes();
        let mut evaluation = Evaluation::new(self.solver.board());
        self.evaluator.evaluate(offer.rest, &mut evaluation);
        let keeps_control = offer.keeps_control(evaluation.expected_margin(boxes));
        let final_margin = |margin: i32| {
            let kept = if keeps_control { offer.kept(margin) } else { None };
            lead + kept.unwrap_or(offer.taken + margin)
        };
        let margins = (-(boxes as i32)..=boxes as i32).zip(evaluation.margins);
        let mut finals: Vec<(i32, f32)> = (margins.filter(|(_, probability)| *probability >= MIN_PROBABILITY))
            .map(|(margin, probability)| (final_margin(margin), probability))
            .collect();
        finals.sort_by_key(|(margin, _)| *margin);
        finals
    }
}
