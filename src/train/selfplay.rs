//! A generation of games on rayon.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Sample;
use super::config::Config;
use super::costs::Costs;
use super::game::Worker;
use super::processor::{Processor, ProcessorError, device};
use super::service::Service;
use crate::board::{Board, State};
use crate::net::{Isa, Network, Weights};
use crate::random::{Purpose, stream};
use crate::search::{Evaluator, NetworkEvaluator};

/// The evaluation for the workers.
pub(super) enum Inference {
    /// Each worker runs the engine itself.
    Engine(Arc<Network>),
    /// One thread evaluates for all of them.
    Service(Service),
}

/// The evaluation of these weights as a config asks for it.
pub(super) fn inference(config: &Config, weights: Weights, isa: Isa) -> Result<Inference, ProcessorError> {
    Ok(match config.selfplay.device {
        Processor::Cpu => Inference::Engine(Arc::new(Network::new(&weights, isa))),
        Processor::Gpu => Inference::Service(Service::start(weights, device(Processor::Gpu)?, config.selfplay.at_once)),
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

/// Plays the games of a generation, of which some may begin with a position of `starts`. Every game depends on (seed,
/// generation, game), `starts` and the network alone, and the rows come in the order of the games, whatever the number of
/// threads. (A GPU's answers may depend in their last digits on what is asked beside.)
pub(super) fn play_games(
    config: &Config,
    board: Board,
    inference: &Inference,
    generation: u64,
    starts: &[State],
    finished: &(dyn Fn(usize) + Sync),
) -> (Vec<Sample>, Costs) {
    let count = AtomicUsize::new(0);
    let games: Vec<(Vec<Sample>, Costs)> = (0..config.selfplay.games as u64)
        .into_par_iter()
        .map_init(
            || Worker::new(config, board, starts, inference.evaluator()),
            |worker, game| {
                let played = worker.play(stream(config.seed, generation, game, Purpose::SelfPlay));
                finished(count.fetch_add(1, Ordering::Relaxed) + 1);
                played
            },
        )
        .collect();
    let mut costs = Costs::default();
    let mut rows = Vec::new();
    for (game, cost) in games {
        rows.extend(game);
        costs.add(&cost);
    }
    (rows, costs)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::board::Edge;
    use crate::net::Architecture;
    use crate::solver::Solver;
    use crate::solver::tests::edge_margin;
    use crate::train::{SelfPlayConfig, initial_weights};

    /// Every proved margin is the solver's, every played one is possible, and policies put their weight on what is
    /// undrawn.
    #[test]
    fn rows_of_a_generation_are_true() {
        let board = Board::new(3, 3).unwrap();
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let network =
            Inference::Engine(Arc::new(Network::new(&initial_weights(board, architecture, 1), Isa::fastest())));
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
            let (rows, costs) = play_games(&config, board, &network, 1, &[], &|_| {});
            assert!(rows.len() > (100.0 * full_share) as usize && costs.computed <= costs.evaluations);
            let (mut exact, mut edges) = (0, 0);
            for row in &rows {
                assert!(row.is_possible(), "{row:?}");
                let weight: u32 = row.policy.iter().map(|&(_, weight)| weight as u32).sum();
                assert!((65_000..=66_100).contains(&weight), "{weight}");
                if row.is_exact {
                    exact += 1;
                    assert_eq!(solver.margin(row.state, u64::MAX), Some(row.margin as i32));
                }
                edges += !row.edge_margins.is_empty() as usize;
                for &(edge, margin) in &row.edge_margins {
                    assert_eq!(margin as i32, edge_margin(&mut solver, row.state, edge), "{row:?}");
                }
            }
            assert!(exact >= (20.0 * full_share) as usize, "{exact}");
            assert_eq!(edges > exact / 2, solver_undrawn > 0, "{edges} of {exact}");
            let again = play_games(&config, board, &network, 1, &[], &|_| {}).0;
            assert_eq!(again, rows);
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

    fn rows(config: &Config, starts: &[State]) -> Vec<Sample> {
        let board = Board::new(3, 3).unwrap();
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let network =
            Inference::Engine(Arc::new(Network::new(&initial_weights(board, architecture, 1), Isa::fastest())));
        play_games(config, board, &network, 1, starts, &|_| {}).0
    }

    #[test]
    fn a_game_that_is_over_is_labelled_backwards() {
        let board = Board::new(3, 3).unwrap();
        let exact = |rows: &[Sample]| rows.iter().filter(|row| row.is_exact).count();
        let (plain, all) = (rows(&config(|_| {}), &[]), rows(&config(|s| s.relabel_nodes = u64::MAX), &[]));
        assert!(exact(&plain) < plain.len() && plain.len() == all.len());
        assert_eq!(exact(&all), all.len());
        let mut solver = Solver::new(board, 1 << 18);
        for row in &all {
            let solution = solver.solve(row.state, u64::MAX);
            assert_eq!(solution.margin(), Some(row.margin as i32));
            assert!(row.policy.iter().all(|&(edge, _)| solution.best.contains(edge)));
        }
        let some = exact(&rows(&config(|s| s.relabel_nodes = 300), &[]));
        assert!(exact(&plain) < some && some < all.len(), "{some}");
    }

    #[test]
    fn surprising_rows_come_more_than_once() {
        let plain = rows(&config(|_| {}), &[]);
        let weighed = rows(&config(|s| s.surprise_share = 1.0), &[]);
        let times = |row: &Sample| weighed.iter().filter(|other| *other == row).count();
        assert!(weighed.iter().all(|row| plain.contains(row)));
        assert!(plain.iter().any(|row| times(row) == 0) && plain.iter().any(|row| times(row) > 1));
        assert!(weighed.len().abs_diff(plain.len()) < plain.len() / 3, "{} {}", weighed.len(), plain.len());
    }

    #[test]
    fn noise_ends_after_as_many_moves_as_the_config_says() {
        // Different positions after so many moves of 30 games from the empty board.
        let positions = |noisy_moves: u64, moves: usize| {
            let rows = rows(&config(|s| (s.opening_edges, s.noisy_moves) = (0, noisy_moves)), &[]);
            let positions: HashSet<State> = rows.iter().map(|row| row.state).collect();
            positions.iter().filter(|state| state.drawn().len() == moves).count()
        };
        // The two edges of a corner are one move.
        assert!(positions(0, 1) <= 2 && positions(1, 1) > 4);
        assert!(positions(1, 2) < positions(64, 2));
    }

    #[test]
    fn games_begin_where_they_are_told_to() {
        let start = State::new(Board::new(3, 3).unwrap()).after(Edge::new(0)).after(Edge::new(5));
        let told = rows(&config(|s| s.start_share = 1.0), &[start]);
        assert_eq!(told.iter().filter(|row| row.state == start).count(), 30);
        let half = rows(&config(|s| s.start_share = 0.5), &[start]);
        assert!((5..25).contains(&half.iter().filter(|row| row.state == start).count()));
        // Without positions to begin with, games begin as ever.
        assert!(rows(&config(|s| s.start_share = 1.0), &[]).len() > 60);
    }
}
