//! `doublecross replay`

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::anyhow;
use clap::Args;

use super::{Failure, ISA_VARIABLE, chosen_isa, load_bot, print};
use crate::arena::{BotFactory, BotSpec, GameRecord, LoggedGame, read_log, referee};
use crate::board::Position;
use crate::stderr::print_line;
use crate::train::Progress;

/// Play the games of match logs again and check them: by the rules, and move by move with the bots that played them.
#[derive(Debug, Args)]
#[command(after_help = "\
A bot that plays by the clock or in a process of its own may play another game each time, and so may a person, and a network on \
another instruction set; their games are checked by the rules alone, as all are with --rules.")]
pub(super) struct Replay {
    /// Logs that `doublecross match --log` wrote.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Check by the rules alone.
    #[arg(long)]
    rules: bool,
    /// Show the moves of the game of this line, and its end.
    #[arg(long, value_name = "LINE")]
    show: Option<usize>,
}

/// The games of all logs with their places. Damaged lines are told of on stderr and passed over.
pub(super) fn read_logs(paths: &[PathBuf]) -> Result<Vec<(String, LoggedGame)>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        let name = path.display();
        let (games, damaged) =
            read_log(path).map_err(|error| Failure::input(anyhow!("cannot read log {name}: {error}")))?;
        for (line, why) in damaged {
            print_line(format_args!("{name}, line {line} is passed over: {why}"));
        }
        all.extend(games.into_iter().map(|(line, game)| (format!("{name}, line {line}"), game)));
    }
    if all.is_empty() { Err(Failure::input(anyhow!("no game in the logs"))) } else { Ok(all) }
}

/// The bots that play again, by name and the instruction set that they played on; none where one cannot.
type Bots = BTreeMap<(String, Option<String>), Option<BotFactory>>;

/// The bot of this name, if it plays here as it did on this instruction set.
fn bot_again(name: &str, isa: Option<&str>) -> Option<BotFactory> {
    // A name that no bot has may be a person's.
    let spec = name.parse().ok().filter(BotSpec::is_repeatable)?;
    let rules_alone = |why: String| print_line(format_args!("{name} {why}: its games are checked by the rules alone"));
    let here = chosen_isa().ok()?.name();
    if let Some(isa) = isa.filter(|&isa| isa != here && spec.uses_default_isa()) {
        rules_alone(format!("played on {isa} and would play otherwise on {here} (see {ISA_VARIABLE})"));
        return None;
    }
    let failed = |failure| {
        let (Failure::Input(error) | Failure::Running(error)) = failure;
        rules_alone(format!("cannot play again ({error:#})"));
    };
    load_bot(&spec).map_err(failed).ok()
}

impl Replay {
    pub fn run(self) -> Result<(), Failure> {
        let games = read_logs(&self.logs)?;
        let is_shown = |place: &str| self.show.is_some_and(|line| place.ends_with(&format!(", line {line}")));
        if let Some(line) = self.show.filter(|_| !games.iter().any(|(place, _)| is_shown(place))) {
            return Err(Failure::input(anyhow!("--show {line}: there is no game in that line")));
        }
        let mut bots = Bots::new();
        let (mut played, mut wrong) = (0, Vec::new());
        let progress = Progress::new("games".to_string(), games.len());
        for (index, (place, game)) in games.iter().enumerate() {
            if is_shown(place) {
                show(place, game);
            }
            match self.check(game, &mut bots) {
                Ok(again) => played += again as usize,
                Err(why) => wrong.push(format!("{place}: {why}")),
            }
            progress.at(index + 1);
        }
        progress.finish();
        wrong.iter().for_each(|line| print(format_args!("{line}\n")));
        print(format_args!(
            "{} games, {} as they say, {played} of them played again by their bots, {} not\n",
            games.len(),
            games.len() - wrong.len(),
            wrong.len()
        ));
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Failure::running(anyhow!("{} games are not as they say", wrong.len())))
        }
    }

    /// Whether the bots played the game again just so; what is wrong with it otherwise.
    fn check(&self, game: &LoggedGame, bots: &mut Bots) -> Result<bool, String> {
        let (board, moves) = game.replay()?;
        if self.rules {
            return Ok(false);
        }
        let keys = game.bots.each_ref().map(|name| (name.clone(), game.isa.clone()));
        for key in &keys {
            if !bots.contains_key(key) {
                bots.insert(key.clone(), bot_again(&key.0, key.1.as_deref()));
            }
        }
        let [Some(first), Some(second)] = keys.each_ref().map(|key| &bots[key]) else { return Ok(false) };
        let (mut first, mut second) = (first.make(), second.make());
        let opening = &moves[..game.opening];
        let played = referee(board, [&mut *first, &mut *second], game.nonce, opening, &AtomicBool::new(false));
        let Some((record, _)) = played else { return Ok(false) };
        let logged = GameRecord { moves, scores: game.scores, faults: game.faults };
        if record == logged {
            return Ok(true);
        }
        let turn = record.moves.iter().zip(&logged.moves).position(|(a, b)| a != b);
        Err(match turn {
            Some(turn) => format!("its bots play otherwise from move {} on", turn + 1),
            None => format!("its bots have {:?} faults, not {:?} as it says", record.faults, logged.faults),
        })
    }
}

fn show(place: &str, game: &LoggedGame) {
    let Ok((board, moves)) = game.replay() else { return };
    let mut position = Position::new(board);
    print(format_args!("{place}: {} - {}\n", game.bots[0], game.bots[1]));
    for edge in moves {
        let (seat, (orientation, row, col)) = (position.mover(), board.coordinates(edge));
        let before = position.scores()[seat];
        if position.play(edge).is_err() {
            return;
        }
        let taken = position.scores()[seat] - before;
        let taken = if taken > 0 { format!("  takes {taken}") } else { String::new() };
        print(format_args!("{:>3}  {seat}  {}{row},{col}{taken}\n", position.drawn().len(), orientation.letter()));
    }
    print(format_args!("{} : {}\n", game.scores[0], game.scores[1]));
}
