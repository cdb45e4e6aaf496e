//! The monitor of a solve: its progress line, and the log of its lemmas.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use crate::cli::Failure;
use crate::cli::terminal::stderr::{print_notice, shows_bars};
use doublecross_core::board::Board;
use doublecross_core::solver::{Bounds, MoveProgress, SolverHandle};
use doublecross_proof::parallel::SolveProgress;
use doublecross_proof::{LogError, ProofLog};

/// The time between plain progress lines, which are written if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// The time after which lemmas in a log are on the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(60);

/// The progress of one solve, which is shown and logged.
pub(crate) struct Monitor<'a> {
    label: String,
    handle: SolverHandle,
    board: Board,
    log: Option<&'a mut ProofLog>,
    /// The first error of the log.
    error: Option<LogError>,
    lemmas: usize,
    /// The progress line, if stderr is a terminal.
    spinner: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
    last_sync: Instant,
}

impl<'a> Monitor<'a> {
    /// Returns the monitor of a solve that has just begun.
    pub fn new(label: &str, handle: SolverHandle, board: Board, log: Option<&'a mut ProofLog>) -> Monitor<'a> {
        let now = Instant::now();
        let spinner = shows_bars().then(ProgressBar::new_spinner);
        let (error, lemmas) = (None, 0);
        Monitor {
            label: label.into(),
            handle,
            board,
            log,
            error,
            lemmas,
            spinner,
            start: now,
            last_line: now,
            last_sync: now,
        }
    }

    /// Shows the progress of the solve and logs its lemmas. Returns `false` if the log cannot be
    /// written or is contradicted, so that the solve should end.
    pub fn show(&mut self, progress: SolveProgress) -> bool {
        self.write_log();
        if let Some(spinner) = &self.spinner {
            spinner.set_message(self.line(progress));
            spinner.tick();
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            print_notice(format_args!("{}", self.line(progress)));
        }
        self.error.is_none()
    }

    /// Removes the progress line, and writes the rest of the log.
    pub fn end(&mut self) -> Result<(), Failure> {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
        self.write_log();
        if let (Some(log), None) = (&self.log, &self.error) {
            self.error = log.sync().err();
        }
        self.error.take().map_or(Ok(()), |error| Err(Failure::running(error)))
    }

    fn write_log(&mut self) {
        let (Some(log), None) = (&mut self.log, &self.error) else { return };
        match log.append(&self.handle.take_lemmas()) {
            Ok(added) => self.lemmas += added,
            Err(error) => self.error = Some(error),
        }
        if self.error.is_none() && self.last_sync.elapsed() >= SYNC_INTERVAL {
            self.last_sync = Instant::now();
            self.error = log.sync().err();
        }
    }

    /// Formats the progress line.
    fn line(&self, progress: SolveProgress) -> String {
        let SolveProgress { nodes, bounds: Bounds { lower, upper }, edge } = progress;
        let seconds = self.start.elapsed().as_secs_f64();
        let part = edge.map(|edge| format!(" after {}", self.board.edge_name(edge))).unwrap_or_default();
        let moves = self.handle.move_progress();
        let moves: Vec<String> = moves.iter().map(|MoveProgress { number, of }| format!("{number}/{of}")).collect();
        let moves = if moves.is_empty() { String::new() } else { format!(", at move {}", moves.join(" ")) };
        let lemmas = if self.log.is_some() { format!(", {} lemmas", self.lemmas) } else { String::new() };
        format!(
            "{}: margin{part} {lower:+} to {upper:+}{moves}{lemmas}, {:.1} M nodes, {:.2} M/s, {seconds:.0} s",
            self.label,
            nodes as f64 / 1e6,
            nodes as f64 / 1e6 / seconds.max(1e-3),
        )
    }
}
