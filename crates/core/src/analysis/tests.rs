//! Analyses against exact margins.

use crate::board::{Board, Edges, Position, State};
use crate::mix::split_mix;
use crate::search::{RolloutEvaluator, UniformEvaluator};
use crate::solver::tests::edge_margin;
use crate::solver::{Bounds, Solver};

use super::*;

/// Returns positions of random games on this board, each with its score.
pub(crate) fn positions(board: Board, count: u64, undrawn: usize) -> impl Iterator<Item = Position> {
    (0..count).map(move |game| {
        let mut position = Position::new(board);
        for turn in 0..board.edges() - undrawn {
            let word = split_mix(split_mix(game) + turn as u64);
            let edge = position.undrawn().iter().nth(word as usize % position.undrawn().len()).unwrap();
            position.play(edge).unwrap();
        }
        position
    })
}

#[test]
fn shapes_have_the_lengths_of_the_openings() {
    for (rows, cols) in [(3, 3), (2, 5), (1, 6), (5, 5)] {
        let board = Board::new(rows, cols).unwrap();
        for undrawn in [4, 8, 12] {
            for position in positions(board, 200, undrawn) {
                let rest = position.state().offer().rest;
                let key = |is_loop: bool, length: usize| (is_loop, length);
                let mut seen: Vec<_> = shapes(rest).iter().map(|s| key(s.is_loop, s.boxes.len())).collect();
                let mut listed: Vec<_> = rest.openings().map(|o| key(o.is_loop, o.length as usize)).collect();
                seen.sort_unstable();
                listed.sort_unstable();
                assert_eq!(seen, listed, "{position}");
            }
        }
    }
}

/// Settled analyses agree with another solver, edge by edge, and play along the variation reaches
/// the margin.
#[test]
fn a_settled_analysis_is_exact() {
    let board = Board::new(3, 3).unwrap();
    let mut analyst = Analyst::new(board, UniformEvaluator, 1 << 16);
    let mut solver = Solver::new(board, 1 << 16);
    for position in positions(board, 100, 14) {
        let analysis = analyst.analyze(&position, 20, 1_000_000);
        let margin = position.lead() + solver.margin(position.state(), u64::MAX).unwrap();
        assert_eq!(analysis.bounds, Bounds::exact(margin));
        assert_eq!((analysis.expected, analysis.finals.as_slice()), (margin as f32, &[(margin, 1.0)][..]));
        let best = solver.solve(position.state(), u64::MAX).best;
        for edge in &analysis.edges {
            assert_eq!(edge.bounds.lower == margin, best.contains(edge.edge), "{position} {edge:?}");
            assert_eq!((edge.bounds.lower, edge.expected), (edge.bounds.upper, Some(edge.bounds.lower as f32)));
        }
        let policy: f32 = analysis.edges.iter().map(|edge| edge.policy).sum();
        assert!((policy - 1.0).abs() < 1e-3, "{policy}");
        let mut end = position.clone();
        analysis.variation.iter().for_each(|&edge| {
            end.play(edge).unwrap();
        });
        let [first, second] = end.scores().map(|boxes| boxes as i32);
        assert!(end.is_over());
        assert_eq!(if position.mover() == 0 { first - second } else { second - first }, margin);
    }
}

/// Checks that the exact margin of an edge lies within its bounds.
fn check_bounds(edge: &EdgeAnalysis, position: &Position, solver: &mut Solver) {
    let margin = position.lead() + edge_margin(solver, position.state(), edge.edge);
    assert!(edge.bounds.contains(margin), "{position} {edge:?} {margin}");
}

/// If the solver has no budget, the analysis is that of the search: true bounds, shares that add
/// up, and legal variations.
#[test]
fn the_bounds_of_an_open_analysis_are_true() {
    let board = Board::new(3, 3).unwrap();
    let mut analyst = Analyst::new(board, RolloutEvaluator, 1 << 12);
    let mut solver = Solver::new(board, 1 << 16);
    for position in positions(board, 60, 18) {
        let analysis = analyst.analyze(&position, 50, 0);
        let margin = position.lead() + solver.margin(position.state(), u64::MAX).unwrap();
        assert!(analysis.bounds.contains(margin));
        assert!((analysis.bounds.lower as f32..=analysis.bounds.upper as f32).contains(&analysis.expected));
        let policy: f32 = analysis.edges.iter().map(|edge| edge.policy).sum();
        assert!((policy - 1.0).abs() < 1e-3, "{position} {policy}");
        let share: f32 = analysis.finals.iter().map(|(_, share)| share).sum();
        assert!((share - 1.0).abs() < 0.05, "{share}");
        assert!(!analysis.variation.is_empty());
        let mut end = position.clone();
        analysis.variation.iter().for_each(|&edge| {
            end.play(edge).unwrap();
        });
        analysis.edges.iter().for_each(|edge| check_bounds(edge, &position, &mut solver));
    }
}

/// Two runs on offer: the edge that begins keeping control may leave both choices open.
#[test]
fn an_edge_that_leaves_both_choices_open_has_the_better_value() {
    let board = Board::new(3, 3).unwrap();
    let undrawn = ["V0,0", "V0,1", "V0,3", "V2,0", "V2,1", "H3,0", "H3,1"];
    let undrawn: Edges = undrawn.map(|name| board.parse_edge(name).unwrap()).into_iter().collect();
    let position = Position::from_state(State::from_undrawn(board, undrawn));
    let analysis = Analyst::new(board, UniformEvaluator, 1 << 12).analyze(&position, 0, 0);
    let mut solver = Solver::new(board, 1 << 12);
    let offer = position.state().offer();
    assert_eq!((offer.taken, offer.price), (3, Some(4)));
    analysis.edges.iter().for_each(|edge| check_bounds(edge, &position, &mut solver));
    let taking = analysis.edges.iter().filter(|edge| position.state().captures(edge.edge) > 0);
    assert_eq!(taking.count(), 2);
}

#[test]
fn a_finished_game_has_its_score() {
    let position = "1x1 H0,0 H1,0 V0,0 V0,1".parse::<Position>().unwrap();
    let board = position.board();
    let analysis = Analyst::new(board, UniformEvaluator, 64).analyze(&position, 10, 10);
    assert_eq!(
        (analysis.bounds, analysis.edges.len(), analysis.variation.len()),
        (Bounds::exact(position.lead()), 0, 0)
    );
}
