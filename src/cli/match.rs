//! `doublecross match`: games between bots.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;

use crate::cli::terminal::external;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::print_notice;
use crate::cli::terminal::threads::threads;
use crate::cli::terminal::values::parse_duration;
use crate::cli::{
    Failure, cannot_write, check_board, chosen_isa, interrupts, load_bot, not_interrupted, print, print_json,
};
use doublecross_arena::statistics::EloEstimate;
use doublecross_arena::{
    BotFactory, BotSpec, ExternalLimits, Game, LoggedGame, MatchLog, MatchOutcome, MatchSettings, Observer, PairResult,
    bot_help, play_pairs,
};
use doublecross_core::board::Board;
use doublecross_files::{printable, shown};

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
  doublecross match \"exec:python3 bot.py\" greedy --board 3x3 --log games.jsonl

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
    /// Time for each action of an exec: bot, in milliseconds, or in seconds, as in 10s.
    #[arg(long, value_name = "MS", default_value = "10s", value_parser = parse_timeout)]
    timeout: Duration,
    /// Address space for each process of an exec: bot, in MiB; 0 for no limit, which runtimes need
    /// that reserve far more than they use.
    #[arg(long, value_name = "N", default_value_t = ExternalLimits::default().memory)]
    memory: u64,
    /// Let exec: bots do whatever this user can.
    #[arg(long)]
    no_sandbox: bool,
    /// Exit with status 0 even if a bot acted on none of its own turns.
    #[arg(long)]
    allow_faults: bool,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

impl Match {
    pub fn run(self) -> Result<(), Failure> {
        let limits = ExternalLimits { seconds: self.timeout.as_secs_f64(), memory: self.memory };
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
        let launch = external::launch(self.bots.iter(), !self.no_sandbox, self.log.as_deref())?;
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
            print_json(&json!({ "board": board.to_string(), "pairs": results }));
        }
        not_interrupted(&stop)?;
        failure?;
        if self.allow_faults { Ok(()) } else { external::check_faults(&results) }
    }
}

/// Opens the log of a match.
fn open_log(path: &Path) -> Result<MatchLog, Failure> {
    MatchLog::open(path).map_err(|error| Failure::input(anyhow::anyhow!("--log {}: {error}", shown(path))))
}

/// Returns the settings of a match with the value of `--opening`.
pub(crate) fn match_settings(
    board: Board,
    games: usize,
    seed: u64,
    opening: Option<usize>,
) -> Result<MatchSettings, Failure> {
    let settings = MatchSettings::new(board, games, seed, opening);
    settings.map_err(|error| Failure::input(anyhow::anyhow!("--opening: {error}")))
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

/// Parses the time for an action, which is at least a millisecond and less than a day.
fn parse_timeout(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(digits), _) => (digits, 0.001),
        (None, Some(digits)) => (digits, 1.0),
        (None, None) => (text, 0.001),
    };
    let possible = Duration::from_millis(1)..Duration::from_secs(86400);
    parse_duration(digits, "milliseconds", unit)
        .ok()
        .filter(|duration| possible.contains(duration))
        .ok_or_else(|| "expected milliseconds, 1 or more, as in 500, or seconds, as in 10s".into())
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
        "{a} - {b}: {games} games, {wins_a} won, {losses_a} lost, {ties} tied, mean margin {:+.2}, {}\n",
        result.mean_margin_a,
        elo.text()
    );
    if 2 * distinct_pairs < *games {
        text += &format!(
            "  only {distinct_pairs} of {} pairs of games differ; --opening N or the option diversity varies them\n",
            games / 2
        );
    }
    if result.faults_a + result.faults_b > 0 {
        text += &format!("  illegal, late or missing actions: {} and {}\n", result.faults_a, result.faults_b);
    }
    for bot in [result.failed_a.then_some(a), result.failed_b.then_some(b)].into_iter().flatten() {
        text += &format!("  {bot} acted on none of its own turns\n");
    }
    for (bot, trouble) in [(a, &result.trouble_a), (b, &result.trouble_b)] {
        text += &trouble.as_ref().map_or(String::new(), |trouble| format!("  {bot}: {trouble}\n"));
    }
    text
}
