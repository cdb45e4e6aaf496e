//! Positions that are studied: no game came to them, and the solver says what is best.
//!
//! What a game's end says about its positions is what two fallible players made of them, and its positions are those that
//! they like. Exact answers about others cost milliseconds each where the solver reaches far.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::config::{Config, StudyConfig};
use super::exact::exact_row;
use super::{Row, SelfPlayConfig};
use crate::board::{Board, Edges};
use crate::random::{Purpose, random_edges, stream};
use crate::solver::Solver;

/// The rows of a generation's studied positions. Each depends on (seed, generation, its number) alone.
pub(super) fn study(config: &Config, board: Board, generation: u64, finished: &(dyn Fn(usize) + Sync)) -> Vec<Row> {
    let StudyConfig { positions, least_undrawn, most_undrawn, nodes } = config.study;
    let SelfPlayConfig { table, .. } = config.selfplay;
    let count = AtomicUsize::new(0);
    let rows = (0..positions as u64).into_par_iter().map_init(
        || Solver::new(board, table),
        |solver, number| {
            let mut rng = stream(config.seed, generation, number, Purpose::Study);
            let drawn = careful_position(board, least_undrawn, most_undrawn, &mut rng);
            // What is settled within the budget must not depend on what this thread studied before.
            solver.forget();
            let row = exact_row(solver, drawn, nodes, config.learn.learns_edges());
            finished(count.fetch_add(1, Ordering::Relaxed) + 1);
            row
        },
    );
    rows.flatten().collect()
}

/// A capture-free position of careful play at random with at least and at most so many undrawn edges or, where safe edges
/// come to an end, more.
pub(super) fn careful_position(board: Board, least_undrawn: usize, most_undrawn: usize, rng: &mut ChaCha8Rng) -> Edges {
    let most = most_undrawn.clamp(1, board.edges());
    let undrawn = rng.random_range(least_undrawn.clamp(1, most)..=most);
    random_edges(board, board.edges() - undrawn, true, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::safe_edges;

    fn studied(set: impl FnOnce(&mut StudyConfig)) -> Vec<Row> {
        let mut config = Config { board: "3x3".into(), ..Config::default() };
        config.study = StudyConfig { positions: 60, least_undrawn: 12, most_undrawn: 16, nodes: 100_000 };
        set(&mut config.study);
        study(&config, Board::new(3, 3).unwrap(), 1, &|_| {})
    }

    #[test]
    fn answers_are_exact_and_the_same_again() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 18);
        let rows = studied(|_| {});
        assert_eq!(rows.len(), 60);
        for row in &rows {
            let undrawn = board.undrawn(row.drawn).len();
            assert!((12..=16).contains(&undrawn) || safe_edges(board, row.drawn).is_empty(), "{undrawn}");
            assert!(row.is_exact && row.is_possible(board) && board.is_capture_free(row.drawn));
            let solution = solver.solve(row.drawn, u64::MAX);
            assert_eq!(Some(row.margin as i32), solution.margin());
            let edges: Edges = row.policy.iter().map(|&(edge, _)| edge).collect();
            assert_eq!(edges, solution.best);
        }
        assert_eq!(rows, studied(|_| {}));
        assert_ne!(rows[..10], studied(|s| s.most_undrawn = 15)[..10]);
    }

    #[test]
    fn what_the_budget_does_not_settle_is_left_out() {
        assert!(studied(|s| s.nodes = 1).len() < 60);
        // More than the board has: the empty board.
        let rows = studied(|s| (s.least_undrawn, s.most_undrawn, s.positions, s.nodes) = (99, 99, 1, u64::MAX));
        assert_eq!((rows.len(), rows[0].drawn, rows[0].margin), (1, Edges::EMPTY, -3));
        assert!(studied(|s| s.positions = 0).is_empty());
    }
}
