use super::*;
use crate::board::{Board, Edges, Position, parse_edge, parse_game};
use crate::mix::split_mix;
use crate::search::{RolloutEvaluator, UniformEvaluator};
use crate::solver::tests::edge_margin;
use crate::solver::{Offer, Openings, Solver};

/// Positions of random games on this board, each with the game's score so far.
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
                let rest = Offer::resolve(board.layout(), board.strings(position.drawn())).rest;
                let key = |is_loop: bool, length: usize| (is_loop, length);
                let mut seen: Vec<_> =
                    shapes(board, board.drawn(rest)).iter().map(|s| key(s.is_loop, s.boxes.len())).collect();
                let mut listed: Vec<_> =
                    Openings::new(board.layout(), rest).map(|o| key(o.is_loop, o.length as usize)).collect();
                seen.sort_unstable();
                listed.sort_unstable();
                assert_eq!(seen, listed, "{position}");
            }
        }
    }
}

/// Settled looks agree with a solver of their own, edge by edge, and their line keeps the value to the end.
#[test]
fn a_settled_look_is_exact() {
    let board = Board::new(3, 3).unwrap();
    let mut analyst = Analyst::new(board, UniformEvaluator, 1 << 16);
    let mut solver = Solver::new(board, 1 << 16);
    for position in positions(board, 100, 14) {
        let look = analyst.look(&position, 20, 1_000_000);
        let margin = position.lead() + solver.margin(position.drawn(), u64::MAX).unwrap();
        assert_eq!(look.bounds, (margin, margin));
        assert_eq!((look.expected, look.finals.as_slice()), (margin as f32, &[(margin, 1.0)][..]));
        let best = solver.solve(position.drawn(), u64::MAX).best;
        for edge in &look.edges {
            assert_eq!(edge.bounds.0 == margin, best.contains(edge.edge), "{position} {edge:?}");
            assert_eq!((edge.bounds.0, edge.expected), (edge.bounds.1, Some(edge.bounds.0 as f32)));
        }
        let policy: f32 = look.edges.iter().map(|edge| edge.policy).sum();
        assert!((policy - 1.0).abs() < 1e-3, "{policy}");
        let mut end = position.clone();
        look.line.iter().for_each(|&edge| {
            end.play(edge).unwrap();
        });
        let [first, second] = end.scores().map(|boxes| boxes as i32);
        assert!(end.is_over());
        assert_eq!(if position.mover() == 0 { first - second } else { second - first }, margin);
    }
}

/// What is said of an edge holds.
fn stays_within_the_truth(edge: &EdgeLook, position: &Position, solver: &mut Solver) {
    let worth = position.lead() + edge_margin(solver, position.drawn(), edge.edge);
    assert!((edge.bounds.0..=edge.bounds.1).contains(&worth), "{position} {edge:?} {worth}");
}

/// Where the solver has no budget the search speaks: bounds that hold, shares that add up, legal lines.
#[test]
fn an_open_look_stays_within_the_truth() {
    let board = Board::new(3, 3).unwrap();
    let mut analyst = Analyst::new(board, RolloutEvaluator::new(board), 1 << 12);
    let mut solver = Solver::new(board, 1 << 16);
    for position in positions(board, 60, 18) {
        let look = analyst.look(&position, 50, 0);
        let margin = position.lead() + solver.margin(position.drawn(), u64::MAX).unwrap();
        assert!((look.bounds.0..=look.bounds.1).contains(&margin));
        assert!((look.bounds.0 as f32..=look.bounds.1 as f32).contains(&look.expected));
        let policy: f32 = look.edges.iter().map(|edge| edge.policy).sum();
        assert!((policy - 1.0).abs() < 1e-3, "{position} {policy}");
        let share: f32 = look.finals.iter().map(|(_, share)| share).sum();
        assert!((share - 1.0).abs() < 0.05, "{share}");
        assert!(!look.line.is_empty());
        let mut line = position.clone();
        look.line.iter().for_each(|&edge| {
            line.play(edge).unwrap();
        });
        look.edges.iter().for_each(|edge| stays_within_the_truth(edge, &position, &mut solver));
    }
}

/// Two runs on offer: what keeps control in the end may begin with an edge that leaves both ways open.
#[test]
fn an_edge_that_leaves_both_ways_open_is_worth_the_better_one() {
    let board = Board::new(3, 3).unwrap();
    let undrawn = ["V0,0", "V0,1", "V0,3", "V2,0", "V2,1", "H3,0", "H3,1"];
    let undrawn: Edges = undrawn.map(|name| parse_edge(board, name).unwrap()).into_iter().collect();
    let position = Position::from_edges(board, board.undrawn(undrawn));
    let look = Analyst::new(board, UniformEvaluator, 1 << 12).look(&position, 0, 0);
    let mut solver = Solver::new(board, 1 << 12);
    let offer = Offer::resolve(board.layout(), board.strings(position.drawn()));
    assert_eq!((offer.taken, offer.price), (3, 4));
    look.edges.iter().for_each(|edge| stays_within_the_truth(edge, &position, &mut solver));
    let taking = look.edges.iter().filter(|edge| board.captures(position.drawn(), edge.edge) > 0);
    assert_eq!(taking.count(), 2);
}

#[test]
fn a_finished_game_has_its_score() {
    let position = parse_game("1x1 H0,0 H1,0 V0,0 V0,1").unwrap();
    let board = position.board();
    let look = Analyst::new(board, UniformEvaluator, 64).look(&position, 10, 10);
    assert_eq!((look.bounds, look.edges.len(), look.line.len()), ((position.lead(), position.lead()), 0, 0));
}
