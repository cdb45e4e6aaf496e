//! The games of a match and their summary.

use std::collections::HashSet;

use serde::Serialize;

use super::{GameRecord, Times};
use crate::statistics::{paired_elo, score};

/// A game between the bots a and b, one of a pair.
#[derive(Clone, Debug)]
pub struct Game {
    /// The bot in seat 0: 0 for a, 1 for b.
    pub first: usize,
    /// The match's nonce.
    pub nonce: u64,
    /// The moves and their outcome.
    pub record: GameRecord,
    /// The time that each seat took.
    pub times: Times,
    /// The number of turns of each seat after the opening.
    pub turns: [usize; 2],
    /// The number of edges that were drawn before the bots were asked.
    pub opening: usize,
    /// The first failures of a and b; see [`Bot::trouble`](crate::Bot::trouble).
    pub trouble: [Option<String>; 2],
}

/// The result of a match between the bots a and b.
///
/// The field names are those of `doublecross match --json`.
#[derive(Clone, Debug, Serialize)]
pub struct PairResult {
    /// The name of the first bot.
    pub a: String,
    /// The name of the second bot.
    pub b: String,
    /// Games played.
    pub games: usize,
    /// Games that a won.
    pub wins_a: usize,
    /// Games that a lost.
    pub losses_a: usize,
    /// Games with equal scores.
    pub ties: usize,
    /// Pairs of games that are not repetitions of others, move by move. The interval is computed
    /// from these, since repetitions are no further evidence.
    pub distinct_pairs: usize,
    /// The mean of a's boxes less those of b.
    pub mean_margin_a: f64,
    /// The Elo difference of a to b, or `None` if it is infinite.
    pub elo_a: Option<f64>,
    /// The lower end of the 95 % interval of `elo_a`, or `None` if it is infinite.
    pub elo_low: Option<f64>,
    /// The upper end of the 95 % interval of `elo_a`, or `None` if it is infinite.
    pub elo_high: Option<f64>,
    /// Illegal, late and missing actions of a.
    pub faults_a: usize,
    /// Illegal, late and missing actions of b.
    pub faults_b: usize,
    /// True if a acted on none of its own turns in all games.
    pub failed_a: bool,
    /// True if b acted on none of its own turns in all games.
    pub failed_b: bool,
    /// The first failure of a; see [`Bot::trouble`](crate::Bot::trouble).
    pub trouble_a: Option<String>,
    /// The first failure of b.
    pub trouble_b: Option<String>,
}

impl PairResult {
    /// The result of whole pairs of games between the bots named `a` and `b`.
    pub(super) fn of_games(a: &str, b: &str, games: &[Game]) -> PairResult {
        let margin = |game: &Game| {
            let scores = game.record.scores;
            scores[game.first] as i64 - scores[1 - game.first] as i64
        };
        let margins: Vec<i64> = games.iter().map(margin).collect();
        let mean_score =
            |margins: &[i64]| margins.iter().map(|&margin| score(margin)).sum::<f64>() / margins.len() as f64;
        let scores: Vec<f64> = margins.chunks(2).map(mean_score).collect();
        let mut seen = HashSet::new();
        let pairs = games.chunks(2).zip(&scores);
        let pairs =
            pairs.filter(|(games, _)| seen.insert(games.iter().map(|game| &game.record.moves).collect::<Vec<_>>()));
        let distinct: Vec<f64> = pairs.map(|(_, &score)| score).collect();
        let estimate = paired_elo(&scores, &distinct);
        let faults = |bot: usize| games.iter().map(|game| game.record.faults[game.first ^ bot]).sum::<usize>();
        let turns = |bot: usize| games.iter().map(|game| game.turns[game.first ^ bot]).sum::<usize>();
        let has_failed = |bot: usize| turns(bot) > 0 && turns(bot) == faults(bot);
        let trouble = |bot: usize| games.iter().find_map(|game| game.trouble[bot].clone());
        PairResult {
            a: a.into(),
            b: b.into(),
            games: games.len(),
            wins_a: margins.iter().filter(|&&margin| margin > 0).count(),
            losses_a: margins.iter().filter(|&&margin| margin < 0).count(),
            ties: margins.iter().filter(|&&margin| margin == 0).count(),
            distinct_pairs: distinct.len(),
            mean_margin_a: margins.iter().sum::<i64>() as f64 / games.len().max(1) as f64,
            elo_a: estimate.elo,
            elo_low: estimate.low,
            elo_high: estimate.high,
            faults_a: faults(0),
            faults_b: faults(1),
            failed_a: has_failed(0),
            failed_b: has_failed(1),
            trouble_a: trouble(0),
            trouble_b: trouble(1),
        }
    }
}
