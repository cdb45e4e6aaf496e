//! `doublecross puzzles`: exact puzzles for people.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::anyhow;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use rayon::prelude::*;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::terminal::text_output::{TextOutput, TextOutputOptions};
use crate::cli::terminal::threads::{on_threads, threads};
use crate::cli::{EndOnInterrupt, Failure, chosen_isa, print};
use doublecross::built_in::built_in;
use doublecross_arena::puzzles::{
    MadePuzzles, Puzzle, PuzzleChecker, PuzzleSettings, Theme, has_puzzles, make_puzzles, parse, to_text,
};
use doublecross_core::board::Board;
use doublecross_core::bots::{EvaluatorSource, LEVELS};
use doublecross_core::shell::shell_word;

/// Make puzzles for people: positions in which exactly one move wins.
///
/// The levels' bots play games against each other, with the mistakes that people make. Every position
/// that the exact solver settles within a budget is a puzzle if one move of the player to move wins
/// and every other move ties or loses. A puzzle's level is the first level that finds the move. The
/// puzzles that are printed are as even a choice of levels and themes as the games give, each from
/// another game; docs/puzzles.md describes the file.
///
/// The same options make the same file, whatever the number of threads is. With --check, the puzzles
/// of a file are proved again instead; the exit status is 3 if one is wrong,
/// and else 5 if the solver leaves one open.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross puzzles --board 4x4 --count 20 --out puzzles.json
  doublecross puzzles --board 3x3 --level 5 --level 6 --games 200
  doublecross puzzles --check puzzles.json")]
pub(crate) struct Puzzles {
    /// Rows and columns of boxes; may be given more than once.
    #[arg(long, value_name = "RxC", default_values = ["3x3", "4x4", "5x5"], value_parser = |text: &str| text.parse::<Board>())]
    board: Vec<Board>,
    /// A level that the puzzles should be of, but 9; may be given more than once [default: all].
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=LEVELS.len() as u64))]
    level: Vec<usize>,
    /// Puzzles to print, or as many as the games give.
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    count: usize,
    /// Games to look for puzzles in, on each board.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    games: usize,
    /// The seed of the games.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The solver's budget for a position, in nodes [default: 20000]; with --check for each edge
    /// [default: no limit].
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Threads that work side by side [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
    #[command(flatten)]
    output: TextOutputOptions,
    /// Prove the puzzles of this file again, and make none.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "level", "count", "games", "seed", "out"])]
    check: Option<PathBuf>,
}

/// The default budget for a position, in nodes. The last level settles what this settles, so that
/// grades do not depend on its network.
const NODES: u64 = 20_000;

/// The most bytes of a file of puzzles: a hundred thousand puzzles have fewer.
const MAX_BYTES: u64 = 64 << 20;

impl Puzzles {
    pub fn run(self) -> Result<(), Failure> {
        // Nothing is written before the end, so that the work may be cut off anywhere.
        let _end_on_interrupt = EndOnInterrupt::new(|| "doublecross: interrupted".into())?;
        let evaluators = evaluators()?;
        match &self.check {
            Some(path) => {
                let puzzles = read(path)?;
                on_threads(self.threads, || check(&puzzles, &evaluators, self.nodes.unwrap_or(u64::MAX)))
            }
            None => {
                if let Some(level) = self.level.iter().find(|&&level| !has_puzzles(level)) {
                    return Err(Failure::input(anyhow!(
                        "--level {level}: no puzzle is of this level, whose moves may depend on the instruction set"
                    )));
                }
                let output = self.output.open()?;
                on_threads(self.threads, || self.make(&evaluators, output))
            }
        }
    }

    /// Makes puzzles and writes them.
    fn make(&self, evaluators: &EvaluatorSource, output: TextOutput) -> Result<(), Failure> {
        let settings = self.settings();
        let progress = Progress::new("games", settings.boards.len() * settings.games);
        let made = make_puzzles(&settings, evaluators, &|over| progress.at(over));
        progress.finish();
        output.write(&to_text(&made.puzzles))?;
        report(&settings, &made);
        Ok(())
    }

    fn settings(&self) -> PuzzleSettings {
        let mut boards: Vec<Board> = Vec::new();
        for board in &self.board {
            if !boards.contains(board) {
                boards.push(*board);
            }
        }
        let is_given = |level: &usize| self.level.is_empty() || self.level.contains(level);
        let levels = (1..=LEVELS.len()).filter(is_given).collect();
        let &Puzzles { count, games, seed, nodes, .. } = self;
        PuzzleSettings { boards, levels, count, games, seed, nodes: nodes.unwrap_or(NODES) }
    }
}

/// The pretrained networks, which the last level plays with.
fn evaluators() -> Result<EvaluatorSource, Failure> {
    let networks = built_in().pretrained_networks(chosen_isa()?).map_err(Failure::input)?;
    Ok(EvaluatorSource::Boards(Arc::new(networks)))
}

/// Reads a file of puzzles.
fn read(path: &Path) -> Result<Vec<Puzzle>, Failure> {
    let name = shell_word(path);
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    file.map_err(|error| Failure::input(anyhow!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::input(anyhow!(
            "{name} has more than {} MiB: no file of puzzles is as long",
            MAX_BYTES >> 20
        )));
    }
    parse(&bytes).map_err(|error| Failure::input(anyhow!("{name}: {error}")))
}

/// Proves puzzles again, and prints those that are wrong.
fn check(puzzles: &[Puzzle], evaluators: &EvaluatorSource, nodes: u64) -> Result<(), Failure> {
    let (progress, done) = (Progress::new("puzzles", puzzles.len()), AtomicUsize::new(0));
    let check = |checker: &mut PuzzleChecker, puzzle: &Puzzle| {
        let checked = checker.check(puzzle, nodes);
        progress.at(done.fetch_add(1, Relaxed) + 1);
        checked
    };
    let checked: Vec<_> = puzzles.par_iter().map_init(|| PuzzleChecker::new(evaluators), check).collect();
    progress.finish();
    let (mut wrong, mut open) = (0, 0);
    for (number, checked) in (1..).zip(checked) {
        if let Err(error) = checked {
            *if error.is_open() { &mut open } else { &mut wrong } += 1;
            print(format_args!("puzzle {number}: {error}\n"));
        }
    }
    let all = puzzles.len();
    let not_checked = if open > 0 { format!(", {open} not checked") } else { String::new() };
    print(format_args!("{all} puzzles: {} correct, {wrong} wrong{not_checked}\n", all - wrong - open));
    match (wrong, open) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::Assumed(anyhow!("{open} of {all} puzzles are not checked (see above)"))),
        _ => Err(Failure::damaged(anyhow!("{wrong} of {all} puzzles are wrong (see above)"))),
    }
}

/// Prints on stderr how many puzzles there are of each kind.
fn report(settings: &PuzzleSettings, made: &MadePuzzles) {
    let MadePuzzles { puzzles, settled, found } = made;
    let games = settings.games * settings.boards.len();
    print_notice(format_args!(
        "{}: the solver settled {}, and {found} of them are puzzles",
        counted(games, "game"),
        counted(settled, "position")
    ));
    let count = |is_meant: &dyn Fn(&Puzzle) -> bool| puzzles.iter().filter(|puzzle| is_meant(puzzle)).count();
    for &level in &settings.levels {
        let themes = Theme::ALL.map(|theme| (theme.to_string(), count(&|p| p.level == level && p.theme == theme)));
        let boards =
            settings.boards.iter().map(|&b| (b.to_string(), count(&|p| p.level == level && p.position.board() == b)));
        let kinds = boards.chain(themes).filter(|(_, count)| *count > 0);
        let kinds: Vec<String> = kinds.map(|(name, count)| format!("{count} {name}")).collect();
        let line = format!("level {level:>2}: {:>3}  {}", count(&|p| p.level == level), kinds.join(", "));
        print_notice(format_args!("{}", line.trim_end()));
    }
    if puzzles.len() < settings.count {
        let (made, wished) = (puzzles.len(), settings.count);
        print_line(format_args!("only {made} of {wished} puzzles were found (raise --games or --nodes)"));
    }
}
