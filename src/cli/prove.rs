//! `doublecross prove`: proofs that outlast the process, and their checks.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::json;

use super::monitor::Monitor;
use super::prove_check::Check;
use super::prove_merge::Merge;
use super::solve::{parse_seconds, parse_size};
use super::threads::on_threads_of;
use super::{Failure, interrupts, not_interrupted, print, print_json};
use crate::board::{Board, State, TextError};
use crate::parallel::{Limits, ParallelSolver, SolveProgress};
use crate::proof::{LogError, ProofLog};
use crate::solver::{Bounds, Solver};
use crate::stderr::{print_line, print_notice};

/// Prove the value of a board, over days and machines, in a log that anyone can check.
///
/// What took long to prove is appended to the log: a position, bounds of its margin and the nodes of
/// the search. When the command is run again it goes on from there. `prove merge` adds the logs of
/// other machines, and `prove check` derives the value from a log without the solver.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  doublecross prove 4x4 --log 4x4.log               a minute
  doublecross prove 4x5 --log 4x5.log --table 16G   days; goes on when it is run again
  doublecross prove 4x5 --log 4x5.log --at-most 0   one half of it
  doublecross prove check 4x4.log")]
pub(super) struct Prove {
    #[command(subcommand)]
    command: Option<ProveCommand>,
    /// The position: RxC for the empty board, or RxC:0xMASK.
    #[arg(required = true, value_parser = parse_state)]
    position: Option<State>,
    /// The log. It is created if it does not exist.
    #[arg(long, value_name = "FILE", required = true)]
    log: Option<PathBuf>,
    /// Prove only that the margin is at least this, or that it is not.
    #[arg(long, value_name = "M", conflicts_with = "at_most")]
    at_least: Option<i32>,
    /// Prove only that the margin is at most this, or that it is not.
    #[arg(long, value_name = "M")]
    at_most: Option<i32>,
    /// The number of nodes from which a result is logged.
    #[arg(long, value_name = "N", default_value = "65536", value_parser = clap::value_parser!(u64).range(1..))]
    log_from: u64,
    /// Stop after this many seconds [default: no limit].
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    seconds: Option<Duration>,
    /// Threads that prove together [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The most memory for the table, in bytes, as in 512M or 16G.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    table: usize,
    /// Print one JSON object: `position`, `settled`, `margin`, `lower`, `upper`, `nodes`, `seconds`,
    /// `lemmas`, `mistakes`.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum ProveCommand {
    Check(Check),
    Merge(Merge),
}

impl Prove {
    pub fn run(self) -> Result<(), Failure> {
        match (self.command, self.position, self.log) {
            (Some(ProveCommand::Check(check)), ..) => on_threads_of(check.threads, || check.run()),
            (Some(ProveCommand::Merge(merge)), ..) => merge.run(),
            (None, Some(state), Some(path)) => {
                let Prove { at_least, at_most, log_from, seconds, threads, table, json, .. } = self;
                let question = at_least.or(at_most.map(|margin| margin + 1));
                Run { state, path, question, log_from, seconds, threads, table, json }.run()
            }
            // The command line's definition requires both.
            (None, ..) => Err(Failure::input(anyhow::anyhow!("expected a position and --log"))),
        }
    }
}

/// A proof to be run.
struct Run {
    state: State,
    path: PathBuf,
    /// The question whether the margin is at least this, if it is the only one.
    question: Option<i32>,
    log_from: u64,
    seconds: Option<Duration>,
    threads: Option<u16>,
    table: usize,
    json: bool,
}

impl Run {
    fn run(self) -> Result<(), Failure> {
        let interrupted = interrupts()?;
        let Run { state, question, .. } = self;
        let mut log = open_log(&self.path, state.board())?;
        let mut solver = new_solver(state.board(), self.table, self.threads)?;
        solver.add_lemmas(&log.lemmas().by_work());
        solver.keep_lemmas(self.log_from);
        let start = Instant::now();
        let limits =
            Limits { nodes: u64::MAX, deadline: self.seconds.and_then(|seconds| start.checked_add(seconds)) };
        let label = self.state.to_string();
        let mut monitor = Monitor::new(&label, solver.handle(), state.board(), Some(&mut log));
        let mut observer = |progress: SolveProgress| monitor.show(progress) && !interrupted.load(Relaxed);
        let mut bounds = Bounds::of_state(state);
        let nodes = match question {
            None => {
                bounds = solver.bounds(state, 0, limits, &mut observer);
                solver.nodes()
            }
            Some(target) => {
                if let Some(reached) = solver.is_at_least(state, target, limits, &mut observer) {
                    bounds.answer(target, reached);
                }
                solver.nodes()
            }
        };
        let logged = monitor.end();
        let seconds = start.elapsed().as_secs_f64();
        let (Bounds { lower, upper }, mistakes) = (bounds, solver.expected_mistakes());
        let lemmas = log.lemmas().len();
        if self.json {
            print_json(&json!({
                "position": state.to_string(), "settled": lower == upper, "margin": bounds.margin(), "lower": lower,
                "upper": upper, "nodes": nodes, "seconds": seconds, "lemmas": lemmas, "mistakes": mistakes,
            }));
        } else {
            let value = match bounds.margin() {
                Some(margin) => format!("margin {margin:+}"),
                None => format!("margin {lower:+} to {upper:+}"),
            };
            print(format_args!(
                "{state}: {value} ({nodes} nodes, {seconds:.1} s, {lemmas} lemmas, {mistakes:.0e} mistakes of the table expected)\n"
            ));
        }
        logged?;
        not_interrupted(&interrupted)
    }
}

/// Returns a solver with a table of at most this many bytes, and no more positions than the board
/// has.
pub(super) fn new_solver(board: Board, table: usize, threads: Option<u16>) -> Result<ParallelSolver, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    // A small board has few positions. In a large table each of them would touch its own page.
    let positions = 1 << board.edges().min(usize::BITS as usize - 1);
    let entries = positions.min(Solver::entries_in(table));
    Solver::check_memory(entries).map_err(|error| {
        let bytes = Solver::table_bytes(entries);
        Failure::input(anyhow::anyhow!("--table: cannot allocate {bytes} bytes: {error}"))
    })?;
    Ok(ParallelSolver::new(board, entries, threads.map_or(cores, usize::from)))
}

/// Opens the log of a proof, and tells what is in it.
pub(super) fn open_log(path: &Path, board: Board) -> Result<ProofLog, Failure> {
    let log = ProofLog::open(path, board).map_err(log_failure)?;
    for (origin, error) in log.damaged() {
        print_line(format_args!("{origin}: left out: {error}"));
    }
    if !log.lemmas().is_empty() {
        print_notice(format_args!("{} lemmas in {}", log.lemmas().len(), path.display()));
    }
    Ok(log)
}

/// Returns the failure of a log.
pub(super) fn log_failure(error: LogError) -> Failure {
    match error {
        LogError::Contradiction(_) => Failure::damaged(error),
        error => Failure::input(error),
    }
}

fn parse_state(text: &str) -> Result<State, TextError> {
    text.parse()
}
