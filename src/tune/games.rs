//! Games between the networks of two variants, until a sequential test has its verdict.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::TuneError;
use super::error::file_error;
use crate::arena::{
    BotFactory, Game, LoggedGame, MatchOutcome, MatchSettings, Observer, append_log, match_nonce, play_pairs, read_log,
};
use crate::board::Board;
use crate::net::Isa;
use crate::statistics::{EloEstimate, Sprt, Verdict, paired_elo, score};

/// The pairs of games that are played side by side, between two looks at the test.
const BATCH: u64 = 16;

/// The networks of a seed: the variant's, and that of the config it is compared with.
pub(super) struct Opponents {
    /// Their names in the log.
    pub names: [String; 2],
    /// The bots.
    pub bots: [BotFactory; 2],
}

/// The settings of the games.
pub(super) struct GameSettings<'a> {
    pub board: Board,
    pub isa: Isa,
    /// The most games.
    pub games: usize,
    pub sprt: Sprt,
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
    /// The Elo difference, from the pairs that are no repetitions of others.
    pub elo: EloEstimate,
    /// The verdict of the test, or `None` if the games did not suffice.
    pub verdict: Option<Verdict>,
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

/// Plays games between the opponents of each seed in turn. `progress` gets the number of games after
/// each batch.
///
/// # Errors
/// Returns an error if the log cannot be read or written, or a bot cannot be asked. Pairs in the log
/// are kept.
pub(super) fn compare(
    settings: &GameSettings<'_>,
    opponents: &[Opponents],
    progress: &dyn Fn(usize),
) -> Result<Comparison, TuneError> {
    let mut known = logged_pairs(settings.log)?;
    let (mut seen, mut scores) = (HashSet::new(), Vec::new());
    let (mut margins, mut verdict) = (Vec::new(), None);
    for batch in (0..).take_while(|batch| 2 * BATCH * batch < settings.games as u64) {
        let seed = batch as usize % opponents.len();
        let first = 1 + BATCH * batch;
        let nonces: Vec<u64> = (0..BATCH).map(|pair| match_nonce(first + pair)).collect();
        let key = |nonce: u64| (opponents[seed].names.clone(), nonce);
        let is_known = |nonce: &u64| known.get(&key(*nonce)).is_some_and(Pair::is_whole);
        if !nonces.iter().all(is_known) {
            play_batch(settings, &opponents[seed], first, &mut known)?;
        }
        for pair in nonces.iter().filter_map(|&nonce| known.get(&key(nonce))).filter(|pair| pair.is_whole()) {
            margins.extend(pair.margins());
            // A repetition is no further evidence.
            if seen.insert((seed, pair.clone())) {
                scores.push(pair.score());
            }
        }
        progress(margins.len());
        verdict = settings.sprt.verdict(&scores);
        if verdict.is_some() {
            break;
        }
    }
    let count = |is_result: fn(i64) -> bool| margins.iter().filter(|&&margin| is_result(margin)).count();
    let results = [count(|margin| margin > 0), count(|margin| margin < 0), count(|margin| margin == 0)];
    Ok(Comparison { games: margins.len(), results, elo: paired_elo(&scores), verdict })
}

/// The pairs of games by the names of their bots, those of the variant and of the other one, and
/// their nonces.
type Pairs = HashMap<([String; 2], u64), Pair>;

/// Returns the pairs of a log. Damaged lines are passed over: their games are played again.
fn logged_pairs(log: &Path) -> Result<Pairs, TuneError> {
    let mut pairs = Pairs::new();
    if log.exists() {
        for (_, game) in read_log(log).map_err(file_error(log))?.0 {
            // Either bot may be meant by the first name.
            let [one, other] = game.bots.clone();
            for names in [[one.clone(), other.clone()], [other, one]] {
                let name = names[0].clone();
                pairs.entry((names, game.nonce)).or_default().add(&game, &name);
            }
        }
    }
    Ok(pairs)
}

/// Plays the pairs of a batch, the first of which has this seed, and logs and adds those that are
/// not known.
fn play_batch(
    settings: &GameSettings<'_>,
    Opponents { names, bots }: &Opponents,
    first: u64,
    known: &mut Pairs,
) -> Result<(), TuneError> {
    let GameSettings { board, isa, log, .. } = *settings;
    let [name, other] = names;
    let mut failed = None;
    let mut add = |games: &[Game]| {
        let games: Vec<LoggedGame> =
            games.iter().map(|game| LoggedGame::new(board, [name, other], isa, game)).collect();
        let pair = known.entry((names.clone(), games[0].nonce)).or_default();
        if pair.is_whole() || failed.is_some() {
            return;
        }
        games.iter().for_each(|game| pair.add(game, name));
        failed = append_log(log, &games).err();
    };
    let observer = Observer { progress: &mut |_| (), pair: &mut add };
    let settings = MatchSettings { board, games: 2 * BATCH as usize, seed: first, opening_edges: board.edges() / 5 };
    let bots = [(name.as_str(), &bots[0]), (other.as_str(), &bots[1])];
    let MatchOutcome { error, .. } = play_pairs(&settings, bots[0], bots[1], observer, &AtomicBool::new(false));
    if let Some(error) = failed {
        return Err(file_error(log)(error));
    }
    error.map_or(Ok(()), |error| Err(error.into()))
}
