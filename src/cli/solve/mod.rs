//! `doublecross solve`: exact values of positions.

pub(crate) mod answer;
pub(crate) mod game;
mod report;

use std::env::args;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::cli::prove::logs::{new_solver, open_log};
use crate::cli::solve::answer::Answer;
use crate::cli::solve::game::split_game;
use crate::cli::solve::report::Report;
use crate::cli::terminal::monitor::Monitor;
use crate::cli::terminal::stderr::print_line;
use crate::cli::terminal::stdin::StdinLines;
use crate::cli::terminal::threads::threads;
use crate::cli::terminal::values::{parse_seconds, parse_size};
use crate::cli::{Failure, interrupts, not_interrupted, print, print_json};
use doublecross::built_in::built_in;
use doublecross_core::board::{Board, Position, State, TextError};
use doublecross_core::protocol::trim_line;
use doublecross_core::shell::shell_word;
use doublecross_core::solver::{Bounds, Solver};
use doublecross_proof::ProofLog;
use doublecross_proof::parallel::{Limits, ParallelSolver};

/// Solve positions exactly: the best result for the player to move, and every move that reaches it.
///
/// The result is the margin still to come: the boxes that the player to move will capture with best
/// play by both players, less those of the opponent. Its bounds are proved from a tie outwards, so
/// that it is known first who wins. Ctrl-C ends a proof and prints the bounds proved so far.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross solve 3x3 --moves
  doublecross solve \"3x3 H0,0 V1,2\"
  doublecross solve 5x5:0x37651497f4c5f2c --score 2-0
  doublecross solve 4x4 --log 4x4.log

The last one goes on where it was ended when it is run again.

A position is RxC:0xMASK. R and C are the rows and columns of boxes. Bit i of
MASK, from the lowest on, is set if edge i is drawn: all horizontal edges row by
row, then all vertical ones row by row.")]
pub(crate) struct Solve {
    /// Positions, as RxC:0xMASK, RxC for the empty board, or a game in quotes, as "2x2 H0,0 V1,2" or "2x2 b5e2"; `-` reads them from stdin, one a line.
    #[arg(required = true, value_name = "POSITION")]
    positions: Vec<String>,
    /// Also print the margin of each edge, the chains and loops, and the player in control.
    #[arg(long)]
    moves: bool,
    /// Boxes captured so far by the player to move and by the opponent, so that the answer also
    /// says who wins.
    #[arg(long, value_name = "A-B", value_parser = parse_score)]
    score: Option<(u8, u8)>,
    /// Bounds of the margin that are known already, as in 0..4 or 0.., and need no proof.
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, value_parser = parse_bounds)]
    known: Option<(i16, i16)>,
    /// The budget of each position, in nodes of the search [default: no limit].
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    nodes: u64,
    /// The budget of each position, in seconds [default: no limit].
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    seconds: Option<Duration>,
    /// Threads that solve together [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
    /// The most memory for the table of solved positions, in bytes, as in 512M or 12G.
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = parse_size)]
    table: usize,
    /// Leave out the built-in book of proved positions; --log does too, so that the log holds its
    /// whole proof.
    #[arg(long)]
    no_book: bool,
    /// Append what takes long to prove to this log of one board, and rely on what it says already.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The number of nodes from which a result is logged.
    #[arg(long, value_name = "N", default_value = "65536", requires = "log", value_parser = clap::value_parser!(u64).range(1..))]
    log_from: u64,
    /// Print one JSON object for each position on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

/// The solver of a board, and its log.
struct LoggedSolver {
    solver: ParallelSolver,
    log: Option<ProofLog>,
}

impl Solve {
    pub fn run(self) -> Result<(), Failure> {
        if let Some(message) = split_game(self.positions.iter().cloned()).and_then(|_| split_game(args().skip(1))) {
            return Err(Failure::input(anyhow::anyhow!(message)));
        }
        let interrupted = interrupts()?;
        let mut solver: Option<LoggedSolver> = None;
        let (mut answered, mut refused, mut from_stdin) = (0, Vec::new(), false);
        let mut solve = |text: &str, place: Option<usize>| match self.solve(text, &mut solver, &interrupted) {
            Err(Failure::Input(error)) => {
                from_stdin |= place.is_some();
                let error = match place {
                    Some(line) => error.context(format!("stdin, line {line}")),
                    None => error,
                };
                // The others are still answered.
                if self.json {
                    print_json(&json!({ "position": text, "error": format!("{error:#}") }));
                }
                refused.push(error);
                Ok(())
            }
            result => {
                answered += 1;
                result
            }
        };
        for text in &self.positions {
            if interrupted.load(Relaxed) {
                break;
            }
            if text != "-" {
                solve(text, None)?;
                continue;
            }
            for (index, line) in StdinLines::new(interrupted.clone())?.enumerate() {
                let line = line.map_err(Failure::running)?;
                let text = trim_line(&line.bytes);
                if !text.is_empty() {
                    solve(&String::from_utf8_lossy(text), Some(index + 1))?;
                }
            }
        }
        not_interrupted(&interrupted)?;
        match refused.len() {
            0 => Ok(()),
            1 if answered == 0 && !from_stdin => Err(Failure::Input(refused.remove(0))),
            count => {
                refused.iter().for_each(|error| print_line(format_args!("doublecross: {error:#}")));
                Err(Failure::damaged(anyhow::anyhow!(
                    "{count} of {} positions are refused (see above)",
                    count + answered
                )))
            }
        }
    }

    /// Solves a position and prints the answer. `kept` is the solver of the position before.
    fn solve(&self, text: &str, kept: &mut Option<LoggedSolver>, interrupted: &AtomicBool) -> Result<(), Failure> {
        let state = parse_state(text).map_err(Failure::input)?;
        let board = state.board();
        let lead = self.lead(state)?;
        let known = self.known(state)?;
        let LoggedSolver { solver, log } = match kept {
            Some(kept) if kept.solver.board() == board => kept,
            // The log of another board is closed first.
            kept => {
                *kept = None;
                kept.insert(self.solver(board)?)
            }
        };
        let start = Instant::now();
        let limits =
            Limits { nodes: self.nodes, deadline: self.seconds.and_then(|seconds| start.checked_add(seconds)) };
        let mut monitor = Monitor::new(text, solver.handle(), board, log.as_mut());
        let mut observer = |progress| monitor.show(progress) && !interrupted.load(Relaxed);
        let hits = solver.lemma_hits();
        let solution = solver.solve_within(state, known, lead, limits, &mut observer);
        let (seconds, mistakes) = (start.elapsed().as_secs_f64(), solver.expected_mistakes());
        let limits = limits.after(solution.nodes);
        let report = self.moves.then(|| Report::new(solver, state, limits, &solution, &mut observer));
        let book = self.log.is_none() && solver.lemma_hits() > hits;
        let is_cut = interrupted.load(Relaxed) || limits.are_used_up();
        let is_whole = Solver::is_in_reach(state) && !state.is_over() && !is_cut;
        let contradicted = solution.margin().filter(|_| solution.best.is_empty() && is_whole);
        let saved = monitor.end();
        // A log that cannot be written ends the solve early.
        if let (Some(margin), Ok(())) = (contradicted, &saved) {
            return Err(self.contradiction(state, margin));
        }
        // The answer is printed even if the log cannot be written.
        let answer = Answer {
            state,
            score: self.score,
            is_conditional: self.known.is_some(),
            solution,
            seconds,
            mistakes,
            book,
            report,
        };
        if self.json {
            print_json(&answer.to_json());
        } else {
            print(format_args!("{}", answer.to_text(self.positions.iter().any(|text| text == "-"))));
        }
        saved
    }

    /// Returns the failure of a margin that was taken as known, and that no move reaches.
    fn contradiction(&self, state: State, margin: i32) -> Failure {
        let found = format!("the margin of {state} is not {margin:+}, since no move reaches it");
        match &self.log {
            _ if self.known.is_some() => Failure::input(anyhow::anyhow!("--known: {found}")),
            Some(log) => {
                let log = shell_word(log);
                Failure::damaged(anyhow::anyhow!(
                    "{log} holds a false claim: {found} (`doublecross prove check {log} --sample all` finds false claims)"
                ))
            }
            None => {
                Failure::damaged(anyhow::anyhow!("{found} (the book holds a false claim: solve it with --no-book)"))
            }
        }
    }

    /// Returns a solver of this board with the lemmas of the log, or with those of the book.
    fn solver(&self, board: Board) -> Result<LoggedSolver, Failure> {
        let mut solver = new_solver(board, self.table, self.threads)?;
        let log = self.log.as_deref().map(|path| open_log(path, board)).transpose()?;
        if let Some(log) = &log {
            solver.add_lemmas(&log.lemmas().by_work());
            solver.keep_lemmas(self.log_from);
        } else if let Some(book) = built_in().books.of(board).filter(|_| !self.no_book) {
            solver.add_book(book);
        }
        Ok(LoggedSolver { solver, log })
    }

    /// The bounds of the margin that need no proof, those of `--known` included.
    fn known(&self, state: State) -> Result<Bounds, Failure> {
        let mut known = Bounds::of_state(state);
        let Some((lower, upper)) = self.known else { return Ok(known) };
        let (all, lower, upper) = (known, lower as i32, upper as i32);
        if lower > known.lower {
            known.narrow(lower, lower);
        }
        if upper < known.upper {
            known.narrow(upper + 1, upper);
        }
        if known.lower > known.upper {
            let open = state.open_boxes();
            let parity = if open.is_multiple_of(2) { "even" } else { "odd" };
            return Err(Failure::input(anyhow::anyhow!(
                "--known: no margin of {state} lies within: with {open} open boxes it is {parity} and from {} to {}",
                all.lower,
                all.upper
            )));
        }
        Ok(known)
    }

    /// The lead of the player to move by `--score`, or 0.
    fn lead(&self, state: State) -> Result<i32, Failure> {
        let Some((mine, theirs)) = self.score else { return Ok(0) };
        let closed = state.board().boxes() - state.open_boxes();
        if mine as usize + theirs as usize != closed {
            return Err(Failure::input(anyhow::anyhow!(
                "--score {mine}-{theirs}: both numbers must add up to {closed}, the boxes of {state} with four sides drawn"
            )));
        }
        Ok(mine as i32 - theirs as i32)
    }
}

/// Parses a state. A game, as in "2x2 H0,0" or a link to one, stands for the state that it leads to.
pub(crate) fn parse_state(text: &str) -> Result<State, TextError> {
    if text.contains([' ', '#']) { text.parse().map(|position: Position| position.state()) } else { text.parse() }
}

/// Parses bounds of a margin, as in 0..4, each of which may be left out.
fn parse_bounds(text: &str) -> Result<(i16, i16), String> {
    let bound = |digits: &str, without| if digits.is_empty() { Some(without) } else { digits.parse().ok() };
    text.split_once("..")
        .and_then(|(lower, upper)| Some((bound(lower, i16::MIN)?, bound(upper, i16::MAX)?)))
        .filter(|(lower, upper)| lower <= upper)
        .ok_or_else(|| "it must be two bounds, the lower one first (as in 0..4 or 0..)".into())
}

/// Parses the boxes of both players, as in 3-1.
fn parse_score(text: &str) -> Result<(u8, u8), String> {
    let number = |digits: &str| digits.parse().ok();
    text.split_once('-')
        .and_then(|(mine, theirs)| Some((number(mine)?, number(theirs)?)))
        .ok_or_else(|| "it must be two numbers of boxes (as in 3-1)".into())
}
