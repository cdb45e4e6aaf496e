//! `doublecross leaderboard`

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::replay::read_logs;
use super::{Failure, print, print_json};
use crate::arena::LoggedGame;
use crate::statistics::{Rating, ratings, score};
use crate::stderr::print_line;

/// Rate the bots of match logs.
#[derive(Debug, Args)]
#[command(after_help = "\
Ratings are the likeliest of Bradley and Terry's model over all games, a tie being half a win, with one tie more for each \
bot against a player of rating 0, so that who won every game is rated too. Elo is above the mean of the bots, +- half the \
95 % interval of that, games counting one by one, though the two of a pair share an opening. Games of the \
same bots with the same moves count once, and each board has a table of its own.")]
pub(super) struct Leaderboard {
    /// Logs that `doublecross match --log` wrote.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// One JSON object on stdout, nothing else there.
    #[arg(long)]
    json: bool,
}

#[derive(Default)]
struct Line {
    games: usize,
    won: usize,
    tied: usize,
    faults: usize,
}

/// A bot's place on a board: its name, its games and its rating.
type Place<'a> = (&'a str, Line, Rating);

impl Leaderboard {
    pub fn run(self) -> Result<(), Failure> {
        let mut games = read_logs(&self.logs)?;
        games.retain(|(place, game)| match game.replay() {
            Ok(_) => true,
            Err(why) => {
                print_line(format_args!("{place} is passed over: {why}"));
                false
            }
        });
        if games.is_empty() {
            return Err(Failure::input(anyhow!("no whole game in the logs")));
        }
        // The same bots from the same opening play the same game, which says no more the second time.
        let count = games.len();
        let mut known = HashSet::new();
        games.retain(|(_, game)| known.insert((game.board.clone(), game.bots.clone(), game.moves.clone())));
        if games.len() < count {
            print_line(format_args!(
                "{} games of {count} are the same as others, and are passed over",
                count - games.len()
            ));
        }
        let mut boards: BTreeMap<&str, Vec<&LoggedGame>> = BTreeMap::new();
        for (_, game) in &games {
            boards.entry(&game.board).or_default().push(game);
        }
        let tables: BTreeMap<&str, Vec<Place>> =
            boards.into_iter().map(|(board, games)| (board, rate(&games))).collect();
        if self.json {
            let bots = tables.iter().flat_map(|(board, table)| table.iter().map(move |place| to_json(board, place)));
            return print_json(&json!({ "bots": bots.collect::<Vec<_>>() }));
        }
        for (board, table) in &tables {
            if tables.len() > 1 {
                print(format_args!("{board}\n"));
            }
            print_table(table);
        }
        Ok(())
    }
}

/// The bots of games on one board, the strongest first.
fn rate<'a>(games: &[&'a LoggedGame]) -> Vec<Place<'a>> {
    let mut lines: BTreeMap<&str, Line> = BTreeMap::new();
    for game in games {
        for seat in 0..2 {
            let line = lines.entry(&game.bots[seat]).or_default();
            line.games += 1;
            line.won += (game.scores[seat] > game.scores[1 - seat]) as usize;
            line.tied += (game.scores[0] == game.scores[1]) as usize;
            line.faults += game.faults[seat];
        }
    }
    let number: BTreeMap<&str, usize> = lines.keys().enumerate().map(|(number, name)| (*name, number)).collect();
    let of = |name: &String| number[name.as_str()];
    // A bot's games against itself say nothing of its strength.
    let scores: Vec<(usize, usize, f64)> = games
        .iter()
        .filter(|game| game.bots[0] != game.bots[1])
        .map(|game| {
            let margin = game.scores[0] as i64 - game.scores[1] as i64;
            (of(&game.bots[0]), of(&game.bots[1]), score(margin))
        })
        .collect();
    let ratings = ratings(lines.len(), &scores);
    let mut table: Vec<Place> =
        lines.into_iter().zip(ratings).map(|((name, line), rating)| (name, line, rating)).collect();
    table.sort_by(|(_, _, a), (_, _, b)| b.elo.total_cmp(&a.elo));
    table
}

fn share(line: &Line) -> f64 {
    (line.won as f64 + 0.5 * line.tied as f64) / line.games as f64
}

fn to_json(board: &str, (name, line, rating): &Place) -> Value {
    json!({
        "board": board, "bot": name, "elo": rating.elo, "half": rating.half, "games": line.games, "won": line.won,
        "tied": line.tied, "score": share(line), "faults": line.faults,
    })
}

fn print_table(table: &[Place]) {
    let width = table.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max(3);
    print(format_args!(
        "{:>4}  {:width$}  {:>6}  {:>6}  {:>6}  {:>7}  {:>6}\n",
        "rank", "bot", "Elo", "+-", "games", "score", "faults"
    ));
    for (rank, (name, line, rating)) in table.iter().enumerate() {
        print(format_args!(
            "{:>4}  {name:width$}  {:>+6.0}  {:>6.0}  {:>6}  {:>5.1} %  {:>6}\n",
            rank + 1,
            rating.elo,
            rating.half,
            line.games,
            100.0 * share(line),
            line.faults
        ));
    }
}
