//! The scores of a run on its suite: positions with exact answers that it never learns from.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::run::held_out::HeldOut;
use doublecross_arena::suite::{SolvedSuite, Suite, SuitePosition, evaluate_suite, suite_budget};
use doublecross_core::board::Board;
use doublecross_core::net::{Isa, Network, Weights};
use doublecross_core::search::Budget;
use doublecross_run::SuiteScore;
use doublecross_run::config::{Config, SuiteConfig};
use doublecross_run::observer::{Event, Observer, Progress, Task};

/// A run's suites, with the searches and the generations that are scored.
pub(crate) struct Scoring {
    /// One for each board of the run that has settled positions, that of the run's own board first.
    suites: Vec<Suite>,
    /// The suites' positions, whether or not they were settled.
    pub held_out: HeldOut,
    budget: Budget,
    every: u64,
}

impl Scoring {
    /// Makes the suites that a config asks for on these boards; returns `None` if it asks for none or
    /// nothing is settled.
    pub fn new(config: &Config, boards: &[Board], observer: &dyn Observer) -> Option<Scoring> {
        let SuiteConfig { every, simulations, .. } = config.suite;
        let (mut suites, mut all_held_out) = (Vec::new(), HeldOut::default());
        for &board in boards {
            let settings = config.suite_on(board);
            if settings.positions == 0 {
                continue;
            }
            let progress = Progress::new(observer, Task::SolvingSuite, settings.positions);
            let SolvedSuite { suite, held_out } = settings.make(&|| progress.advance(1));
            drop(progress);
            let (asked, found, settled) = (settings.positions, held_out.len(), suite.positions.len());
            if settled < asked {
                observer.report(Event::ShortSuite { board, asked, found, settled });
            }
            if settled > 0 {
                suites.push(suite);
                all_held_out.extend(held_out);
            }
        }
        // The budget of `doublecross eval --no-solver`.
        let budget = suite_budget(simulations, 0);
        (!suites.is_empty()).then_some(Scoring { suites, held_out: all_held_out, budget, every })
    }

    /// Returns each suite as the text of a file, with its board.
    pub fn texts(&self) -> impl Iterator<Item = (Board, String)> {
        let line = |position: &SuitePosition| position.line("careful") + "\n";
        self.suites.iter().map(move |suite| (suite.board, suite.positions.iter().map(line).collect()))
    }

    /// Returns `true` if scores are due after this generation whether or not it is the last.
    pub fn is_due(&self, generation: u64) -> bool {
        generation == 1 || generation.is_multiple_of(self.every)
    }

    /// Scores these weights. Returns `None` if `stop` is set meanwhile.
    pub fn score(
        &self,
        weights: &Weights,
        isa: Isa,
        observer: &dyn Observer,
        stop: &Arc<AtomicBool>,
    ) -> Option<SuiteScore> {
        let positions = self.suites.iter().map(|suite| suite.positions.len()).sum();
        let progress = Progress::new(observer, Task::ScoringSuite, positions);
        let scores = self.suites.iter().map(|suite| {
            let network = Arc::new(Network::new(&weights.on(suite.board), isa));
            let bands = evaluate_suite(&network, suite, &self.budget, &|_| progress.advance(1), stop)?;
            let all = bands.last().expect("the last band is of all positions");
            let has_signs = suite.positions.iter().any(|position| position.margin != 0);
            Some(SuiteScore {
                policy_optimal: all.policy_optimal.share,
                search_optimal: all.search_optimal.share,
                margin_error: all.margin_error,
                sign_agreement: has_signs.then_some(all.sign_agreement.share),
                boards: BTreeMap::new(),
            })
        });
        let scores: Vec<SuiteScore> = scores.collect::<Option<_>>()?;
        let scores: Vec<(Board, SuiteScore)> = self.suites.iter().map(|suite| suite.board).zip(scores).collect();
        let mut mean = SuiteScore::mean(scores.iter().map(|(_, score)| score));
        if scores.len() > 1 {
            mean.boards = scores.iter().map(|(board, score)| (board.to_string(), score.search_optimal)).collect();
        }
        Some(mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::State;
    use doublecross_core::solver::Solver;
    use doublecross_run::initial_weights;

    fn scoring(set: impl FnOnce(&mut Config)) -> Option<Scoring> {
        let mut config = Config { board: "3x3".parse().unwrap(), ..Config::default() };
        config.suite = SuiteConfig {
            positions: 50,
            least_undrawn: Some(12),
            most_undrawn: Some(16),
            every: 5,
            ..SuiteConfig::default()
        };
        set(&mut config);
        Scoring::new(&config, &[Board::new(3, 3).unwrap()], &())
    }

    #[test]
    fn positions_are_distinct_solved_and_independent_of_the_seed() {
        let board = Board::new(3, 3).unwrap();
        let scoring_of = |seed, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scoring(|config| config.seed = seed)).unwrap()
        };
        let one = scoring_of(1, 1);
        assert_eq!(one.suites[0].positions, scoring_of(7, 2).suites[0].positions);
        assert_eq!((one.suites[0].positions.len(), one.held_out.len()), (50, 50));
        let mut solver = Solver::new(board, 1 << 18);
        for position in &one.suites[0].positions {
            assert!(one.held_out.holds(position.state) && position.state.is_capture_free());
            let solution = solver.solve(position.state, u64::MAX);
            assert_eq!((Some(position.margin), position.best), (solution.margin(), solution.best));
        }
        assert!(!one.held_out.holds(State::new(board)));
    }

    #[test]
    fn a_suite_may_be_shorter_than_asked_or_absent() {
        // The positions are the empty board and those with one edge drawn.
        let few = scoring(|c| (c.suite.least_undrawn, c.suite.most_undrawn) = (Some(23), Some(24))).unwrap();
        let drawn: Vec<usize> = few.suites[0].positions.iter().map(|position| position.state.drawn().len()).collect();
        assert!(drawn.len() < 10 && drawn.contains(&0) && drawn.contains(&1), "{drawn:?}");
        assert!(scoring(|config| config.suite.positions = 0).is_none());
    }

    #[test]
    fn unsettled_positions_are_held_out_but_not_scored() {
        let scoring_of = |nodes| scoring(|config| config.suite.nodes = nodes);
        let some = scoring_of(20).unwrap();
        assert!((1..50).contains(&some.suites[0].positions.len()), "{}", some.suites[0].positions.len());
        assert_eq!(some.held_out.len(), 50);
        let early =
            |config: &mut Config| (config.suite.least_undrawn, config.suite.most_undrawn) = (Some(20), Some(22));
        let none = scoring(|config| {
            early(config);
            config.suite.nodes = 1;
        });
        assert!(none.is_none() && scoring(early).is_some());
    }

    #[test]
    fn there_is_no_sign_agreement_if_every_margin_is_0() {
        let some = scoring(|_| {}).unwrap();
        let weights = initial_weights(some.suites[0].board, Config::default().network.architecture(), 1);
        let score = |scoring: &Scoring| scoring.score(&weights, Isa::Portable, &(), &Arc::default()).unwrap();
        assert!(score(&some).sign_agreement.is_some());
        assert!(some.score(&weights, Isa::Portable, &(), &Arc::new(true.into())).is_none());
        let positions = some.suites[0].positions.iter().cloned();
        let ties: Vec<SuitePosition> = positions.map(|position| SuitePosition { margin: 0, ..position }).collect();
        let none = Scoring { suites: vec![Suite { positions: ties, ..some.suites[0].clone() }], ..some };
        assert_eq!(score(&none).sign_agreement, None);
    }

    #[test]
    fn each_board_of_a_mixture_has_a_suite() {
        let mut config =
            Config { board: "3x3".parse().unwrap(), mixture: "2x3:1 3x3:1".parse().ok(), ..Config::default() };
        config.suite = SuiteConfig {
            positions: 20,
            least_undrawn: Some(12),
            most_undrawn: Some(16),
            every: 5,
            ..SuiteConfig::default()
        };
        let boards = config.boards();
        let scoring = Scoring::new(&config, &boards, &()).unwrap();
        let names: Vec<String> = scoring.texts().map(|(board, _)| board.to_string()).collect();
        assert_eq!(names, ["3x3", "2x3"]);
        // Three boxes fewer, three edges fewer.
        assert!(scoring.suites[1].positions.iter().all(|position| position.state.undrawn().len() <= 13));
        let weights = initial_weights(boards[0], config.network.architecture(), 1);
        let score = scoring.score(&weights, Isa::Portable, &(), &Arc::default()).unwrap();
        let shares: Vec<f64> = score.boards.values().copied().collect();
        assert_eq!(score.boards.keys().collect::<Vec<_>>(), ["2x3", "3x3"]);
        assert!((score.search_optimal - (shares[0] + shares[1]) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn scores_are_due_after_the_first_generation_and_at_the_interval() {
        let scoring = scoring(|_| {}).unwrap();
        let due: Vec<u64> = (1..=12).filter(|&generation| scoring.is_due(generation)).collect();
        assert_eq!(due, [1, 5, 10]);
    }
}
