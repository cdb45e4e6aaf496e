//! Paired games between two bots: each random opening is played twice, with seats swapped.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;

use super::BotFactory;
use super::{Bot, GameRecord, Times, match_nonce, referee};
use crate::board::{Board, Edge};
use crate::random::{Purpose, random_state, stream};
use crate::statistics::{paired_elo, score};

/// What is played.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The board.
    pub board: Board,
    /// Games, rounded up to an even number.
    pub games: usize,
    /// The seed of openings and nonces.
    pub seed: u64,
    /// Random edges that begin each pair of games; they put no box on offer.
    pub opening_edges: usize,
}

/// One game of a pair.
#[derive(Clone, Debug)]
pub struct Game {
    /// Which bot sat in seat 0: 0 for a, 1 for b.
    pub first: usize,
    /// The match's nonce.
    pub nonce: u64,
    /// What happened.
    pub record: GameRecord,
    /// How long the seats took.
    pub times: Times,
    /// Edges that were drawn before the bots were asked.
    pub opening: usize,
    /// What a and b had trouble with, see [`Bot::trouble`].
    pub trouble: [Option<String>; 2],
}

/// The result of a against b.
#[derive(Clone, Debug, Serialize)]
pub struct PairResult {
    /// The first bot, as it was named.
    pub a: String,
    /// The second bot.
    pub b: String,
    /// Games played.
    pub games: usize,
    /// Games that a won.
    pub wins_a: usize,
    /// Games that a lost.
    pub losses_a: usize,
    /// Games with equal scores.
    pub ties: usize,
    /// Different pairs of games, compared edge by edge. Repetitions prove nothing, so the interval is of these.
    pub distinct_pairs: usize,
    /// Boxes that a was ahead on average.
    pub mean_margin_a: f64,
    /// Elo of a above b; none when it is infinite.
    pub elo_a: Option<f64>,
    /// The 95 % interval's lower end.
    pub elo_low: Option<f64>,
    /// The 95 % interval's upper end.
    pub elo_high: Option<f64>,
    /// Illegal, late and missing actions of a.
    pub faults_a: usize,
    /// Illegal, late and missing actions of b.
    pub faults_b: usize,
    /// What a had trouble with first, see [`Bot::trouble`].
    pub trouble_a: Option<String>,
    /// What b had trouble with first.
    pub trouble_b: Option<String>,
}

/// Who hears of a match while it goes on.
pub struct Observer<'a> {
    /// Is told how many games are over, after each.
    pub progress: &'a mut (dyn FnMut(usize) + Send),
    /// Is shown the two games of each pair, in the order of the pairs, each as soon as it and those before it are over.
    pub pair: &'a mut (dyn FnMut(&[Game]) + Send),
}

/// Plays the pairs on rayon. Results depend on the settings and the bots alone, not on the number of threads. When `stop`
/// is set, games that are not over are given up, and pairs that lack a game are left out.
pub fn play_pairs(
    settings: &MatchSettings,
    a: (&str, &BotFactory),
    b: (&str, &BotFactory),
    observer: Observer,
    stop: &AtomicBool,
) -> PairResult {
    let count = settings.games.div_ceil(2) * 2;
    let record = Mutex::new(Record { games: Vec::new(), over: 0, shown: 0, observer });
    // A bridge hands games out one after the other, so that pairs are over about in their order.
    (0..count).par_bridge().for_each_init(
        || (a.1.make(), b.1.make()),
        |(a, b), game| {
            let bots: [&mut dyn Bot; 2] = [&mut **a, &mut **b];
            if let Some(played) = play_game(settings, game as u64 / 2, game % 2, bots, stop) {
                record.lock().unwrap_or_else(PoisonError::into_inner).enter(game, played);
            }
        },
    );
    let Record { games, shown, observer, .. } = record.into_inner().unwrap_or_else(PoisonError::into_inner);
    let whole = |pair: &[Option<Game>]| pair.iter().cloned().collect::<Option<Vec<Game>>>();
    // After a game that was given up there may be pairs that nobody waits for any more.
    games[shown..].chunks_exact(2).filter_map(whole).for_each(|pair| (observer.pair)(&pair));
    let games: Vec<Game> = games.chunks_exact(2).filter_map(whole).flatten().collect();
    summarise(a.0, b.0, &games)
}

/// A match's games so far, in the order of the pairs.
struct Record<'a> {
    /// As far as the last that is over; none where a game goes on or was given up.
    games: Vec<Option<Game>>,
    over: usize,
    /// So many of the first games were shown.
    shown: usize,
    observer: Observer<'a>,
}

impl Record<'_> {
    fn enter(&mut self, number: usize, game: Game) {
        self.games.resize(self.games.len().max(number + 1), None);
        self.games[number] = Some(game);
        self.over += 1;
        (self.observer.progress)(self.over);
        while let Some([Some(one), Some(other)]) = self.games.get(self.shown..self.shown + 2) {
            (self.observer.pair)(&[one.clone(), other.clone()]);
            self.shown += 2;
        }
    }
}

fn play_game(
    settings: &MatchSettings,
    pair: u64,
    first: usize,
    bots: [&mut dyn Bot; 2],
    stop: &AtomicBool,
) -> Option<Game> {
    let opening = random_opening(settings, pair);
    let nonce = match_nonce(settings.seed.wrapping_add(pair));
    let [a, b] = bots;
    let seats: [&mut dyn Bot; 2] = if first == 0 { [&mut *a, &mut *b] } else { [&mut *b, &mut *a] };
    let (record, times) = referee(settings.board, seats, nonce, &opening, stop)?;
    Some(Game { first, nonce, record, times, opening: opening.len(), trouble: [a.trouble(), b.trouble()] })
}

/// Random edges that put no box on offer, the same for both games of a pair. Their order does not matter.
fn random_opening(settings: &MatchSettings, pair: u64) -> Vec<Edge> {
    let mut rng = stream(settings.seed, 0, pair, Purpose::Opening);
    random_state(settings.board, settings.opening_edges, true, &mut rng).drawn().iter().collect()
}

fn summarise(a: &str, b: &str, games: &[Game]) -> PairResult {
    let margin = |game: &Game| {
        let scores = game.record.scores;
        scores[game.first] as i64 - scores[1 - game.first] as i64
    };
    let margins: Vec<i64> = games.iter().map(margin).collect();
    let mut seen = HashSet::new();
    let pairs = games.chunks(2).zip(margins.chunks(2));
    let pairs = pairs.filter(|(games, _)| seen.insert(games.iter().map(|game| &game.record.moves).collect::<Vec<_>>()));
    let mean_score = |margins: &[i64]| margins.iter().map(|&margin| score(margin)).sum::<f64>() / margins.len() as f64;
    let pairs: Vec<f64> = pairs.map(|(_, margins)| mean_score(margins)).collect();
    let estimate = paired_elo(&pairs);
    let faults = |bot: usize| games.iter().map(|game| game.record.faults[game.first ^ bot]).sum();
    let trouble = |bot: usize| games.iter().find_map(|game| game.trouble[bot].clone());
    PairResult {
        a: a.into(),
        b: b.into(),
        games: games.len(),
        wins_a: margins.iter().filter(|&&margin| margin > 0).count(),
        losses_a: margins.iter().filter(|&&margin| margin < 0).count(),
        ties: margins.iter().filter(|&&margin| margin == 0).count(),
        distinct_pairs: pairs.len(),
        mean_margin_a: margins.iter().sum::<i64>() as f64 / games.len().max(1) as f64,
        elo_a: estimate.elo,
        elo_low: estimate.low,
        elo_high: estimate.high,
        faults_a: faults(0),
        faults_b: faults(1),
        trouble_a: trouble(0),
        trouble_b: trouble(1),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::arena::BotSpec;

    fn play(a: &str, b: &str, games: usize) -> (PairResult, Vec<Game>) {
        let settings = MatchSettings { board: Board::new(5, 5).unwrap(), games, seed: 5, opening_edges: 6 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory().unwrap();
        let (mut counts, mut shown) = (Vec::new(), Vec::new());
        let observer =
            Observer { progress: &mut |over| counts.push(over), pair: &mut |pair| shown.extend_from_slice(pair) };
        let result = play_pairs(&settings, (a, &factory(a)), (b, &factory(b)), observer, &AtomicBool::new(false));
        assert_eq!(counts, (1..=games).collect::<Vec<_>>());
        let number = |game: &Game| (game.nonce, game.first);
        let numbers = (0..games as u64).map(|game| (match_nonce(5 + game / 2), game as usize % 2));
        assert!(shown.iter().map(number).eq(numbers), "not in the order of the pairs");
        (result, shown)
    }

    /// What is given up does not take with it what was over: every whole pair is shown, and nothing else.
    #[test]
    fn a_match_that_is_stopped_shows_its_pairs() {
        let settings = MatchSettings { board: Board::new(3, 3).unwrap(), games: 2_000, seed: 1, opening_edges: 2 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory().unwrap();
        let (a, b, stop) = (factory("mcts:20"), factory("random"), AtomicBool::new(false));
        let mut shown = Vec::new();
        let observer = Observer {
            progress: &mut |over| stop.store(over >= 21, Ordering::Relaxed),
            pair: &mut |pair| shown.extend(pair.iter().map(|game| (game.nonce, game.first))),
        };
        let result = play_pairs(&settings, ("a", &a), ("b", &b), observer, &stop);
        assert_eq!(result.games, shown.len());
        assert!((2..100).contains(&shown.len()) && shown.chunks(2).all(|pair| pair[0].0 == pair[1].0), "{shown:?}");
    }

    /// Bots that always play alike play one pair of games from the empty board, however often.
    #[test]
    fn repetitions_prove_nothing() {
        let settings = |games| MatchSettings { board: Board::new(3, 3).unwrap(), games, seed: 1, opening_edges: 0 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory().unwrap();
        let (a, b) = (factory("mcts:8"), factory("first"));
        let play = |games| {
            let nobody = Observer { progress: &mut |_| (), pair: &mut |_| () };
            play_pairs(&settings(games), ("a", &a), ("b", &b), nobody, &AtomicBool::new(false))
        };
        let (once, often) = (play(2), play(40));
        assert_eq!((once.distinct_pairs, often.distinct_pairs, often.games), (1, 1, 40));
        assert_eq!((once.elo_low, once.elo_high), (often.elo_low, often.elo_high));
    }

    #[test]
    fn better_bots_win() {
        let (result, _) = play("greedy", "random", 20);
        assert!(result.wins_a >= 19, "{result:?}");
        let (result, games) = play("chains", "greedy", 60);
        assert!(result.wins_a >= 50 && result.mean_margin_a > 3.0, "{result:?}");
        assert_eq!(result.wins_a + result.losses_a + result.ties, 60);
        assert_eq!((result.faults_a, result.faults_b), (0, 0));
        // The two games of a pair begin alike.
        assert_eq!(games[0].record.moves[..6], games[1].record.moves[..6]);
        assert_eq!(result.distinct_pairs, 30);
        let (again, _) = play("chains", "greedy", 60);
        assert_eq!(format!("{again:?}"), format!("{result:?}"));
    }
}
