//! What a run is scored on as it learns: its suite, positions with exact answers that it never learns from.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::config::{Config, SuiteConfig};
use super::labelled::careful_state;
use super::progress::Progress;
use crate::board::{Board, State};
use crate::eval::{Suite, SuitePosition, evaluate_suite};
use crate::net::{Isa, Network, Weights};
use crate::random::{Purpose, stream};
use crate::search::Budget;
use crate::solver::Solver;
use crate::stderr::print_line;

/// Entries of each solver's table. What a budget settles depends on it, and the suite is to depend on its own keys alone.
const TABLE: usize = 1 << 18;

/// A network's figures on a run's suite, as those of [`Band`](crate::eval::Band).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteScore {
    /// How often the policy's likeliest edge is optimal.
    #[serde(rename = "suite_policy_optimal")]
    pub policy_optimal: f64,
    /// How often the searched edge is optimal.
    #[serde(rename = "suite_search_optimal")]
    pub search_optimal: f64,
    /// Mean distance of the expected margin from the exact one, in boxes.
    #[serde(rename = "suite_margin_error")]
    pub margin_error: f64,
    /// How often the expected margin has the exact one's sign, where that is not 0; none where it always is.
    #[serde(rename = "suite_sign_agreement", default, skip_serializing_if = "Option::is_none")]
    pub sign_agreement: Option<f64>,
}

/// A run's suite, and when and how networks are scored on it.
pub(super) struct Scoring {
    suite: Suite,
    /// The suite's positions in their canonical form.
    held_out: HashSet<State>,
    budget: Budget,
    every: u64,
}

impl Scoring {
    /// The suite that a config asks for; `None` where it asks for none.
    pub fn new(config: &Config, board: Board) -> Option<Scoring> {
        let SuiteConfig { positions: asked, every, simulations, .. } = config.suite;
        if asked == 0 {
            return None;
        }
        let (positions, held_out) = find(&config.suite, board);
        let found = positions.len();
        let positions = solve(positions, config.suite.nodes, board);
        let settled = positions.len();
        if settled < asked {
            print_line(format_args!(
                "suite.positions = {asked}: there are {settled}; {found} were found, and suite.nodes settled so many"
            ));
        }
        if settled == 0 {
            return None;
        }
        // As `doublecross eval --no-solver` plays.
        let mut budget = Budget::new(simulations, 0);
        budget.settings.margin_weight = 1.0;
        Some(Scoring { suite: Suite { name: "suite".into(), board, positions }, held_out, budget, every })
    }

    /// The suite as a file's text.
    pub fn text(&self) -> String {
        let line = |position: &SuitePosition| position.line("careful") + "\n";
        self.suite.positions.iter().map(line).collect()
    }

    /// Whether a position is one of the suite's, under any symmetry.
    pub fn holds(&self, state: State) -> bool {
        self.held_out.contains(&state.canonical().0)
    }

    /// Whether scores are taken after this generation even if it is not the last.
    pub fn is_due(&self, generation: u64) -> bool {
        generation == 1 || generation.is_multiple_of(self.every)
    }

    /// What these weights score.
    pub fn score(&self, weights: &Weights, isa: Isa) -> SuiteScore {
        let progress = Progress::new("positions of the suite scored", self.suite.positions.len());
        let network = Arc::new(Network::new(weights, isa));
        let bands = evaluate_suite(&network, &self.suite, &self.budget, &|done| progress.at(done));
        progress.finish();
        let all = bands.last().expect("the last one is of all positions");
        let has_signs = self.suite.positions.iter().any(|position| position.margin != 0);
        SuiteScore {
            policy_optimal: all.policy_optimal.share,
            search_optimal: all.search_optimal.share,
            margin_error: all.margin_error,
            sign_agreement: has_signs.then_some(all.sign_agreement.share),
        }
    }
}

/// Different positions, and the canonical form of each; fewer than asked for where a board has not as many. They are the
/// same for every run, so that runs can be compared.
fn find(config: &SuiteConfig, board: Board) -> (Vec<State>, HashSet<State>) {
    let (mut positions, mut held_out) = (Vec::new(), HashSet::new());
    for number in 0..20 * config.positions as u64 {
        if positions.len() == config.positions {
            break;
        }
        let mut rng = stream(0, 0, number, Purpose::Suite);
        let state = careful_state(board, config.least_undrawn, config.most_undrawn, &mut rng);
        if held_out.insert(state.canonical().0) {
            positions.push(state);
        }
    }
    (positions, held_out)
}

/// The exact answers, as far as the solver's budget goes.
fn solve(positions: Vec<State>, nodes: u64, board: Board) -> Vec<SuitePosition> {
    let progress = Progress::new("positions of the suite solved", positions.len());
    let done = AtomicUsize::new(0);
    let solver = || Solver::new(board, TABLE);
    let solved = positions.into_par_iter().map_init(solver, |solver, state| {
        // What is settled within the budget must not depend on what this thread solved before.
        solver.clear();
        let solution = solver.solve(state, nodes);
        progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
        let margin = solution.margin().filter(|_| !solution.best.is_empty())?;
        Some(SuitePosition { state, margin, best: solution.best })
    });
    let solved = solved.flatten().collect();
    progress.finish();
    solved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::initial_weights;

    fn scoring(set: impl FnOnce(&mut Config)) -> Option<Scoring> {
        let mut config = Config { board: "3x3".into(), ..Config::default() };
        config.suite =
            SuiteConfig { positions: 50, least_undrawn: 12, most_undrawn: 16, every: 5, ..SuiteConfig::default() };
        set(&mut config);
        Scoring::new(&config, Board::new(3, 3).unwrap())
    }

    #[test]
    fn positions_differ_have_exact_answers_and_are_the_same_for_every_run() {
        let board = Board::new(3, 3).unwrap();
        let scoring_of = |seed, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scoring(|config| config.seed = seed)).unwrap()
        };
        let one = scoring_of(1, 1);
        assert_eq!(one.suite.positions, scoring_of(7, 2).suite.positions);
        assert_eq!((one.suite.positions.len(), one.held_out.len()), (50, 50));
        let mut solver = Solver::new(board, 1 << 18);
        for position in &one.suite.positions {
            assert!(one.holds(position.state) && position.state.is_capture_free());
            let solution = solver.solve(position.state, u64::MAX);
            assert_eq!((Some(position.margin), position.best), (solution.margin(), solution.best));
        }
        assert!(!one.holds(State::new(board)));
    }

    #[test]
    fn a_board_may_have_fewer_positions_and_a_config_none() {
        // The empty board, and one edge drawn: an outer one or an inner one.
        let few = scoring(|c| (c.suite.least_undrawn, c.suite.most_undrawn) = (23, 24)).unwrap();
        let drawn: Vec<usize> = few.suite.positions.iter().map(|position| position.state.drawn().len()).collect();
        assert!(drawn.len() < 10 && drawn.contains(&0) && drawn.contains(&1), "{drawn:?}");
        assert!(scoring(|config| config.suite.positions = 0).is_none());
    }

    #[test]
    fn what_is_not_settled_is_not_scored_and_not_learnt() {
        let scoring_of = |nodes| scoring(|config| config.suite.nodes = nodes);
        let some = scoring_of(20).unwrap();
        assert!((1..50).contains(&some.suite.positions.len()), "{}", some.suite.positions.len());
        assert_eq!(some.held_out.len(), 50);
        let early = |config: &mut Config| (config.suite.least_undrawn, config.suite.most_undrawn) = (20, 22);
        let none = scoring(|config| {
            early(config);
            config.suite.nodes = 1;
        });
        assert!(none.is_none() && scoring(early).is_some());
    }

    #[test]
    fn where_every_margin_is_0_no_sign_is_right_or_wrong() {
        let some = scoring(|_| {}).unwrap();
        let weights = initial_weights(some.suite.board, Config::default().architecture(), 1);
        assert!(some.score(&weights, Isa::Portable).sign_agreement.is_some());
        let positions = some.suite.positions.iter().cloned();
        let ties: Vec<SuitePosition> = positions.map(|position| SuitePosition { margin: 0, ..position }).collect();
        let none = Scoring { suite: Suite { positions: ties, ..some.suite }, ..some };
        assert_eq!(none.score(&weights, Isa::Portable).sign_agreement, None);
    }

    #[test]
    fn scores_are_due_first_and_every_so_many() {
        let scoring = scoring(|_| {}).unwrap();
        let due: Vec<u64> = (1..=12).filter(|&generation| scoring.is_due(generation)).collect();
        assert_eq!(due, [1, 5, 10]);
    }
}
