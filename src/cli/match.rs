//! `doublecross match`: games between bots.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::external::{ExternalOptions, check_faults, trouble_text};
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::print_notice;
use crate::cli::terminal::threads::threads;
use crate::cli::{
    Failure, cannot_write, check_board, chosen_isa, interrupts, load_bot, not_interrupted, print, print_json,
};
use doublecross_arena::statistics::EloEstimate;
use doublecross_arena::{
    BotFactory, BotSpec, Game, LoggedGame, MatchLog, MatchOutcome, MatchSettings, Observer, PairResult, bot_help,
    play_pairs,
};
use doublecross_core::board::Board;
use doublecross_files::printable;

/// Play bots against each other and compare their strength.
///
/// Every bot plays every other one. Games come in pairs: both games of a pair begin with the same
/// random edges, with the bots' seats swapped. Prints games won, lost and tied, the mean margin in
/// boxes, and the Elo difference with its 95 % interval.
///
/// The same seed plays the same games, except for bots that play by the clock or as programs of
/// their own. Bots with networks play them on processors with the same instruction set.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  doublecross match net chains --games 40
  doublecross match \"exec:doublecross bot chains\" greedy --log games.jsonl

{}", bot_help()))]
pub(crate) struct Match {
    /// Two or more bots, as listed below.
    #[arg(required = true, num_args = 2.., value_name = "BOT")]
    bots: Vec<BotSpec>,
    /// Games between each two bots, rounded up to an even number.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = games())]
    games: usize,
    /// Rows and columns of boxes [default: those of the first bot with a checkpoint, else 5x5].
    #[arg(long, value_name = "RxC", value_parser = |text: &str| text.parse::<Board>())]
    board: Option<Board>,
    /// Random edges at the beginning of each pair of games, fewer where every further one would offer
    /// a box; 0 starts from the empty board [default: 6].
    #[arg(long, value_name = "N")]
    opening: Option<usize>,
    /// The seed of openings and of the bots' random choices.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Games at once [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
    /// Append the games to this file as they end, one JSON object on each line.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Exit with status 0 even if a bot never made a move of its own.
    #[arg(long)]
    allow_faults: bool,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    external: ExternalOptions,
}

impl Match {
    pub fn run(self) -> Result<(), Failure> {
        let limits = self.external.limits();
        let stop = interrupts()?;
        let load = |bot| load_bot(bot).map(|factory| factory.with_limits(limits).with_stop(stop.clone()));
        let mut factories = self.bots.iter().map(load).collect::<Result<Vec<_>, _>>()?;
        let board = match self.board.or_else(|| factories.iter().find_map(|factory| factory.board())) {
            Some(board) => board,
            None => Board::new(5, 5).map_err(Failure::running)?,
        };
        for (bot, factory) in self.bots.iter().zip(&factories) {
            check_board(factory, bot, board)?;
        }
        let settings = match_settings(board, self.games, self.seed, self.opening)?;
        // Fails before the games rather than after them.
        let mut log = self.log.as_deref().map(|path| open_log(path).map(|log| (log, path))).transpose()?;
        let launch = self.external.launch(self.bots.iter(), self.log.as_deref())?;
        factories = factories.into_iter().map(|factory| factory.with_launch(launch.clone())).collect();
        let (isa, mut results, mut failure) = (chosen_isa()?, Vec::new(), Ok(()));
        'pairs: for i in 0..factories.len() {
            for j in i + 1..factories.len() {
                let (a, b) = (self.bots[i].name(), self.bots[j].name());
                let mut logged = Ok(());
                let mut log_pair = |games: &[Game]| {
                    if let (Some((log, path)), Ok(())) = (&mut log, &logged) {
                        let games: Vec<_> =
                            games.iter().map(|game| LoggedGame::new(board, [a, b], isa, game)).collect();
                        logged = log.append(&games).map_err(cannot_write(path));
                    }
                    // Further games would not be there.
                    logged.is_ok()
                };
                let (label, bots) = (format!("{a} - {b}"), [(a, &factories[i]), (b, &factories[j])]);
                let MatchOutcome { result, error } = play_match(label, &settings, bots, &mut log_pair, &stop);
                // The result is printed before a failure of the log or of the system.
                if self.json {
                    print_notice(format_args!("{}", text(&result).trim_end()));
                } else {
                    print_result(&result);
                }
                results.push(result);
                failure = logged.and(error.map_or(Ok(()), |error| Err(Failure::running(error))));
                if stop.load(Relaxed) || failure.is_err() {
                    break 'pairs;
                }
            }
        }
        if let (Some((log, path)), Ok(())) = (&mut log, &failure) {
            failure = log.sync().map_err(cannot_write(path));
        }
        if self.json {
            let interrupted = stop.load(Relaxed);
            print_json(&json!({ "board": board.to_string(), "pairs": results, "interrupted": interrupted }));
        }
        not_interrupted(&stop)?;
        failure?;
        if self.allow_faults { Ok(()) } else { check_faults(&results) }
    }
}

/// Opens the log of a match.
fn open_log(path: &Path) -> Result<MatchLog, Failure> {
    MatchLog::open(path).map_err(cannot_write(path))
}

/// Returns the settings of a match with the value of `--opening`.
pub(crate) fn match_settings(
    board: Board,
    games: usize,
    seed: u64,
    opening: Option<usize>,
) -> Result<MatchSettings, Failure> {
    let settings = MatchSettings::new(board, games, seed, opening);
    settings.map_err(Failure::input)
}

/// Plays the games of a match and shows on stderr on which board they are and how many are over.
/// `pair` gets the games of each pair, and ends the match if it returns `false`.
pub(crate) fn play_match(
    label: String,
    settings: &MatchSettings,
    [a, b]: [(&str, &BotFactory); 2],
    pair: &mut (dyn FnMut(&[Game]) -> bool + Send),
    stop: &AtomicBool,
) -> MatchOutcome {
    let progress =
        Progress::new(format!("{} on {}", printable(&label), settings.board), settings.games.next_multiple_of(2));
    let observer = Observer { progress: &mut |over| progress.at(over), pair };
    let outcome = play_pairs(settings, a, b, observer, stop);
    progress.finish();
    outcome
}

/// A parser of the number of games of a match.
pub(crate) fn games() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(..=1_000_000)
}

/// Prints the result of a match.
pub(crate) fn print_result(result: &PairResult) {
    print(format_args!("{}", text(result)));
}

/// Formats a result as one line, with further lines for repeated games and for faults.
fn text(result: &PairResult) -> String {
    let PairResult { games, wins_a, losses_a, ties, distinct_pairs, .. } = result;
    let (a, b) = (&printable(&result.a), &printable(&result.b));
    if *games == 0 {
        return format!("{a} - {b}: no games\n");
    }
    let elo = EloEstimate { elo: result.elo_a, low: result.elo_low, high: result.elo_high };
    let mut text = format!(
        "{a} - {b}: {}, {wins_a} won, {losses_a} lost, {ties} tied, mean margin {:+.2}, {}\n",
        counted(games, "game"),
        result.mean_margin_a,
        elo.text()
    );
    // A repetition here and there changes nothing.
    if 20 * distinct_pairs < 9 * *games {
        text += &format!(
            "  only {distinct_pairs} of {} pairs of games differ (--opening N or the bots' option diversity varies them)\n",
            games / 2
        );
    }
    if result.faults_a + result.faults_b > 0 {
        text += &format!("  illegal, late or missing actions: {} and {}\n", result.faults_a, result.faults_b);
    }
    for bot in [result.failed_a.then_some(a), result.failed_b.then_some(b)].into_iter().flatten() {
        text += &format!("  {bot} never made a move of its own\n");
    }
    for (bot, trouble) in [(a, &result.trouble_a), (b, &result.trouble_b)] {
        let shown = trouble.as_ref().map(|trouble| trouble_text(bot, trouble)).unwrap_or_default();
        shown.lines().for_each(|line| text += &format!("  {line}\n"));
    }
    text
}
