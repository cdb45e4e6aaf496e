//! The parallel solver with different numbers of threads, sizes of table, limits and stops.

use std::time::{Duration, Instant};

use doublecross_core::board::{Board, Edges, State};
use doublecross_core::solver::Solution;

use super::*;

/// The answers are the same with one thread and with several, and with a large table and a tiny
/// one.
#[test]
fn threads_and_tables_change_no_answer() {
    let careful = include_str!("../../../../tests/data/suites/5x5-careful.tsv");
    let deep = include_str!("../../../../tests/data/suites/5x5-deep.tsv");
    let row = |suite: &'static str, undrawn| {
        let mut rows = suite.lines().map(|line| line.split('\t').collect::<Vec<&str>>());
        rows.find(|row| row[2] == undrawn).unwrap()
    };
    let (near, far) = (row(careful, "36"), row(deep, "38"));
    for (entries, threads, row) in [(1 << 20, 1, &far), (1 << 20, 4, &far), (64, 3, &near)] {
        let mut solver = ParallelSolver::new(Board::new(5, 5).unwrap(), entries, threads);
        let state: State = format!("5x5:{}", row[3]).parse().unwrap();
        let solution = solver.solve(state, 0, Limits::NONE, &mut |_| true);
        assert_eq!(solution.margin(), row[4].parse().ok());
        let best = u64::from_str_radix(row[5].trim_start_matches("0x"), 16).unwrap();
        assert_eq!(solution.best, Edges::from_bytes(&best.to_le_bytes()));
        if row == &far {
            assert!(solver.first.is_none(), "the position should be too hard for one solver");
            continue;
        }
        for value in solver.edge_values(state, &solution, Limits::NONE, &mut |_| true) {
            assert!(value.bounds.margin().is_some());
            let is_best = value.bounds.margin() == solution.margin();
            assert!(value.edges.iter().all(|edge| solution.best.contains(edge) == is_best));
        }
        assert_eq!(solver.board(), state.board());
    }
}

/// 4x4 is a tie, which lies within the bounds however the solve ends.
#[test]
fn limits_and_stops_leave_true_bounds() {
    let mut solver = ParallelSolver::new(Board::new(4, 4).unwrap(), 1 << 16, 2);
    let state = State::new(solver.board());
    let is_true = |solution: &Solution| !solution.bounds.is_exact() && solution.bounds.contains(0);
    let limits = Limits { nodes: 50_000, deadline: None };
    let solution = solver.solve(state, 0, limits, &mut |_| true);
    assert!(is_true(&solution) && solution.best.is_empty());
    assert!(solution.nodes <= 51_000, "{}", solution.nodes);
    let deadline = Some(Instant::now() + Duration::from_millis(200));
    let solution = solver.solve(state, 0, Limits { nodes: u64::MAX, deadline }, &mut |_| true);
    assert!(is_true(&solution));
    let handle = solver.handle();
    let (mut reports, mut most) = (0, 0);
    let solution = solver.solve(state, 0, Limits::NONE, &mut |progress| {
        reports += 1;
        assert!(progress.nodes > 0);
        // 40 edges, all of them safe. The two edges of a corner are one move.
        let moves = handle.move_progress();
        assert!(moves.iter().all(|one| (1..=one.of).contains(&one.number)), "{moves:?}");
        assert!(moves.first().is_none_or(|one| one.of == 36), "{moves:?}");
        most = most.max(moves.len());
        reports < 3
    });
    assert!(most > 1, "the solver should report its moves");
    assert!(is_true(&solution) && reports == 3);
}

/// The lemmas that a solver has proved take another one no nodes, and a solve that was stopped goes
/// on from its lemmas to the same answer.
#[test]
fn a_stopped_solve_resumes_from_its_lemmas() {
    let board = Board::new(3, 4).unwrap();
    let state = State::new(board);
    let solver = || ParallelSolver::new(board, 1 << 20, 1);
    let mut first = solver();
    first.keep_lemmas(20);
    assert_eq!(first.is_at_least(state, 0, Limits::NONE, &mut |_| true), Some(true));
    let lemmas = first.handle().take_lemmas();
    let mut second = solver();
    second.add_lemmas(&lemmas);
    assert_eq!(second.is_at_least(state, 0, Limits::NONE, &mut |_| true), Some(true));
    assert_eq!(second.nodes(), 0);
    let resumed = second.solve(state, 0, Limits::NONE, &mut |_| true);
    let fresh = solver().solve(state, 0, Limits::NONE, &mut |_| true);
    assert_eq!((resumed.margin(), resumed.best), (fresh.margin(), fresh.best));
    assert_eq!(resumed.margin(), Some(0));
    assert!(resumed.nodes < fresh.nodes, "{} {}", resumed.nodes, fresh.nodes);
}
