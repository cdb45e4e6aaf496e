//! `doublecross match`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{Failure, load_bot, print, print_json};
use crate::arena::{BotSpec, Game, MatchSettings, PairResult, play_pairs};
use crate::board::{Board, parse_board};
use crate::train::Progress;

/// Play bots against each other by the arena's rules, every one against every other.
#[derive(Debug, Args)]
#[command(after_help = "\
A BOT is random, first, greedy, chains, solver[:NODES], mcts:SIMS[,nodes=N] or net:CHECKPOINT[,sims=N,nodes=N].\n\
Games come in pairs that share a random opening, with seats swapped; the same seed plays the same games.")]
pub(super) struct Match {
    /// Two or more bots.
    #[arg(required = true, num_args = 2.., value_name = "BOT")]
    bots: Vec<BotSpec>,
    /// Games of each pair of bots, rounded up to an even number.
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// The board, when no bot's network says it.
    #[arg(long, value_name = "RxC", value_parser = |text: &str| parse_board(text))]
    board: Option<Board>,
    /// Random edges that begin each pair of games.
    #[arg(long, value_name = "N", default_value_t = 6)]
    opening: usize,
    /// The seed of openings and nonces.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Append each game as a JSON line to this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// One JSON object on stdout, nothing else there.
    #[arg(long)]
    json: bool,
}

impl Match {
    pub fn run(self) -> Result<(), Failure> {
        let factories = self.bots.iter().map(load_bot).collect::<Result<Vec<_>, _>>()?;
        let board = match self.board.or_else(|| factories.iter().find_map(|factory| factory.board())) {
            Some(board) => board,
            None => Board::new(5, 5).map_err(Failure::running)?,
        };
        let settings = MatchSettings { board, games: self.games, seed: self.seed, opening_edges: self.opening };
        let mut results = Vec::new();
        for i in 0..factories.len() {
            for j in i + 1..factories.len() {
                let (a, b) = (self.bots[i].name(), self.bots[j].name());
                let progress = Progress::new(format!("{a} - {b}"), self.games);
                let at = |done| progress.at(done);
                let (result, games) = play_pairs(&settings, (a, &factories[i]), (b, &factories[j]), &at);
                progress.finish();
                if let Some(path) = &self.log {
                    append_log(path, board, [a, b], &games).map_err(Failure::running)?;
                }
                if !self.json {
                    print_result(&result);
                }
                results.push(result);
            }
        }
        if self.json { print_json(&json!({ "pairs": results })) } else { Ok(()) }
    }
}

fn append_log(path: &PathBuf, board: Board, names: [&str; 2], games: &[Game]) -> anyhow::Result<()> {
    use std::io::Write;
    let mut lines = String::new();
    for game in games {
        let bots = [names[game.first], names[1 - game.first]];
        let moves: Vec<usize> = game.record.moves.iter().map(|edge| edge.index()).collect();
        let line = json!({
            "board": board.to_string(), "bots": bots, "nonce": game.nonce, "moves": moves,
            "scores": game.record.scores, "faults": game.record.faults,
        });
        lines.push_str(&format!("{line}\n"));
    }
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(lines.as_bytes())?;
    Ok(())
}

pub(super) fn print_result(result: &PairResult) {
    let elo = |value: Option<f64>, infinite: &str| value.map_or(infinite.into(), |value| format!("{value:+.0}"));
    let infinite = if result.wins_a > result.losses_a { "+inf" } else { "-inf" };
    print(format_args!(
        "{} - {}: {} games, {} won, {} lost, {} tied, mean margin {:+.2}, Elo {} ({} to {})\n",
        result.a,
        result.b,
        result.games,
        result.wins_a,
        result.losses_a,
        result.ties,
        result.mean_margin_a,
        elo(result.elo_a, infinite),
        elo(result.elo_low, "-inf"),
        elo(result.elo_high, "+inf")
    ));
    if result.faults_a + result.faults_b > 0 {
        print(format_args!("  illegal choices: {} and {}\n", result.faults_a, result.faults_b));
    }
}
