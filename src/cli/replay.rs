//! `doublecross replay`: checks of match logs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::anyhow;
use clap::Args;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::print_line;
use crate::cli::{Failure, ISA_VARIABLE, chosen_isa, interrupts, load_bot, not_interrupted, print};
use doublecross_arena::{BotFactory, BotSpec, GameRecord, LoggedGame, LoggedGameError, read_log, referee};
use doublecross_core::board::Position;
use doublecross_core::shell::shell_word;
use doublecross_files::printable;

/// Check the games of match logs, by the rules and by playing them again.
///
/// Each game is checked to be complete, to follow the rules, and to end with its score. Then its
/// bots play it again, and every move is compared. The second check is skipped for bots that may
/// play differently each time, which are those that play by the clock or as programs of their own,
/// for persons, for games without a nonce, and for networks that ran on another instruction set.
///
/// The exit status is 3 if a game does not pass or a line is damaged.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Logs that `doublecross match --log` wrote.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Check by the rules alone.
    #[arg(long)]
    rules: bool,
    /// Also print the moves of the game in this line of the logs.
    #[arg(long, value_name = "LINE")]
    show: Option<usize>,
}

/// The games of logs.
pub(crate) struct ReadGames {
    /// The games, each with its place, as in "games.jsonl, line 3".
    pub games: Vec<(String, LoggedGame)>,
    /// The number of damaged lines.
    pub damaged: usize,
}

/// The most damaged lines of a log that are printed.
const MOST_TOLD: usize = 20;

/// Reads the games of all logs. Damaged lines are reported on stderr and skipped.
pub(crate) fn read_logs(paths: &[PathBuf]) -> Result<ReadGames, Failure> {
    let mut all = ReadGames { games: Vec::new(), damaged: 0 };
    for path in paths {
        let name = shell_word(path);
        let (games, damaged) =
            read_log(path).map_err(|error| Failure::input(anyhow!("cannot read log {name}: {error}")))?;
        // Of a file without games, one line tells what it is.
        let told = if games.is_empty() { 1 } else { MOST_TOLD };
        let more = damaged.len().saturating_sub(MOST_TOLD);
        for (number, (line, error)) in damaged.into_iter().enumerate() {
            // A kill does no harm to the others.
            all.damaged += (error != LoggedGameError::CutShort) as usize;
            if number < told {
                print_line(format_args!("{name}, line {line} is skipped: {error}"));
            }
        }
        if more > 0 && !games.is_empty() {
            print_line(format_args!("{name}: {more} more lines are skipped"));
        }
        all.games.extend(games.into_iter().map(|(line, game)| (format!("{name}, line {line}"), game)));
    }
    if all.games.is_empty() {
        let hint =
            if paths.iter().any(|path| is_compressed(path)) { " (one is compressed: gunzip it first)" } else { "" };
        return Err(Failure::input(anyhow!("the logs hold no game{hint}")));
    }
    Ok(all)
}

/// Returns `true` if a file is gzip.
fn is_compressed(path: &Path) -> bool {
    let mut beginning = [0; 2];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut beginning).is_ok()) && beginning == [0x1f, 0x8b]
}

/// The bots that can play their games again, by name and instruction set; `None` for those that
/// cannot.
type Bots = BTreeMap<(String, Option<String>), Option<BotFactory>>;

/// Returns the bot with this name, if it plays here as it did on the instruction set `isa`.
fn repeatable_bot(name: &str, isa: Option<&str>, stop: &Arc<AtomicBool>) -> Option<BotFactory> {
    // A name that is not a bot's may be a person's.
    let spec = name.parse().ok().filter(BotSpec::is_repeatable)?;
    let skip = |reason: String| {
        print_line(format_args!("the games of bot {} are checked by the rules alone: {reason}", shell_word(name)));
    };
    let here = chosen_isa().ok()?.name();
    match isa.map(shell_word) {
        None if spec.uses_default_isa() => {
            skip("the log does not say on which instruction set they ran".into());
            return None;
        }
        Some(word) if isa != Some(here) && spec.uses_default_isa() => {
            skip(format!(
                "their instruction set was {word}, and {here} may play otherwise (set {ISA_VARIABLE}={word})"
            ));
            return None;
        }
        _ => {}
    }
    let failed = |failure: Failure| skip(failure.message());
    load_bot(&spec).map_err(failed).ok().map(|factory| factory.with_stop(stop.clone()))
}

impl Replay {
    pub fn run(self) -> Result<(), Failure> {
        let ReadGames { games, damaged } = read_logs(&self.logs)?;
        let is_shown = |place: &str| self.show.is_some_and(|line| place.ends_with(&format!(", line {line}")));
        if let Some(line) = self.show.filter(|_| !games.iter().any(|(place, _)| is_shown(place))) {
            return Err(Failure::input(anyhow!("--show {line}: the logs have no game in line {line}")));
        }
        let stop = interrupts()?;
        let mut bots = Bots::new();
        let (mut checked, mut repeated, mut wrong) = (0, 0, Vec::new());
        let progress = Progress::new("games".to_string(), games.len());
        for (place, game) in &games {
            if is_shown(place) {
                show(place, game);
            }
            let found = self.check(game, &mut bots, &stop);
            // A game that was being played is neither right nor wrong.
            if stop.load(Relaxed) {
                break;
            }
            match found {
                Ok(is_repeated) => repeated += is_repeated as usize,
                Err(error) => wrong.push(format!("{place}: {error}")),
            }
            checked += 1;
            progress.at(checked);
        }
        progress.finish();
        wrong.iter().for_each(|line| print(format_args!("{line}\n")));
        let lines = if damaged > 0 { format!("; damaged lines: {damaged}") } else { String::new() };
        print(format_args!(
            "{}: {} correct, {repeated} of them played again by their bots; {} wrong{lines}\n",
            counted(checked, "game"),
            checked - wrong.len(),
            wrong.len()
        ));
        not_interrupted(&stop)?;
        match (wrong.len(), damaged) {
            (0, 0) => Ok(()),
            (0, damaged) => Err(Failure::damaged(anyhow!("the logs have damaged lines: {damaged} (see above)"))),
            (wrong, _) => {
                Err(Failure::damaged(anyhow!("{wrong} of {} games are wrong (see above){lines}", games.len())))
            }
        }
    }

    /// Checks a game. Returns `true` if its bots played it again, and a description of the error if
    /// it is wrong.
    fn check(&self, game: &LoggedGame, bots: &mut Bots, stop: &Arc<AtomicBool>) -> Result<bool, String> {
        let (board, moves) = game.replay()?;
        // Without a nonce another program wrote the log, whose bots of the same names are others.
        let Some(nonce) = game.nonce.filter(|_| !self.rules) else { return Ok(false) };
        let keys = game.bots.each_ref().map(|name| (name.clone(), game.isa.clone()));
        for key in &keys {
            if !bots.contains_key(key) {
                bots.insert(key.clone(), repeatable_bot(&key.0, key.1.as_deref(), stop));
            }
        }
        let [Some(first), Some(second)] = keys.each_ref().map(|key| &bots[key]) else { return Ok(false) };
        let (mut first, mut second) = (first.make(), second.make());
        let opening = &moves[..game.opening];
        let played = referee(board, [&mut *first, &mut *second], nonce, opening, stop);
        let Some((record, _)) = played else { return Ok(false) };
        let logged = GameRecord { moves, scores: game.scores, faults: game.faults };
        if record == logged {
            return Ok(true);
        }
        let turn = record.moves.iter().zip(&logged.moves).position(|(a, b)| a != b);
        Err(match turn {
            Some(turn) => format!("its bots play differently from move {} on", turn + 1),
            None => format!("its bots commit other faults: {:?}, and {:?} are logged", record.faults, logged.faults),
        })
    }
}

/// Prints the moves of a game, each by itself and then all in the notation of players.
fn show(place: &str, game: &LoggedGame) {
    let Ok((board, moves)) = game.replay() else { return };
    let mut position = Position::new(board);
    print(format_args!("{place}: {} - {}\n", printable(&game.bots[0]), printable(&game.bots[1])));
    for &edge in &moves {
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
    if let Some(cells) = board.cells(&moves) {
        print(format_args!("{board} {cells}\n"));
    }
}
