//! The games of a generation, on rayon's threads.

use std::sync::Arc;

use rayon::prelude::*;

use super::Sample;
use super::config::Config;
use super::costs::Costs;
use super::game::Worker;
use super::observer::Progress;
use super::processor::{Processor, ProcessorError, device};
use super::service::Service;
use crate::board::{Board, State};
use crate::net::{Isa, Network, Weights};
use crate::random::{Purpose, stream};
use crate::search::{Evaluator, NetworkEvaluator};

/// The evaluation that workers use.
pub(super) enum Inference {
    /// Each worker runs the engine.
    Engine(Arc<Network>),
    /// One thread evaluates for all workers.
    Service(Service),
}

/// Returns the evaluation of these weights that a config asks for.
///
/// # Errors
/// Returns an error if the config asks for a GPU that cannot be used.
pub(super) fn inference(config: &Config, weights: Weights, isa: Isa) -> Result<Inference, ProcessorError> {
    Ok(match config.selfplay.device {
        Processor::Cpu => Inference::Engine(Arc::new(Network::new(&weights, isa))),
        Processor::Gpu => {
            Inference::Service(Service::start(weights, device(Processor::Gpu)?, config.selfplay.at_once)?)
        }
    })
}

impl Inference {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Inference::Engine(network) => Box::new(NetworkEvaluator::new(network.clone())),
            Inference::Service(service) => Box::new(service.client()),
        }
    }
}

/// Plays the games of a generation, some of which may begin with a state of `starts`, and returns
/// their samples in order.
///
/// A game depends on the config, the generation, its number, `starts` and the network alone, so
/// that the number of threads changes nothing. A GPU is the exception: the last digits of an answer
/// may depend on the rest of the batch.
pub(super) fn play_games(
    config: &Config,
    board: Board,
    inference: &Inference,
    generation: u64,
    starts: &[State],
    progress: &Progress<'_>,
) -> (Vec<Sample>, Costs) {
    let games: Vec<(Vec<Sample>, Costs)> = (0..config.selfplay.games as u64)
        .into_par_iter()
        .map_init(
            || Worker::new(config, board, starts, inference.evaluator()),
            |worker, game| {
                let played = worker.play(stream(config.seed, generation, game, Purpose::SelfPlay));
                progress.advance(1);
                played
            },
        )
        .collect();
    let mut costs = Costs::default();
    let mut samples = Vec::new();
    for (game, cost) in games {
        samples.extend(game);
        costs.add(&cost);
    }
    (samples, costs)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::board::Edge;
    use crate::net::Architecture;
    use crate::solver::Solver;
    use crate::solver::tests::edge_margin;
    use crate::train::observer::Task;
    use crate::train::{SelfPlayConfig, initial_weights};

    /// The games of a 3x3 config with a fresh network.
    fn play(config: &Config, starts: &[State]) -> (Vec<Sample>, Costs) {
        let board = Board::new(3, 3).unwrap();
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let weights = initial_weights(board, architecture, 1);
        let network = Inference::Engine(Arc::new(Network::new(&weights, Isa::fastest())));
        let progress = Progress::new(&(), Task::Games { generation: 1 }, config.selfplay.games);
        play_games(config, board, &network, 1, starts, &progress)
    }

    /// Proved margins are the solver's, played ones are possible, and policies put their weight on
    /// undrawn edges.
    #[test]
    fn samples_agree_with_the_solver() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 18);
        for (solver_undrawn, full_share) in [(0, 1.0), (14, 1.0), (14, 0.25)] {
            let mut config = Config { board: "3x3".into(), ..Config::default() };
            config.selfplay.games = 30;
            config.selfplay.simulations = 32;
            config.selfplay.full_share = full_share;
            config.selfplay.opening_safe = 1.0 - full_share;
            config.selfplay.root_undrawn = solver_undrawn;
            config.selfplay.leaf_undrawn = solver_undrawn;
            config.selfplay.band_undrawn = solver_undrawn / 2;
            config.selfplay.relabel_nodes = 100 * solver_undrawn as u64;
            config.learn.edge_loss = full_share as f32;
            let (samples, costs) = play(&config, &[]);
            assert!(samples.len() > (100.0 * full_share) as usize && costs.computed <= costs.evaluations);
            let (mut exact, mut edges) = (0, 0);
            for sample in &samples {
                assert!(sample.is_possible(), "{sample:?}");
                let weight: u32 = sample.policy.iter().map(|&(_, weight)| weight as u32).sum();
                assert!((65_000..=66_100).contains(&weight), "{weight}");
                if sample.is_exact {
                    exact += 1;
                    assert_eq!(solver.margin(sample.state, u64::MAX), Some(sample.margin as i32));
                }
                edges += !sample.edge_margins.is_empty() as usize;
                for &(edge, margin) in &sample.edge_margins {
                    assert_eq!(margin as i32, edge_margin(&mut solver, sample.state, edge), "{sample:?}");
                }
            }
            assert!(exact >= (20.0 * full_share) as usize, "{exact}");
            assert_eq!(edges > exact / 2, solver_undrawn > 0, "{edges} of {exact}");
            assert_eq!(play(&config, &[]).0, samples);
        }
    }

    fn config(set: impl FnOnce(&mut SelfPlayConfig)) -> Config {
        let mut config = Config { board: "3x3".into(), ..Config::default() };
        let selfplay = &mut config.selfplay;
        (selfplay.games, selfplay.simulations, selfplay.opening_edges) = (30, 16, 4);
        (selfplay.root_undrawn, selfplay.leaf_undrawn, selfplay.band_undrawn) = (12, 0, 12);
        set(selfplay);
        config
    }

    fn samples(config: &Config, starts: &[State]) -> Vec<Sample> {
        play(config, starts).0
    }

    #[test]
    fn finished_games_are_relabelled_from_their_end() {
        let board = Board::new(3, 3).unwrap();
        let exact = |samples: &[Sample]| samples.iter().filter(|sample| sample.is_exact).count();
        let (plain, all) = (samples(&config(|_| {}), &[]), samples(&config(|s| s.relabel_nodes = u64::MAX), &[]));
        assert!(exact(&plain) < plain.len() && plain.len() == all.len());
        assert_eq!(exact(&all), all.len());
        let mut solver = Solver::new(board, 1 << 18);
        for sample in &all {
            let solution = solver.solve(sample.state, u64::MAX);
            assert_eq!(solution.margin(), Some(sample.margin as i32));
            assert!(sample.policy.iter().all(|&(edge, _)| solution.best.contains(edge)));
        }
        let some = exact(&samples(&config(|s| s.relabel_nodes = 300), &[]));
        assert!(exact(&plain) < some && some < all.len(), "{some}");
    }

    #[test]
    fn surprising_samples_are_repeated() {
        let plain = samples(&config(|_| {}), &[]);
        let weighted = samples(&config(|s| s.surprise_share = 1.0), &[]);
        let times = |sample: &Sample| weighted.iter().filter(|other| *other == sample).count();
        assert!(weighted.iter().all(|sample| plain.contains(sample)));
        assert!(plain.iter().any(|sample| times(sample) == 0) && plain.iter().any(|sample| times(sample) > 1));
        assert!(weighted.len().abs_diff(plain.len()) < plain.len() / 3, "{} {}", weighted.len(), plain.len());
    }

    #[test]
    fn noise_ends_after_the_configured_number_of_moves() {
        // The number of distinct positions after so many moves of 30 games from the empty board.
        let positions = |noisy_moves: u64, moves: usize| {
            let samples = samples(&config(|s| (s.opening_edges, s.noisy_moves) = (0, noisy_moves)), &[]);
            let positions: HashSet<State> = samples.iter().map(|sample| sample.state).collect();
            positions.iter().filter(|state| state.drawn().len() == moves).count()
        };
        // The two edges of a corner are equivalent, so that the best move has two edges.
        assert!(positions(0, 1) <= 2 && positions(1, 1) > 4);
        assert!(positions(1, 2) < positions(64, 2));
    }

    #[test]
    fn games_may_begin_with_given_states() {
        let start = State::new(Board::new(3, 3).unwrap()).after(Edge::new(0)).after(Edge::new(5));
        let all = samples(&config(|s| s.start_share = 1.0), &[start]);
        assert_eq!(all.iter().filter(|sample| sample.state == start).count(), 30);
        let half = samples(&config(|s| s.start_share = 0.5), &[start]);
        assert!((5..25).contains(&half.iter().filter(|sample| sample.state == start).count()));
        // Without such states, games begin with their usual openings.
        assert!(samples(&config(|s| s.start_share = 1.0), &[]).len() > 60);
    }
}
