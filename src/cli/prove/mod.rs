//! `doublecross prove`: proofs that outlast the process, and their checks.

mod check;
pub(crate) mod claims;
mod goal;
pub(crate) mod logs;
mod merge;
pub(crate) mod report;
pub(crate) mod workers;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::prove::check::{Check, claimed};
use crate::cli::prove::goal::{Goal, parse_margin};
use crate::cli::prove::logs::{log_failure, new_solver, open_log};
use crate::cli::prove::merge::Merge;
use crate::cli::prove::report::follows_from;
use crate::cli::prove::workers::{Found, Workers};
use crate::cli::solve::parse_state;
use crate::cli::terminal::count::counted;
use crate::cli::terminal::monitor::Monitor;
use crate::cli::terminal::stderr::print_notice;
use crate::cli::terminal::threads::{on_threads, threads};
use crate::cli::terminal::values::{parse_seconds, parse_size};
use crate::cli::{Failure, interrupts, not_interrupted, print, print_json};
use doublecross_core::board::State;
use doublecross_core::shell::shell_word;
use doublecross_core::solver::{Bounds, Lemma};
use doublecross_proof::parallel::{Limits, ParallelSolver, SolveProgress};
use doublecross_proof::{Assumption, ProofLog};

/// Prove the value of a board, over days and machines, in a log that anyone can check.
///
/// Results that took long to prove are appended to the log: a position, bounds of its margin and the
/// nodes of the search. When the command is run again it goes on from there, and believes the log. `prove merge`
/// adds the logs of other machines, and `prove check` derives the value from a log without the solver.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  doublecross prove 4x4 --log 4x4.log
  doublecross prove check 4x4.log
  doublecross prove 4x5 --log 4x5.log --table 16G
  doublecross prove 4x5 --log 4x5.log --at-most 0
  doublecross prove 4x5:0x2800 4x5 --log 4x5.log --at-most 0

The first takes a minute, the third hours; it goes on when it is run again. The
last two prove one half of it, the last one first after two edges.

With --at, the exit status is 5 if the result follows from claims that were not
solved again (prove check solves them), and 3 if one of them took 1000 times
the nodes that its worker stated, without an answer.")]
pub(crate) struct Prove {
    #[command(subcommand)]
    command: Option<ProveCommand>,
    /// Positions of one board, RxC for the empty board, RxC:0xMASK, or a game that leads to one; several are
    /// proved one after the other with one table.
    #[arg(value_name = "POSITION", required = true, value_parser = parse_state)]
    positions: Vec<State>,
    /// The log. It is created if it does not exist.
    #[arg(long, value_name = "FILE", required = true)]
    log: Option<PathBuf>,
    /// Prove only that the margin is at least this, or that it is not.
    #[arg(long, value_name = "M", conflicts_with = "at_most", value_parser = parse_margin)]
    at_least: Option<i32>,
    /// Prove only that the margin is at most this, or that it is not.
    #[arg(long, value_name = "M", value_parser = parse_margin)]
    at_most: Option<i32>,
    /// Log results that took this many nodes or more, and after them what was asked for.
    #[arg(long, value_name = "N", default_value = "65536", value_parser = clap::value_parser!(u64).range(1..))]
    log_from: u64,
    /// Stop after this many seconds, for all positions together [default: no limit].
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    seconds: Option<Duration>,
    /// Threads that prove together [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
    /// The most memory for the table, in bytes, as in 512M or 16G.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    table: usize,
    /// The server at which workers take questions about one position, HOST or HOST:PORT; this machine
    /// proves nothing then.
    #[arg(long, value_name = "URL", requires = "key", conflicts_with_all = ["seconds", "threads", "table"])]
    at: Option<String>,
    /// The coordinator's key to the server.
    #[arg(long, value_name = "FILE", requires = "at")]
    key: Option<PathBuf>,
    /// Print one JSON object for each position: `position`, `settled`, `margin`, `lower`, `upper`,
    /// `nodes`, `seconds`, `lemmas`, `believed` (those that were in the log before), `question` (`at_least` or `at_most`, and the `answer`, null if it
    /// is not known) with --at-least or --at-most; `mistakes` without --at: those of the table that are
    /// expected in the position's nodes; with --at, unless everything is proved, `conclusion`,
    /// `assumed` and `claimed`, as of `prove check`.
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
        match (self.command, self.positions.first(), self.log) {
            (Some(ProveCommand::Check(check)), ..) => on_threads(check.threads, || check.run()),
            (Some(ProveCommand::Merge(merge)), ..) => merge.run(),
            (None, Some(&first), Some(path)) => {
                let Prove { at_least, at_most, log_from, seconds, threads, table, json, .. } = self;
                if self.at.is_some() && self.positions.len() > 1 {
                    return Err(Failure::input(anyhow::anyhow!("--at takes one position at a time")));
                }
                let goal = |&state: &State| match state.board() == first.board() {
                    true => Goal::new(state, at_least, at_most),
                    false => Err(Failure::input(anyhow::anyhow!(
                        "a proof is for one board: the first position is on {}, and another on {} (prove each board by \
                         itself, with its own log)",
                        first.board(),
                        state.board()
                    ))),
                };
                let goals = self.positions.iter().map(goal).collect::<Result<Vec<Goal>, Failure>>()?;
                // Before anything is written.
                let workers = self.at.zip(self.key).map(|(address, key)| workers_at(&address, &key)).transpose()?;
                Run { goals, path, log_from, seconds, threads, table, workers, json }.run()
            }
            // The command line's definition requires both.
            (None, ..) => Err(Failure::input(anyhow::anyhow!("a position and --log are missing"))),
        }
    }
}

/// Returns the workers at a server, once it was reached with the key in a file.
#[cfg(feature = "fleet")]
fn workers_at(address: &str, key: &Path) -> Result<Box<dyn Workers>, Failure> {
    Ok(Box::new(super::fleet::link::FleetLink::reach(address, key)?))
}

/// Returns the failure of a program that was built without fleets.
#[cfg(not(feature = "fleet"))]
fn workers_at(address: &str, _: &Path) -> Result<Box<dyn Workers>, Failure> {
    Err(Failure::input(anyhow::anyhow!("--at {address}: {}", crate::cli::WITHOUT_FLEET)))
}

/// Proofs to be run one after the other.
struct Run {
    /// The goals, which are of one board.
    goals: Vec<Goal>,
    path: PathBuf,
    log_from: u64,
    seconds: Option<Duration>,
    threads: Option<u16>,
    table: usize,
    /// The workers at a server, which prove instead of this machine.
    workers: Option<Box<dyn Workers>>,
    json: bool,
}

/// The result of a proof.
struct Proved {
    bounds: Bounds,
    nodes: u64,
    /// The mistakes that the table is expected to have made in these nodes, if it is this machine's.
    mistakes: Option<f64>,
    /// The number of claims of other machines that the bounds follow from, and that are not proved.
    assumed: usize,
    /// The end of the proof, once its result is printed.
    ended: Result<(), Failure>,
}

impl Proved {
    fn new(bounds: Bounds, nodes: u64) -> Proved {
        Proved { bounds, nodes, mistakes: None, assumed: 0, ended: Ok(()) }
    }
}

impl Run {
    fn run(self) -> Result<(), Failure> {
        let interrupted = interrupts()?;
        let mut log = open_log(&self.path, self.goals[0].state.board())?;
        let believed = log.lemmas().len();
        let deadline = self.seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        let ended = self.prove_all(&mut log, believed, deadline, &interrupted);
        if log.lemmas().is_empty() && self.workers.is_none() && (ended.is_ok() || interrupted.load(Relaxed)) {
            print_notice(format_args!(
                "the log is empty: nothing took {} nodes; a smaller --log-from logs more",
                self.log_from
            ));
        }
        if interrupted.load(Relaxed) {
            print_notice(format_args!("the same command goes on from {}", shell_word(&self.path)));
        }
        ended
    }

    /// Proves one position after the other, and prints what comes out. So many lemmas of the log are
    /// believed. Nothing is begun after the deadline.
    fn prove_all(
        &self,
        log: &mut ProofLog,
        believed: usize,
        deadline: Option<Instant>,
        interrupted: &AtomicBool,
    ) -> Result<(), Failure> {
        // Made by the first position that needs it.
        let mut solver = None;
        for (index, &goal) in self.goals.iter().enumerate() {
            if index > 0 && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let left = self.goals.len() - index;
                print_notice(format_args!("the seconds are used up; positions that were not begun: {left}"));
                return Ok(());
            }
            let (start, state) = (Instant::now(), goal.state);
            let proved = match &self.workers {
                _ if goal.is_trivial() => Proved::new(Bounds::of_state(state), 0),
                None => {
                    let solver = match &mut solver {
                        Some(solver) => solver,
                        none => none.insert(self.solver()?),
                    };
                    prove_here(goal, solver, log, deadline, interrupted)
                }
                Some(workers) => {
                    if !state.is_capture_free() {
                        return Err(Failure::input(anyhow::anyhow!(
                            "{state} has boxes on offer: workers prove positions without (take the boxes first)"
                        )));
                    }
                    let question = (state, goal.target(), self.log_from);
                    let Found { bounds, nodes, assumed, understated } = workers.prove(log, question, interrupted)?;
                    let ended = not_interrupted(interrupted).and_then(|()| self.assumed(&assumed, &understated));
                    Proved { assumed: assumed.len(), ended, ..Proved::new(bounds, nodes) }
                }
            };
            // The log may know more than the question asked for.
            let bounds = proved.bounds.intersect(log.lemmas().bounds_of_any(state));
            let proved = Proved { bounds, ..proved };
            self.print_result(goal, &proved, start.elapsed(), [log.lemmas().len(), believed]);
            proved.ended?;
            not_interrupted(interrupted)?;
        }
        Ok(())
    }

    /// Returns a solver with an empty table, which keeps lemmas.
    fn solver(&self) -> Result<ParallelSolver, Failure> {
        let mut solver = new_solver(self.goals[0].state.board(), self.table, self.threads)?;
        solver.keep_lemmas(self.log_from);
        Ok(solver)
    }

    /// Returns the failure that assumed claims of workers are, if there are some.
    fn assumed(&self, assumed: &[Assumption], understated: &[Assumption]) -> Result<(), Failure> {
        let log = shell_word(&self.path);
        match (assumed.len(), understated.first()) {
            (0, _) => Ok(()),
            (number, None) => Err(Failure::Assumed(anyhow::anyhow!(
                "not proved: claims that were not proved again: {number} (solve them with `doublecross prove check {log}`)"
            ))),
            (_, Some(first)) => Err(Failure::damaged(anyhow::anyhow!(
                "claims that take far more than the log states: {}, which count as false until they are solved; the \
                 first: {first} (prove their positions in a log of its own)",
                understated.len()
            ))),
        }
    }

    fn print_result(&self, goal: Goal, proved: &Proved, time: Duration, [lemmas, believed]: [usize; 2]) {
        let (&Proved { bounds, nodes, mistakes, assumed, .. }, seconds) = (proved, time.as_secs_f64());
        if self.json {
            let is_proved = assumed == 0;
            let mut object = Value::Object(goal.fields(if is_proved { bounds } else { Bounds::of_state(goal.state) }));
            if !is_proved {
                object["conclusion"] = json!(follows_from(assumed));
                object["assumed"] = json!(assumed);
                object["claimed"] = claimed(bounds);
            }
            object["nodes"] = json!(nodes);
            object["seconds"] = json!(seconds);
            object["lemmas"] = json!(lemmas);
            object["believed"] = json!(believed);
            if let Some(mistakes) = mistakes {
                object["mistakes"] = json!(mistakes);
            }
            return print_json(&object);
        }
        let mistakes = mistakes.map(|mistakes| format!(", {mistakes:.0e} mistakes of the table expected in these"));
        let (mut words, mistakes) = (goal.words(bounds), mistakes.unwrap_or_default());
        if assumed > 0 {
            words =
                words.lines().map(|line| format!("{line} {}", follows_from(assumed))).collect::<Vec<_>>().join("\n");
        }
        let lemmas = match believed {
            0 => counted(lemmas, "lemma"),
            believed => format!("{}, {believed} of them believed", counted(lemmas, "lemma")),
        };
        let nodes = counted(nodes, "node");
        print(format_args!("{words} ({lemmas}; {nodes}, {seconds:.1} s{mistakes})\n"));
    }
}

/// Proves a position on this machine, with what the log and the solver's table know.
fn prove_here(
    goal: Goal,
    solver: &mut ParallelSolver,
    log: &mut ProofLog,
    deadline: Option<Instant>,
    interrupted: &AtomicBool,
) -> Proved {
    let (state, before) = (goal.state, solver.expected_mistakes());
    solver.add_lemmas(&log.lemmas().by_work());
    let limits = Limits { nodes: u64::MAX, deadline };
    let label = state.to_string();
    let mut monitor = Monitor::new(&label, solver.handle(), state.board(), Some(log));
    let mut observer = |progress: SolveProgress| monitor.show(progress) && !interrupted.load(Relaxed);
    let bounds = match goal.target() {
        None => solver.bounds(state, 0, limits, &mut observer),
        Some(target) => {
            let mut bounds = Bounds::of_state(state);
            if let Some(reached) = solver.is_at_least(state, target, limits, &mut observer) {
                bounds.answer(target, reached);
            }
            bounds
        }
    };
    let nodes = solver.nodes();
    let logged = monitor.end().and_then(|()| log_result(state, bounds, nodes, log));
    let mistakes = solver.expected_mistakes() - before;
    Proved { mistakes: Some(mistakes), ended: logged, ..Proved::new(bounds, nodes) }
}

/// Appends the result of a proof to a log that has lemmas, even if it took few nodes because most
/// was known. So a check finds where to begin.
fn log_result(state: State, bounds: Bounds, nodes: u64, log: &mut ProofLog) -> Result<(), Failure> {
    if log.lemmas().is_empty() || bounds == Bounds::of_state(state) || !state.is_capture_free() {
        return Ok(());
    }
    let lemma = Lemma { state, bounds, nodes: nodes.max(1) };
    log.append(&[lemma]).and_then(|_| log.sync()).map_err(log_failure)
}
