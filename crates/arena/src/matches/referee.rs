//! The referee: one game by the arena's rules (docs/protocol.md).

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::Bot;
use doublecross_core::board::{Board, Edge, Position, Seat};
use doublecross_core::mix::split_mix;

/// The moves of a game and their outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// All edges in the order in which they were drawn, those of the opening first.
    pub moves: Vec<Edge>,
    /// The number of boxes of each seat.
    pub scores: [usize; 2],
    /// The number of turns of each seat on which its action was illegal or missing.
    pub faults: [usize; 2],
}

/// The time that each seat took for its own moves, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The time of all moves together.
    pub total: [f64; 2],
    /// The time of the longest move.
    pub longest: [f64; 2],
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlayedGame {
    /// The moves and their outcome.
    pub record: GameRecord,
    /// The time that each seat took.
    pub times: Times,
    /// The number of turns of each seat after the opening.
    pub turns: [usize; 2],
}

/// Returns the nonce of a pair of games of the match with this seed, counted from 0. Neighboring seeds
/// have other nonces.
pub fn match_nonce(seed: u64, pair: u64) -> u64 {
    split_mix(split_mix(seed).wrapping_add(pair))
}

/// Plays one game between the bots of seat 0 and seat 1, or returns `None` if `stop` is set before
/// it is over, or if the system fails to ask a bot in a process of its own.
///
/// There is one turn for each edge. On each turn both bots are asked, and the action of the seat to
/// move counts. If it is illegal or missing, the first undrawn edge is drawn. The edges of
/// `opening` are drawn first, without those that are illegal.
pub fn referee(
    board: Board,
    bots: [&mut dyn Bot; 2],
    nonce: u64,
    opening: &[Edge],
    stop: &AtomicBool,
) -> Option<(GameRecord, Times)> {
    let played = play(board, bots, nonce, opening, &|| stop.load(Ordering::Relaxed)).ok()??;
    Some((played.record, played.times))
}

/// Plays one game as [`referee`] does, until `is_stopped` returns `true`.
///
/// # Errors
/// Returns the seat of the bot that could not be asked, and the system's error.
pub(super) fn play(
    board: Board,
    mut bots: [&mut dyn Bot; 2],
    nonce: u64,
    opening: &[Edge],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<PlayedGame>, (Seat, io::Error)> {
    if is_stopped() {
        return Ok(None);
    }
    bots.iter_mut().for_each(|bot| bot.start_game());
    let result = play_turns(board, &mut bots, nonce, opening, is_stopped);
    bots.iter_mut().for_each(|bot| bot.end_game());
    result
}

/// Plays the turns of a game between bots that have started it.
fn play_turns(
    board: Board,
    bots: &mut [&mut dyn Bot; 2],
    nonce: u64,
    opening: &[Edge],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<PlayedGame>, (Seat, io::Error)> {
    let mut position = Position::new(board);
    let mut moves = Vec::with_capacity(board.edges());
    for &edge in opening {
        if position.play(edge).is_ok() {
            moves.push(edge);
        }
    }
    let (mut faults, mut turns, mut times) = ([0; 2], [0; 2], Times::default());
    while let Some(default) = position.undrawn().lowest() {
        if is_stopped() {
            return Ok(None);
        }
        let seat = position.mover();
        let start = Instant::now();
        let answer = bots[seat].answer(&position, nonce).map_err(|error| (seat, error))?;
        let seconds = start.elapsed().as_secs_f64();
        times.total[seat] += seconds;
        times.longest[seat] = times.longest[seat].max(seconds);
        bots[1 - seat].watch(&position, nonce).map_err(|error| (1 - seat, error))?;
        turns[seat] += 1;
        let legal = answer.filter(|&edge| position.undrawn().contains(edge));
        faults[seat] += legal.is_none() as usize;
        let edge = legal.unwrap_or(default);
        if position.play(edge).is_ok() {
            moves.push(edge);
        }
    }
    // A bot that was asked when the game was stopped has not failed.
    let record = GameRecord { moves, scores: position.scores(), faults };
    Ok((!is_stopped()).then_some(PlayedGame { record, times, turns }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::bots::RuleBot;

    fn play_game(board: Board, bots: [&mut dyn Bot; 2], nonce: u64, opening: &[Edge]) -> GameRecord {
        referee(board, bots, nonce, opening, &AtomicBool::new(false)).unwrap().0
    }

    /// A bot that always draws edge 0.
    struct EdgeZero;
    impl Bot for EdgeZero {
        fn choose(&mut self, _: &Position, _: u64) -> Edge {
            Edge::new(0)
        }
    }

    #[test]
    fn a_game_has_one_turn_for_each_edge() {
        let board = Board::new(5, 5).unwrap();
        let record = play_game(board, [&mut RuleBot::Random, &mut RuleBot::Greedy], match_nonce(3, 0), &[]);
        assert_eq!(record.moves.len(), 60);
        assert_eq!(record.scores.iter().sum::<usize>(), 25);
        assert_eq!(record.faults, [0, 0]);
        assert_eq!(record, play_game(board, [&mut RuleBot::Random, &mut RuleBot::Greedy], match_nonce(3, 0), &[]));
        assert_ne!(record, play_game(board, [&mut RuleBot::Random, &mut RuleBot::Greedy], match_nonce(4, 0), &[]));
    }

    #[test]
    fn an_illegal_choice_draws_the_first_undrawn_edge() {
        let board = Board::new(1, 1).unwrap();
        let record = play_game(board, [&mut EdgeZero, &mut RuleBot::First], 0, &[Edge::new(2)]);
        assert_eq!(record.moves.iter().map(|e| e.index()).collect::<Vec<_>>(), [2, 0, 1, 3]);
        // Seat 1 drew edge 0 after the opening, and seat 0 chose it again.
        assert_eq!((record.faults, record.scores), ([1, 0], [0, 1]));
    }

    #[test]
    fn the_chains_bot_commits_no_fault() {
        let board = Board::new(4, 6).unwrap();
        let record = play_game(board, [&mut RuleBot::Chains, &mut RuleBot::Chains], 1, &[]);
        assert_eq!(record.faults, [0, 0]);
    }

    /// A bot that the system fails to ask from the third turn on.
    struct Unreachable {
        turns: usize,
        has_ended: bool,
    }
    impl Bot for Unreachable {
        fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
            RuleBot::First.choose(position, nonce)
        }
        fn watch(&mut self, _: &Position, _: u64) -> io::Result<()> {
            self.turns += 1;
            if self.turns < 3 { Ok(()) } else { Err(io::ErrorKind::OutOfMemory.into()) }
        }
        fn end_game(&mut self) {
            self.has_ended = true;
        }
    }

    #[test]
    fn a_bot_that_cannot_be_asked_ends_the_game() {
        let board = Board::new(2, 2).unwrap();
        let mut bot = Unreachable { turns: 0, has_ended: false };
        let result = play(board, [&mut RuleBot::First, &mut bot], 1, &[], &|| false);
        let (seat, error) = result.unwrap_err();
        assert_eq!((seat, error.kind(), bot.has_ended), (1, io::ErrorKind::OutOfMemory, true));
    }

    #[test]
    fn turns_after_the_opening_are_counted() {
        let board = Board::new(1, 2).unwrap();
        let opening = [Edge::new(0), Edge::new(6)];
        let bots: [&mut dyn Bot; 2] = [&mut RuleBot::First, &mut RuleBot::First];
        let played = play(board, bots, 1, &opening, &|| false).unwrap().unwrap();
        assert_eq!(played.turns.iter().sum::<usize>(), 5);
    }

    #[test]
    fn a_stopped_game_has_no_result() {
        let board = Board::new(2, 2).unwrap();
        let bots: [&mut dyn Bot; 2] = [&mut RuleBot::Random, &mut RuleBot::Greedy];
        assert_eq!(referee(board, bots, 1, &[], &AtomicBool::new(true)), None);
    }
}
