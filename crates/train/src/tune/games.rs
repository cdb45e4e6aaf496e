//! Games between the networks of two variants, seed by seed.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::TuneError;
use super::error::file_error;
use doublecross_arena::statistics::{EloEstimate, SeedScores, elo_of_seeds, score};
use doublecross_arena::{
    BotFactory, Game, LoggedGame, MatchLog, MatchOutcome, MatchSettings, Observer, match_nonce, play_pairs, read_log,
};
use doublecross_core::board::Board;
use doublecross_core::net::Isa;

/// The pairs of games that are played side by side, and logged together.
const BATCH: usize = 16;

/// The networks of a seed: the variant's, and that of the config it is compared with.
pub(super) struct Opponents {
    /// Their names in the log, which tell their weights.
    pub names: [String; 2],
    /// The bots.
    pub bots: [BotFactory; 2],
}

/// The settings of the games.
pub(super) struct GameSettings<'a> {
    pub board: Board,
    pub isa: Isa,
    /// The number of games, of all seeds together.
    pub games: usize,
    /// The log, from which games are taken instead of being played again.
    pub log: &'a Path,
}

/// The games of a variant against the config that it is compared with.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The number of games.
    pub games: usize,
    /// The variant's wins, losses and ties.
    pub results: [usize; 3],
    /// The Elo difference, from the pairs that are no repetitions of others. Its interval counts the
    /// spread between seeds.
    pub elo: EloEstimate,
}

/// The games of a pair, by the seat of the first bot: their moves, and that bot's margin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Pair([Option<(Vec<usize>, i64)>; 2]);

impl Pair {
    /// Adds a game of the bot `name`, unless one with that bot in the same seat is there.
    fn add(&mut self, game: &LoggedGame, name: &str) {
        let seat = (game.bots[0] != name) as usize;
        let margin = game.scores[seat] as i64 - game.scores[1 - seat] as i64;
        self.0[seat].get_or_insert_with(|| (game.moves.clone(), margin));
    }

    fn is_whole(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    fn margins(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flatten().map(|&(_, margin)| margin)
    }

    /// The mean score, from 0 to 1, of a whole pair.
    fn score(&self) -> f64 {
        self.margins().map(score).sum::<f64>() / 2.0
    }
}

/// Plays games between the opponents of each seed, as many for each. `progress` gets the number of
/// games after each batch.
///
/// # Errors
/// Returns an error if the log cannot be read or written, or a bot cannot be asked. Pairs in the log
/// are kept.
pub(super) fn compare(
    settings: &GameSettings<'_>,
    opponents: &[Opponents],
    progress: &dyn Fn(usize),
) -> Result<Comparison, TuneError> {
    let mut known = logged_pairs(settings, opponents)?;
    let pairs = settings.games.div_ceil(2).div_ceil(opponents.len().max(1));
    let mut games = 0;
    for first in (0..pairs).step_by(BATCH) {
        for opponents in opponents {
            // Each pair of bots has its own games, so that further seeds add to them.
            let batch = Batch::new(opponents, first, pairs);
            if !batch.keys().all(|key| known.get(&key).is_some_and(Pair::is_whole)) {
                batch.play(settings, &mut known)?;
            }
            games += 2 * batch.pairs;
            progress(games);
        }
    }
    let (mut margins, mut scores) = (Vec::new(), Vec::new());
    for opponents in opponents {
        let batches = (0..pairs).step_by(BATCH).map(|first| Batch::new(opponents, first, pairs));
        let played: Vec<&Pair> = batches.flat_map(|batch| batch.keys()).filter_map(|key| known.get(&key)).collect();
        margins.extend(played.iter().flat_map(|pair| pair.margins()));
        // A repetition is no further evidence. In the order of the games, so that sums are the same each time.
        let mut seen = HashSet::new();
        let all = played.iter().copied().map(Pair::score).collect();
        let distinct = played.into_iter().filter(|&pair| seen.insert(pair)).map(Pair::score).collect();
        scores.push(SeedScores { all, distinct });
    }
    let count = |is_result: fn(i64) -> bool| margins.iter().filter(|&&margin| is_result(margin)).count();
    let results = [count(|margin| margin > 0), count(|margin| margin < 0), count(|margin| margin == 0)];
    Ok(Comparison { games: margins.len(), results, elo: elo_of_seeds(&scores) })
}

/// The pairs of games by the name of the variant's bot and the nonce.
type Pairs = HashMap<(String, Option<u64>), Pair>;

/// Returns the pairs of a log between these opponents. Damaged lines and games that break the rules
/// are passed over: they are played again.
fn logged_pairs(settings: &GameSettings<'_>, opponents: &[Opponents]) -> Result<Pairs, TuneError> {
    let mut pairs = Pairs::new();
    if settings.log.exists() {
        for (_, game) in read_log(settings.log).map_err(file_error(settings.log))?.0 {
            let is_between = |names: &[String; 2]| names.iter().all(|name| game.bots.contains(name));
            let Some(opponents) = opponents.iter().find(|opponents| is_between(&opponents.names)) else { continue };
            if game.replay().is_ok_and(|(board, _)| board == settings.board) {
                let name = &opponents.names[0];
                pairs.entry((name.clone(), game.nonce)).or_default().add(&game, name);
            }
        }
    }
    Ok(pairs)
}

/// Pairs of games that are played side by side, as a match of their own.
#[derive(Clone, Copy)]
struct Batch<'a> {
    opponents: &'a Opponents,
    /// The seed of the match.
    seed: u64,
    pairs: usize,
}

impl<'a> Batch<'a> {
    /// Returns the batch that begins with the pair `first`, counted from 0, of all `pairs`.
    fn new(opponents: &'a Opponents, first: usize, pairs: usize) -> Batch<'a> {
        Batch { opponents, seed: 1 + first as u64, pairs: BATCH.min(pairs - first) }
    }

    fn keys(self) -> impl Iterator<Item = (String, Option<u64>)> {
        let name = &self.opponents.names[0];
        (0..self.pairs as u64).map(move |pair| (name.clone(), Some(match_nonce(self.seed, pair))))
    }

    /// Plays the batch, and logs and adds the pairs that are not known.
    fn play(&self, settings: &GameSettings<'_>, known: &mut Pairs) -> Result<(), TuneError> {
        let GameSettings { board, isa, log, .. } = *settings;
        let [name, other] = &self.opponents.names;
        let mut file = MatchLog::open_any(log).map_err(file_error(log))?;
        let mut failed = None;
        let mut add = |games: &[Game]| {
            let game = |game| LoggedGame::new(board, [name, other], isa, game);
            let games: Vec<LoggedGame> = games.iter().map(game).collect();
            let pair = known.entry((name.clone(), games[0].nonce)).or_default();
            if !pair.is_whole() && failed.is_none() {
                games.iter().for_each(|game| pair.add(game, name));
                failed = file.append(&games).err();
            }
            failed.is_none()
        };
        let observer = Observer { progress: &mut |_| (), pair: &mut add };
        let settings =
            MatchSettings { board, games: 2 * self.pairs, seed: self.seed, opening_edges: board.edges() / 5 };
        let [one, two] = &self.opponents.bots;
        let MatchOutcome { error, .. } =
            play_pairs(&settings, (name, one), (other, two), observer, &AtomicBool::new(false));
        failed.map_or_else(|| file.sync(), Err).map_err(file_error(log))?;
        error.map_or(Ok(()), |error| Err(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn opponents(seed: usize, bots: [&str; 2]) -> Opponents {
        let factory = |bot: &str| {
            bot.parse::<doublecross_arena::BotSpec>().unwrap().factory(&doublecross_arena::BuiltIn::default()).unwrap()
        };
        Opponents { names: ["one", "other"].map(|name| format!("{name}/seed-{seed}")), bots: bots.map(factory) }
    }

    fn settings(log: &Path, games: usize) -> GameSettings<'_> {
        let (board, isa) = (Board::new(2, 2).unwrap(), Isa::Portable);
        GameSettings { board, isa, games, log }
    }

    fn compared(log: &Path, games: usize, seeds: usize, bots: [&str; 2]) -> Comparison {
        let opponents: Vec<Opponents> = (0..seeds).map(|seed| opponents(seed, bots)).collect();
        compare(&settings(log, games), &opponents, &|_| ()).unwrap()
    }

    fn lines(log: &Path) -> usize {
        fs::read_to_string(log).unwrap().lines().count()
    }

    #[test]
    fn games_tell_the_better_bot() {
        let folder = tempfile::tempdir().unwrap();
        let log = |name: &str| folder.path().join(name);
        let better = compared(&log("better"), 96, 3, ["solver", "random"]);
        assert!(better.games == 96 && better.elo.low.is_some_and(|low| low > 0.0), "{better:?}");
        let worse = compared(&log("worse"), 96, 3, ["random", "solver"]);
        assert!(worse.elo.high.is_some_and(|high| high < 0.0) && worse.results[0] < worse.results[1], "{worse:?}");
        let one = compared(&log("one"), 6, 1, ["random", "random"]);
        assert_eq!((one.games, one.elo.low, lines(&log("one"))), (6, None, 6));
        assert_eq!(compared(&log("none"), 2000, 0, ["solver", "random"]).games, 0);
    }

    #[test]
    fn games_are_taken_from_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("games.jsonl");
        let even = |games, seeds| compared(&log, games, seeds, ["random", "random"]);
        let one = even(64, 1);
        let text = fs::read_to_string(&log).unwrap();
        assert_eq!((one.games, text.lines().count()), (64, 64));
        assert_eq!(even(64, 1).results, one.results);
        assert_eq!(fs::read_to_string(&log).unwrap(), text);
        // Another seed keeps the games of the first: of both the first 32 are asked for.
        let both = even(64, 2);
        assert_eq!((both.games, lines(&log)), (64, 96));
        assert_eq!(even(128, 2).results.iter().sum::<usize>(), 128);
        assert_eq!(lines(&log), 128);
        // What is lost, cut short, or of another score than its moves give, is played again.
        let text = fs::read_to_string(&log).unwrap();
        let results = even(128, 2).results;
        let forged = text.replacen("\"scores\":[", "\"scores\":[1", 1);
        for damaged in [&forged, &text[..text.len() / 2], &text[text.len() / 3..], "?", ""] {
            assert_ne!(damaged, text);
            fs::write(&log, damaged).unwrap();
            assert_eq!(even(128, 2).results, results);
        }
    }
}
