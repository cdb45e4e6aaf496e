//! One match by the arena's rules.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Bot;
use crate::board::{Board, Edge, Position};
use crate::mix::split_mix;

/// What happened in one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Every edge in the order drawn, the opening's first.
    pub moves: Vec<Edge>,
    /// Boxes of each seat.
    pub scores: [usize; 2],
    /// Turns on which a seat's choice was illegal or missing and the first undrawn edge was drawn instead.
    pub faults: [usize; 2],
}

/// How long the seats took to move, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// In all.
    pub total: [f64; 2],
    /// For the longest move.
    pub longest: [f64; 2],
}

/// The nonce of a match: the same on all its turns, different for different seeds.
pub fn match_nonce(seed: u64) -> u64 {
    split_mix(seed)
}

/// Plays one match between the bots of seat 0 and seat 1: one turn for each edge, on which both are asked and the mover's
/// action counts; the first undrawn edge in place of an illegal or missing one. The edges of `opening` are drawn first;
/// those that are illegal are left out. `None` when `stop` is set before the match is over.
pub fn referee(
    board: Board,
    bots: [&mut dyn Bot; 2],
    nonce: u64,
    opening: &[Edge],
    stop: &AtomicBool,
) -> Option<(GameRecord, Times)> {
    let mut position = Position::new(board);
    let mut moves = Vec::with_capacity(board.edges());
    for &edge in opening {
        if position.play(edge).is_ok() {
            moves.push(edge);
        }
    }
    let (mut faults, mut times) = ([0; 2], Times::default());
    let mut bots = bots;
    bots.iter_mut().for_each(|bot| bot.start_game());
    let mut is_stopped = false;
    while let Some(default) = position.undrawn().lowest() {
        is_stopped = stop.load(Ordering::Relaxed);
        if is_stopped {
            break;
        }
        let seat = position.mover();
        let start = Instant::now();
        let answer = bots[seat].answer(&position, nonce);
        let seconds = start.elapsed().as_secs_f64();
        times.total[seat] += seconds;
        times.longest[seat] = times.longest[seat].max(seconds);
        bots[1 - seat].watch(&position, nonce);
        let legal = answer.filter(|&edge| position.undrawn().contains(edge));
        faults[seat] += legal.is_none() as usize;
        let edge = legal.unwrap_or(default);
        if position.play(edge).is_ok() {
            moves.push(edge);
        }
    }
    bots.iter_mut().for_each(|bot| bot.end_game());
    (!is_stopped).then(|| (GameRecord { moves, scores: position.scores(), faults }, times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::RuleBot;

    fn play(board: Board, bots: [&mut dyn Bot; 2], nonce: u64, opening: &[Edge]) -> GameRecord {
        referee(board, bots, nonce, opening, &AtomicBool::new(false)).unwrap().0
    }

    struct Stubborn;
    impl Bot for Stubborn {
        fn choose(&mut self, _: &Position, _: u64) -> Edge {
            Edge::new(0)
        }
    }

    #[test]
    fn a_match_is_one_turn_for_each_edge() {
        let board = Board::new(5, 5).unwrap();
        let record = play(board, [&mut RuleBot::Random, &mut RuleBot::Greedy], match_nonce(3), &[]);
        assert_eq!(record.moves.len(), 60);
        assert_eq!(record.scores.iter().sum::<usize>(), 25);
        assert_eq!(record.faults, [0, 0]);
        assert_eq!(record, play(board, [&mut RuleBot::Random, &mut RuleBot::Greedy], match_nonce(3), &[]));
        assert_ne!(record, play(board, [&mut RuleBot::Random, &mut RuleBot::Greedy], match_nonce(4), &[]));
    }

    #[test]
    fn an_illegal_choice_draws_the_first_undrawn_edge() {
        let board = Board::new(1, 1).unwrap();
        let record = play(board, [&mut Stubborn, &mut RuleBot::First], 0, &[Edge::new(2)]);
        assert_eq!(record.moves.iter().map(|e| e.index()).collect::<Vec<_>>(), [2, 0, 1, 3]);
        // Seat 1 drew edge 0 after the opening; seat 0 asked for it again.
        assert_eq!((record.faults, record.scores), ([1, 0], [0, 1]));
    }

    #[test]
    fn chains_draw_no_illegal_edges() {
        let board = Board::new(4, 6).unwrap();
        let record = play(board, [&mut RuleBot::Chains, &mut RuleBot::Chains], 1, &[]);
        assert_eq!(record.faults, [0, 0]);
    }

    #[test]
    fn a_stopped_match_has_no_result() {
        let board = Board::new(2, 2).unwrap();
        let bots: [&mut dyn Bot; 2] = [&mut RuleBot::Random, &mut RuleBot::Greedy];
        assert_eq!(referee(board, bots, 1, &[], &AtomicBool::new(true)), None);
    }
}
