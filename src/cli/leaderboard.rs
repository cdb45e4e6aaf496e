//! `doublecross leaderboard`: ratings of the bots in match logs.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::replay::{ReadGames, read_logs};
use crate::cli::terminal::stderr::print_line;
use crate::cli::{Failure, print, print_json};
use doublecross_arena::LoggedGame;
use doublecross_arena::statistics::{Rating, groups, ratings, score};
use doublecross_files::printable;

/// Rank the bots of match logs by their ratings.
///
/// Prints one table for each board. Elo is relative to the mean of the table's bots, and +- is half
/// the 95 % interval. Games of the same bots with the same moves count once.
///
/// Ratings are the maximum-likelihood ones of the Bradley-Terry model over all games. A tie counts
/// as half a win. Each bot has one additional tie against a player of rating 0, so that a bot that
/// won every game has a finite rating. The interval treats games as independent, although the two
/// games of a pair share an opening. Bots of different groups, no bot of which has met one of the
/// other, are not compared by their ratings, and the groups are told.
#[derive(Debug, Args)]
pub(crate) struct Leaderboard {
    /// Logs that `doublecross match --log` wrote.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

/// The results of a bot on a board.
#[derive(Default)]
struct Tally {
    games: usize,
    won: usize,
    tied: usize,
    faults: usize,
}

/// A row of a table: the rating of a bot.
struct Row<'a> {
    /// The bot's name.
    name: &'a str,
    tally: Tally,
    rating: Rating,
    /// The number of the group of bots that have met each other, directly or through others.
    group: usize,
}

impl Leaderboard {
    pub fn run(self) -> Result<(), Failure> {
        let ReadGames { mut games, .. } = read_logs(&self.logs)?;
        games.retain(|(place, game)| match game.replay() {
            Ok(_) => true,
            Err(error) => {
                print_line(format_args!("{place} is skipped: {error}"));
                false
            }
        });
        if games.is_empty() {
            return Err(Failure::input(anyhow!("the logs hold no whole game")));
        }
        // The same bots may play the same game again from the same opening, which is no further
        // evidence.
        let count = games.len();
        let mut known = HashSet::new();
        games.retain(|(_, game)| known.insert((game.board.clone(), game.bots.clone(), game.moves.clone())));
        if games.len() < count {
            print_line(format_args!("{} of {count} games repeat others and are skipped", count - games.len()));
        }
        let mut boards: BTreeMap<&str, Vec<&LoggedGame>> = BTreeMap::new();
        for (_, game) in &games {
            boards.entry(&game.board).or_default().push(game);
        }
        let tables: BTreeMap<&str, Vec<Row>> = boards.into_iter().map(|(board, games)| (board, rate(&games))).collect();
        for (board, table) in &tables {
            report_groups(board, table);
        }
        if self.json {
            let bots = tables.iter().flat_map(|(board, table)| table.iter().map(move |row| to_json(board, row)));
            print_json(&json!({ "bots": bots.collect::<Vec<_>>() }));
        } else {
            for (board, table) in &tables {
                if tables.len() > 1 {
                    print(format_args!("{board}\n"));
                }
                print_table(table);
            }
        }
        Ok(())
    }
}

/// Prints on stderr which bots of a table never met those of another group.
fn report_groups(board: &str, table: &[Row]) {
    let count = table.iter().map(|row| row.group + 1).max().unwrap_or(0);
    if count < 2 {
        return;
    }
    print_line(format_args!(
        "{board}: ratings of different groups cannot be compared: {count} groups of bots never played each other"
    ));
    for group in 0..count {
        let names: Vec<String> = table.iter().filter(|row| row.group == group).map(|row| printable(row.name)).collect();
        print_line(format_args!("  group {}: {}", group + 1, names.join(", ")));
    }
}

/// Rates the bots of games on one board, the strongest first.
fn rate<'a>(games: &[&'a LoggedGame]) -> Vec<Row<'a>> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for game in games {
        for seat in 0..2 {
            let tally = tallies.entry(&game.bots[seat]).or_default();
            tally.games += 1;
            tally.won += (game.scores[seat] > game.scores[1 - seat]) as usize;
            tally.tied += (game.scores[0] == game.scores[1]) as usize;
            tally.faults += game.faults[seat];
        }
    }
    let number: BTreeMap<&str, usize> = tallies.keys().enumerate().map(|(number, name)| (*name, number)).collect();
    let of = |name: &String| number[name.as_str()];
    // Games of a bot against itself are no evidence of its strength.
    let scores: Vec<(usize, usize, f64)> = games
        .iter()
        .filter(|game| game.bots[0] != game.bots[1])
        .map(|game| {
            let margin = game.scores[0] as i64 - game.scores[1] as i64;
            (of(&game.bots[0]), of(&game.bots[1]), score(margin))
        })
        .collect();
    let ratings = ratings(tallies.len(), &scores);
    let groups = groups(tallies.len(), scores.iter().map(|(a, b, _)| (*a, *b)));
    let rows = tallies.into_iter().zip(ratings.into_iter().zip(groups));
    let mut table: Vec<Row> = rows.map(|((name, tally), (rating, group))| Row { name, tally, rating, group }).collect();
    table.sort_by(|a, b| b.rating.elo.total_cmp(&a.rating.elo));
    table
}

/// The share of games won, a tie being half a win.
fn share(tally: &Tally) -> f64 {
    (tally.won as f64 + 0.5 * tally.tied as f64) / tally.games as f64
}

fn to_json(board: &str, Row { name, tally, rating, group }: &Row) -> Value {
    json!({
        "board": board, "bot": name, "elo": rating.elo, "half": rating.half, "games": tally.games, "won": tally.won,
        "tied": tally.tied, "score": share(tally), "faults": tally.faults,
        "group": group,
    })
}

fn print_table(table: &[Row]) {
    let names: Vec<String> = table.iter().map(|row| printable(row.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(3);
    print(format_args!(
        "{:>4}  {:width$}  {:>6}  {:>6}  {:>6}  {:>7}  {:>6}\n",
        "rank", "bot", "Elo", "+-", "games", "score", "faults"
    ));
    for (rank, (name, Row { tally, rating, .. })) in names.iter().zip(table).enumerate() {
        print(format_args!(
            "{:>4}  {name:width$}  {:>+6.0}  {:>6.0}  {:>6}  {:>5.1} %  {:>6}\n",
            rank + 1,
            rating.elo,
            rating.half,
            tally.games,
            100.0 * share(tally),
            tally.faults
        ));
    }
}
