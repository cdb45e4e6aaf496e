//! `doublecross match`

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;

use super::solve::parse_duration;
use super::{Failure, cannot_write, check_board, chosen_isa, interrupts, load_bot, not_interrupted, print, print_json};
use crate::arena::{
    BotSpec, ExternalLimits, Game, LoggedGame, MatchSettings, Observer, PairResult, append_log, play_pairs,
};
use crate::board::Board;
use crate::stderr::print_line;
use crate::train::Progress;

/// Play bots against each other by the arena's rules, every one against every other.
#[derive(Debug, Args)]
#[command(after_help = "\
A BOT is random, first, greedy, chains, solver[:NODES], mcts:SIMS, uniform:SIMS, net[:CHECKPOINT], or exec:COMMAND, a shell \
command that reads an observation and writes an action a line. Without a checkpoint net plays with the networks that come \
with the program.\n\
Options follow mcts, uniform and net, as in net,sims=400,nodes=20000: nodes=N of the solver at the root; leaf=N for each \
visit of a leaf, with at most undrawn=N undrawn edges and safe=N safe ones; margin=PERCENT of what is maximised, beside the \
result; variety=PERCENT lets the match's nonce choose among edges that are about as good; seconds=S a move, instead of \
counts. net also takes sims=N and isa=NAME.\n\
Games come in pairs that share a random opening, with seats swapped; the same seed plays the same games, networks on \
processors with the same instruction set (see DOUBLECROSS_ISA in the README).")]
pub(super) struct Match {
    /// Two or more bots.
    #[arg(required = true, num_args = 2.., value_name = "BOT")]
    bots: Vec<BotSpec>,
    /// Games of each pair of bots, rounded up to an even number.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = games())]
    games: usize,
    /// The board, when no bot's network says it.
    #[arg(long, value_name = "RxC", value_parser = |text: &str| text.parse::<Board>())]
    board: Option<Board>,
    /// Random edges that begin each pair of games.
    #[arg(long, value_name = "N", default_value_t = 6)]
    opening: usize,
    /// The seed of openings and nonces.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Append the games to this file as they end, a JSON line each.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Milliseconds that a bot of exec: has for an action; or seconds, as in 10s.
    #[arg(long, value_name = "MS", default_value = "10s", value_parser = parse_timeout)]
    timeout: Duration,
    /// MiB of address space that each process of a bot of exec: may take; 0 for as much as there is. Some runtimes ask
    /// for far more than they use.
    #[arg(long, value_name = "N", default_value_t = ExternalLimits::default().memory)]
    memory: u64,
    /// One JSON object on stdout, nothing else there.
    #[arg(long)]
    json: bool,
}

impl Match {
    pub fn run(self) -> Result<(), Failure> {
        let limits = ExternalLimits { seconds: self.timeout.as_secs_f64(), memory: self.memory };
        let stop = interrupts()?;
        let load = |bot| load_bot(bot).map(|factory| factory.with_limits(limits).with_stop(stop.clone()));
        let factories = self.bots.iter().map(load).collect::<Result<Vec<_>, _>>()?;
        let board = match self.board.or_else(|| factories.iter().find_map(|factory| factory.board())) {
            Some(board) => board,
            None => Board::new(5, 5).map_err(Failure::running)?,
        };
        for (bot, factory) in self.bots.iter().zip(&factories) {
            check_board(factory, bot, board)?;
        }
        if let Some(path) = &self.log {
            // Better now than when all has been played.
            append_log(path, &[]).map_err(cannot_write(path))?;
        }
        let settings = MatchSettings { board, games: self.games, seed: self.seed, opening_edges: self.opening };
        let (path, mut results) = (chosen_isa()?, Vec::new());
        'pairs: for i in 0..factories.len() {
            for j in i + 1..factories.len() {
                let (a, b) = (self.bots[i].name(), self.bots[j].name());
                let progress = Progress::new(format!("{a} - {b}"), self.games);
                let mut kept = Ok(());
                let mut keep = |games: &[Game]| {
                    if let (Some(log), Ok(())) = (&self.log, &kept) {
                        let games: Vec<_> =
                            games.iter().map(|game| LoggedGame::new(board, [a, b], path, game)).collect();
                        kept = append_log(log, &games).map_err(cannot_write(log));
                    }
                };
                let observer = Observer { progress: &mut |over| progress.at(over), pair: &mut keep };
                let result = play_pairs(&settings, (a, &factories[i]), (b, &factories[j]), observer, &stop);
                progress.finish();
                // What was played is told before anything else can fail.
                if self.json {
                    print_line(format_args!("{}", text(&result).trim_end()));
                } else {
                    print_result(&result);
                }
                kept?;
                results.push(result);
                if stop.load(Relaxed) {
                    break 'pairs;
                }
            }
        }
        if self.json {
            print_json(&json!({ "pairs": results }))?;
        }
        not_interrupted(&stop)
    }
}

/// How many games a match may have.
pub(super) fn games() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(..=1_000_000)
}

/// A day is a slip of the finger.
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
        .ok_or_else(|| "expected milliseconds from 1 on, as in 500, or seconds, as in 10s".into())
}

pub(super) fn print_result(result: &PairResult) {
    print(format_args!("{}", text(result)));
}

/// The result in a line, and one more for what is out of the ordinary.
fn text(result: &PairResult) -> String {
    let PairResult { a, b, games, wins_a, losses_a, ties, distinct_pairs, .. } = result;
    if *games == 0 {
        return format!("{a} - {b}: no games\n");
    }
    let elo = |value: Option<f64>, infinite: &str| value.map_or(infinite.into(), |value| format!("{value:+.0}"));
    let infinite = if wins_a > losses_a { "+inf" } else { "-inf" };
    let mut text = format!(
        "{a} - {b}: {games} games, {wins_a} won, {losses_a} lost, {ties} tied, mean margin {:+.2}, Elo {} ({} to {})\n",
        result.mean_margin_a,
        elo(result.elo_a, infinite),
        elo(result.elo_low, "-inf"),
        elo(result.elo_high, "+inf")
    );
    if 2 * distinct_pairs < *games {
        text += &format!(
            "  only {distinct_pairs} of {} pairs of games differ; for more, --opening edges or variety\n",
            games / 2
        );
    }
    if result.faults_a + result.faults_b > 0 {
        text += &format!("  illegal, late or missing actions: {} and {}\n", result.faults_a, result.faults_b);
    }
    for (bot, trouble) in [(a, &result.trouble_a), (b, &result.trouble_b)] {
        text += &trouble.as_ref().map_or(String::new(), |trouble| format!("  {bot}: {trouble}\n"));
    }
    text
}
