//! Paired games between two bots: each random opening is played twice, with seats swapped.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::referee::{PlayedGame, play};
use crate::random::{Purpose, random_state, stream};
use crate::{Bot, BotFactory, Game, MatchError, OpeningError, PairResult, match_nonce};
use doublecross_core::board::{Board, Edge};

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The board.
    pub board: Board,
    /// The number of games, which is rounded up to an even number.
    pub games: usize,
    /// The seed of openings and nonces.
    pub seed: u64,
    /// The number of random edges that begin each pair of games. They put no box on offer, so that
    /// an opening ends early where no such edge is left.
    pub opening_edges: usize,
}

impl MatchSettings {
    /// Returns the settings of a match. `None` stands for openings of six edges, or of all edges of a
    /// board that has fewer.
    ///
    /// # Errors
    /// Returns an error if an opening asks for more edges than the board has.
    pub fn new(
        board: Board,
        games: usize,
        seed: u64,
        opening_edges: Option<usize>,
    ) -> Result<MatchSettings, OpeningError> {
        match opening_edges.unwrap_or(6.min(board.edges())) {
            edges if edges > board.edges() => Err(OpeningError { board, edges }),
            opening_edges => Ok(MatchSettings { board, games, seed, opening_edges }),
        }
    }
}

/// Callbacks that observe a match.
pub struct Observer<'a> {
    /// Called after each game with the number of games that are over.
    pub progress: &'a mut (dyn FnMut(usize) + Send),
    /// Called with the two games of each pair, in the order of the pairs, as soon as these games
    /// and all before them are over. If it returns `false`, the match ends.
    pub pair: &'a mut (dyn FnMut(&[Game]) -> bool + Send),
}

/// The games of a match that count.
#[derive(Debug)]
pub struct MatchOutcome {
    /// The result of all whole pairs.
    pub result: PairResult,
    /// The error that ended the match early.
    pub error: Option<MatchError>,
}

/// Plays a match between the bots a and b, each given with its name, on rayon's threads.
///
/// The result depends on the settings and the bots alone, not on the number of threads. If `stop`
/// is set, the observer ends the match or the system fails to ask a bot, games that are not over are
/// abandoned, and pairs that lack a game do not count. Moves are searched to their end unless the bots
/// have the flag too ([`BotFactory::with_stop`]).
pub fn play_pairs(
    settings: &MatchSettings,
    a: (&str, &BotFactory),
    b: (&str, &BotFactory),
    observer: Observer,
    stop: &AtomicBool,
) -> MatchOutcome {
    let count = settings.games.div_ceil(2) * 2;
    let played = Mutex::new(PlayedGames { games: Vec::new(), over: 0, shown: 0, observer, error: None });
    let has_failed = AtomicBool::new(false);
    let is_stopped = || stop.load(Relaxed) || has_failed.load(Relaxed);
    let names = (a.0, b.0);
    // A bridge starts the games one after the other, so that pairs end about in their order.
    (0..count).take_while(|_| !is_stopped()).par_bridge().for_each_init(
        || (a.1.make(), b.1.make()),
        |(a, b), game| {
            let bots: [&mut dyn Bot; 2] = [&mut **a, &mut **b];
            let result = play_game(settings, game as u64 / 2, game % 2, bots, &is_stopped);
            let mut played = played.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(Some(result)) => {
                    let goes_on = played.add(game, result);
                    has_failed.fetch_or(!goes_on, Relaxed);
                }
                Ok(None) => {}
                Err((bot, error)) => {
                    has_failed.store(true, Relaxed);
                    let bot = String::from([names.0, names.1][bot]);
                    played.error.get_or_insert(MatchError { bot, error });
                }
            }
        },
    );
    let PlayedGames { games, shown, observer, error, .. } = played.into_inner().unwrap_or_else(PoisonError::into_inner);
    let whole = |pair: &[Option<Game>]| pair.iter().cloned().collect::<Option<Vec<Game>>>();
    // Pairs after an abandoned game have not been shown yet.
    let _ = games[shown..].chunks_exact(2).filter_map(whole).all(|pair| (observer.pair)(&pair));
    let games: Vec<Game> = games.chunks_exact(2).filter_map(whole).flatten().collect();
    MatchOutcome { result: PairResult::of_games(a.0, b.0, &games), error }
}

/// The games of a match that are over, and the observer that is shown them.
struct PlayedGames<'a> {
    /// The games by their number, up to the last that is over; `None` for those that are not.
    games: Vec<Option<Game>>,
    /// The number of games that are over.
    over: usize,
    /// The number of games, from the first one on, that the observer has been shown.
    shown: usize,
    observer: Observer<'a>,
    /// The first error.
    error: Option<MatchError>,
}

impl PlayedGames<'_> {
    /// Adds a game, and shows the observer the pairs that are next in order. Returns `false` if the
    /// observer ends the match.
    fn add(&mut self, number: usize, game: Game) -> bool {
        self.games.resize(self.games.len().max(number + 1), None);
        self.games[number] = Some(game);
        self.over += 1;
        (self.observer.progress)(self.over);
        while let Some([Some(one), Some(other)]) = self.games.get(self.shown..self.shown + 2) {
            self.shown += 2;
            if !(self.observer.pair)(&[one.clone(), other.clone()]) {
                return false;
            }
        }
        true
    }
}

/// Plays one game of a pair, with the bot `first` in seat 0. Returns `None` if it is stopped, and an
/// error with the number of the bot that could not be asked.
fn play_game(
    settings: &MatchSettings,
    pair: u64,
    first: usize,
    bots: [&mut dyn Bot; 2],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<Game>, (usize, io::Error)> {
    let opening = random_opening(settings, pair);
    let nonce = match_nonce(settings.seed, pair);
    let [a, b] = bots;
    let seats: [&mut dyn Bot; 2] = if first == 0 { [&mut *a, &mut *b] } else { [&mut *b, &mut *a] };
    let played = play(settings.board, seats, nonce, &opening, is_stopped);
    let played = played.map_err(|(seat, error)| (seat ^ first, error))?;
    Ok(played.map(|PlayedGame { record, times, turns }| {
        let trouble = [a.trouble(), b.trouble()];
        Game { first, nonce, record, times, turns, opening: opening.len(), trouble }
    }))
}

/// Returns the opening of a pair: random edges that put no box on offer. The order in which they
/// are drawn does not matter.
fn random_opening(settings: &MatchSettings, pair: u64) -> Vec<Edge> {
    let mut rng = stream(settings.seed, 0, pair, Purpose::Opening);
    random_state(settings.board, settings.opening_edges, true, &mut rng).drawn().iter().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::BotSpec;
    use crate::built_in::of_repository;

    fn play(a: &str, b: &str, games: usize) -> (PairResult, Vec<Game>) {
        let settings = MatchSettings { board: Board::new(5, 5).unwrap(), games, seed: 5, opening_edges: 6 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory(&of_repository()).unwrap();
        let (mut counts, mut shown) = (Vec::new(), Vec::new());
        let mut show = |pair: &[Game]| {
            shown.extend_from_slice(pair);
            true
        };
        let observer = Observer { progress: &mut |over| counts.push(over), pair: &mut show };
        let MatchOutcome { result, error } =
            play_pairs(&settings, (a, &factory(a)), (b, &factory(b)), observer, &AtomicBool::new(false));
        assert!(error.is_none());
        assert_eq!(counts, (1..=games).collect::<Vec<_>>());
        let number = |game: &Game| (game.nonce, game.first);
        let numbers = (0..games as u64).map(|game| (match_nonce(5, game / 2), game as usize % 2));
        assert!(shown.iter().map(number).eq(numbers), "not in the order of the pairs");
        (result, shown)
    }

    #[test]
    fn a_stopped_match_shows_its_whole_pairs_and_nothing_else() {
        let settings = MatchSettings { board: Board::new(3, 3).unwrap(), games: 2_000, seed: 1, opening_edges: 2 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory(&of_repository()).unwrap();
        let (a, b, stop) = (factory("mcts:20"), factory("random"), AtomicBool::new(false));
        for by_observer in [false, true] {
            stop.store(false, Relaxed);
            let mut shown = Vec::new();
            let mut show = |pair: &[Game]| {
                shown.extend(pair.iter().map(|game| (game.nonce, game.first)));
                !by_observer || shown.len() < 20
            };
            let mut progress = |over| stop.store(!by_observer && over >= 21, Relaxed);
            let observer = Observer { progress: &mut progress, pair: &mut show };
            let result = play_pairs(&settings, ("a", &a), ("b", &b), observer, &stop).result;
            assert!(result.games >= shown.len());
            assert!(
                (2..100).contains(&result.games) && shown.chunks(2).all(|pair| pair[0].0 == pair[1].0),
                "{shown:?}"
            );
        }
    }

    /// Ends a match while a bot searches for hours, and returns the time until it has ended.
    fn time_to_end(bot: &str, board: Board) -> Duration {
        let settings = MatchSettings { board, games: 2, seed: 1, opening_edges: 0 };
        let stop = Arc::new(AtomicBool::new(false));
        let factory =
            |text: &str| text.parse::<BotSpec>().unwrap().factory(&of_repository()).unwrap().with_stop(stop.clone());
        let (a, b) = (factory(bot), factory("first"));
        let observer = Observer { progress: &mut |_| (), pair: &mut |_| true };
        let start = std::thread::scope(|scope| {
            let stopping = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                stop.store(true, Relaxed);
                Instant::now()
            });
            let outcome = play_pairs(&settings, (bot, &a), ("first", &b), observer, &stop);
            assert_eq!(outcome.result.games, 0, "{bot}");
            stopping.join().unwrap()
        });
        start.elapsed()
    }

    #[test]
    fn a_match_ends_within_the_move_that_a_bot_searches() {
        let board = |text: &str| text.parse::<Board>().unwrap();
        for (bot, on) in [
            ("solver:200000000000", "5x5"),
            ("mcts:1000000,nodes=0", "9x9"),
            ("uniform:1000000,nodes=1000000000000", "5x5"),
            ("net,sims=1000000,nodes=1000000000000", "5x5"),
            ("net,seconds=3600", "5x5"),
        ] {
            let time = time_to_end(bot, board(on));
            assert!(time < Duration::from_secs(1), "{bot}: {time:?}");
        }
    }

    /// The games of a match that was ended are not begun.
    #[test]
    fn a_long_match_ends_as_soon_as_a_short_one() {
        let settings =
            MatchSettings { board: Board::new(3, 3).unwrap(), games: usize::MAX / 2, seed: 1, opening_edges: 0 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory(&of_repository()).unwrap();
        let observer = Observer { progress: &mut |_| (), pair: &mut |_| false };
        let (a, b) = (factory("first"), factory("random"));
        let result = play_pairs(&settings, ("a", &a), ("b", &b), observer, &AtomicBool::new(false)).result;
        assert!(result.games < 10_000, "{}", result.games);
    }

    /// Bots that differ by the nonce alone play other games with another seed.
    #[test]
    fn neighboring_seeds_have_no_games_in_common() {
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory(&of_repository()).unwrap();
        let (a, b) = (factory("random"), factory("greedy"));
        let mut seen = std::collections::HashSet::new();
        for seed in [1, 2, 3] {
            let settings = MatchSettings { board: Board::new(5, 5).unwrap(), games: 40, seed, opening_edges: 0 };
            let mut all_new = true;
            let mut show = |pair: &[Game]| {
                all_new &= seen.insert(pair[0].record.moves.clone());
                true
            };
            let observer = Observer { progress: &mut |_| (), pair: &mut show };
            play_pairs(&settings, ("a", &a), ("b", &b), observer, &AtomicBool::new(false));
            assert!(all_new, "seed {seed}");
        }
    }

    /// Bots that always play alike repeat one pair of games from the empty board.
    #[test]
    fn repetitions_are_no_further_evidence() {
        let settings = |games| MatchSettings { board: Board::new(3, 3).unwrap(), games, seed: 1, opening_edges: 0 };
        let factory = |text: &str| text.parse::<BotSpec>().unwrap().factory(&of_repository()).unwrap();
        let (a, b) = (factory("mcts:8"), factory("first"));
        let play = |games| {
            let observer = Observer { progress: &mut |_| (), pair: &mut |_| true };
            play_pairs(&settings(games), ("a", &a), ("b", &b), observer, &AtomicBool::new(false)).result
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
