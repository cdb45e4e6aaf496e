//! The monitor of a long solve: its progress line and its saves.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::Failure;
use crate::board::Board;
use crate::parallel::{SnapshotError, SolveProgress, save};
use crate::solver::{Bounds, MoveProgress, SolverHandle};
use crate::stderr::print_line;

/// How often a plain line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(30);

/// Shows and saves the progress of one solve.
pub(super) struct Monitor<'a> {
    label: String,
    handle: SolverHandle,
    board: Board,
    state: Option<(&'a Path, Duration)>,
    spinner: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
    last_save: Instant,
    saving: Option<JoinHandle<Result<(), SnapshotError>>>,
}

impl<'a> Monitor<'a> {
    pub fn new(label: &str, handle: SolverHandle, board: Board, state: Option<(&'a Path, Duration)>) -> Monitor<'a> {
        let now = Instant::now();
        let spinner = stderr().is_terminal().then(ProgressBar::new_spinner);
        let (last_line, last_save) = (now, now);
        Monitor { label: label.into(), handle, board, state, spinner, start: now, last_line, last_save, saving: None }
    }

    /// Shows how far the solve has come, and starts to save its table when that is due.
    pub fn show(&mut self, progress: SolveProgress) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(self.line(progress));
            spinner.tick();
        } else if self.last_line.elapsed() >= EVERY {
            self.last_line = Instant::now();
            print_line(format_args!("{}", self.line(progress)));
        }
        if let Some((path, every)) = self.state
            && self.last_save.elapsed() >= every
            && self.saving.as_ref().is_none_or(JoinHandle::is_finished)
        {
            self.last_save = Instant::now();
            let (handle, board, path) = (self.handle.clone(), self.board, path.to_path_buf());
            self.saving = Some(std::thread::spawn(move || {
                save(&handle, board, &path)
                    .inspect_err(|error| print_line(format_args!("cannot save the state: {error}")))
            }));
        }
    }

    /// Ends the show and saves the table a last time.
    pub fn end(&mut self) -> Result<(), Failure> {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
        if let Some(saving) = self.saving.take() {
            // Its error has been told; what counts is whether the last save goes well.
            let _ = saving.join();
        }
        match self.state {
            Some((path, _)) => save(&self.handle, self.board, path).map_err(Failure::running),
            None => Ok(()),
        }
    }

    fn line(&self, progress: SolveProgress) -> String {
        let SolveProgress { nodes, bounds: Bounds { lower, upper }, edge } = progress;
        let seconds = self.start.elapsed().as_secs_f64();
        let part = edge.map(|edge| format!(" after {}", self.board.edge_name(edge))).unwrap_or_default();
        let moves = self.handle.move_progress();
        let moves: Vec<String> = moves.iter().map(|MoveProgress { number, of }| format!("{number}/{of}")).collect();
        let moves = if moves.is_empty() { String::new() } else { format!(", at move {}", moves.join(" ")) };
        format!(
            "{}: margin{part} {lower:+} to {upper:+}{moves}, {:.1} M nodes, {:.2} M/s, {seconds:.0} s",
            self.label,
            nodes as f64 / 1e6,
            nodes as f64 / 1e6 / seconds.max(1e-3),
        )
    }
}
