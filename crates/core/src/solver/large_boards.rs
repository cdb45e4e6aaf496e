//! Tests of the solver on boards of more than 64 edges.

use std::collections::HashMap;

use proptest::prelude::*;

use super::Solver;
use super::tests::margin_by_the_rules;
use crate::board::{Board, Edge, Edges, State};
use crate::mix::split_mix;

/// Returns the margin of the player to move by offers and openings alone, without graphs, bounds
/// and tables.
fn margin_by_offers(state: State, memo: &mut HashMap<State, i32>) -> i32 {
    let offer = state.offer();
    let rest = offer.rest;
    if !memo.contains_key(&rest) {
        let safe = rest.safe_edges();
        let safe = safe.iter().map(|edge| -margin_by_offers(rest.after(edge), memo)).max();
        let openings = rest.openings().map(|opening| -opening.offer.margin(margin_by_offers(opening.offer.rest, memo)));
        let best = safe.into_iter().chain(openings.max()).max().unwrap_or(0);
        memo.insert(rest, best);
    }
    offer.margin(memo[&rest])
}

/// Returns the edges between boxes that follow each other on a walk, those at both ends of the
/// walk included. The walk takes `length` steps where it can, never visits a box twice and stays
/// off `avoided`.
fn chain(board: Board, length: usize, seed: u64, avoided: &mut Vec<usize>) -> Edges {
    let mut random = seed;
    let mut choose = |count: usize| {
        random = split_mix(random.wrapping_add(1));
        (random % count.max(1) as u64) as usize
    };
    let free: Vec<usize> = (0..board.boxes()).filter(|b| !avoided.contains(b)).collect();
    let Some(&start) = free.get(choose(free.len())) else { return Edges::EMPTY };
    let mut edges = Edges::EMPTY;
    let mut at = start;
    avoided.push(at);
    for _ in 0..length {
        let beside = |edge: Edge| board.boxes_of(edge).iter().map(|&b| b as usize).find(|&b| b != at);
        let steps: Vec<(Edge, usize)> = (board.sides(at).iter())
            .filter_map(|edge| beside(edge).map(|next| (edge, next)))
            .filter(|(_, next)| !avoided.contains(next))
            .collect();
        let Some(&(edge, next)) = steps.get(choose(steps.len())) else { break };
        edges.insert(edge);
        avoided.push(next);
        at = next;
    }
    edges
}

fn large_board() -> impl Strategy<Value = Board> {
    let sizes = [(6, 6), (7, 7), (8, 8), (9, 9), (2, 30), (30, 2), (4, 19), (12, 6), (1, 59)];
    prop::sample::select(sizes.to_vec()).prop_map(|(rows, cols)| Board::new(rows, cols).unwrap())
}

/// Returns a few edges of one or two small parts of a board.
fn edges_of_parts(board: Board, seed: u64, count: usize) -> Edges {
    let corner = |number: u64| {
        (
            number as usize % board.rows().saturating_sub(2).max(1),
            (number >> 32) as usize % board.cols().saturating_sub(2).max(1),
        )
    };
    let corners = [corner(split_mix(seed)), corner(split_mix(seed ^ 1))];
    let is_near = |edge: &Edge| {
        let (_, row, col) = board.coordinates(*edge);
        corners.iter().any(|&(r, c)| (r..=r + 2).contains(&row) && (c..=c + 2).contains(&col))
    };
    let mut near: Vec<Edge> = board.all().iter().filter(is_near).collect();
    near.sort_by_key(|edge| split_mix(seed ^ (edge.index() as u64) << 8));
    near.into_iter().take(count).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn parts_of_large_boards_agree_with_the_bare_rules(board in large_board(), seed: u64, count in 0usize..14) {
        let state = State::from_undrawn(board, edges_of_parts(board, seed, count));
        let expected = margin_by_the_rules(state, &mut HashMap::new());
        prop_assert_eq!(margin_by_offers(state, &mut HashMap::new()), expected);
        let mut solver = Solver::new(board, 1 << 10);
        let solution = solver.solve(state, u64::MAX);
        prop_assert_eq!(solution.margin(), Some(expected));
        for edge in state.undrawn() {
            let after = super::tests::edge_margin(&mut solver, state, edge);
            prop_assert_eq!(solution.best.contains(edge), after == expected);
        }
    }

    /// Walks through many boxes, which branch where they meet edges that are undrawn as well.
    #[test]
    fn long_chains_agree_with_offers(
        board in large_board(),
        seed: u64,
        lengths in prop::collection::vec(prop::sample::select(vec![1usize, 2, 3, 5, 9, 30, 60]), 1..5),
        extra in 0usize..7,
    ) {
        let mut avoided = Vec::new();
        let mut undrawn = edges_of_parts(board, seed, extra);
        for (number, length) in lengths.into_iter().enumerate() {
            undrawn = undrawn.union(chain(board, length, seed ^ number as u64, &mut avoided));
        }
        let state = State::from_undrawn(board, undrawn);
        let expected = margin_by_offers(state, &mut HashMap::new());
        let mut solver = Solver::new(board, 1 << 10);
        prop_assert_eq!(solver.margin(state, u64::MAX), Some(expected));
        // The same from a table that has seen the positions after each edge.
        for edge in state.undrawn() {
            let margin = super::tests::edge_margin(&mut solver, state, edge);
            prop_assert!(margin <= expected);
        }
        prop_assert_eq!(solver.margin(state, u64::MAX), Some(expected));
    }

    /// A position in the corner of a large board is worth what it is worth on a board of its own.
    #[test]
    fn corners_of_large_boards_are_boards_of_their_own(words: [u64; 2], undrawn in 12usize..26) {
        let (small, large) = (Board::new(4, 5).unwrap(), Board::new(9, 9).unwrap());
        let mut edges: Vec<Edge> = small.all().iter().filter(|&edge| {
            let (orientation, row, col) = small.coordinates(edge);
            // Edges at the right and at the bottom would belong to two boxes of the large board.
            match orientation {
                crate::board::Orientation::Horizontal => row < small.rows(),
                crate::board::Orientation::Vertical => col < small.cols(),
            }
        }).collect();
        edges.sort_by_key(|edge| split_mix(words[0] ^ (edge.index() as u64) << 8));
        edges.truncate(undrawn);
        let image = |edge: Edge| {
            let (orientation, row, col) = small.coordinates(edge);
            large.edge(orientation, row, col).unwrap()
        };
        let state = State::from_undrawn(small, edges.iter().copied().collect());
        let same = State::from_undrawn(large, edges.iter().map(|&edge| image(edge)).collect());
        let expected = Solver::new(small, 1 << 14).solve(state, u64::MAX);
        let mut solver = Solver::new(large, 1 << 14);
        let found = solver.solve(same, u64::MAX);
        prop_assert_eq!(found.margin(), expected.margin());
        prop_assert_eq!(found.best, expected.best.iter().map(image).collect());
        for symmetry in large.symmetries() {
            prop_assert_eq!(solver.margin(same.image(symmetry), u64::MAX), expected.margin());
        }
    }
}

/// A position that is out of reach has true bounds at once.
#[test]
fn a_position_that_is_too_large_is_not_settled() {
    let board = Board::new(9, 9).unwrap();
    let mut solver = Solver::new(board, 1 << 10);
    assert!(!Solver::is_in_reach(State::new(board)));
    let solution = solver.solve(State::new(board), u64::MAX);
    assert_eq!((solution.bounds.lower, solution.bounds.upper, solution.nodes), (-81, 81, 0));
    assert!(solution.best.is_empty());
    assert_eq!(solver.is_at_least(State::new(board), 1, u64::MAX), None);
    assert_eq!(solver.best_edges(State::new(board), 1_000), Edges::EMPTY);
}
