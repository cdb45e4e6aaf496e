//! The monitor of a solve: its progress line, and regular saves of its table.

use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::Failure;
use crate::board::Board;
use crate::parallel::{SnapshotError, SolveProgress, save};
use crate::solver::{Bounds, MoveProgress, SolverHandle};
use crate::stderr::{print_line, print_notice, shows_bars};

/// The time between plain progress lines, which are written if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// The progress of one solve, which is shown and saved.
pub(super) struct Monitor<'a> {
    label: String,
    handle: SolverHandle,
    board: Board,
    /// The file in which the table is saved, and the time between saves.
    state: Option<(&'a Path, Duration)>,
    /// The progress line, if stderr is a terminal.
    spinner: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
    last_save: Instant,
    /// The thread of the last save.
    saving: Option<JoinHandle<Result<(), SnapshotError>>>,
}

impl<'a> Monitor<'a> {
    /// Returns the monitor of a solve that has just begun.
    pub fn new(label: &str, handle: SolverHandle, board: Board, state: Option<(&'a Path, Duration)>) -> Monitor<'a> {
        let now = Instant::now();
        let spinner = shows_bars().then(ProgressBar::new_spinner);
        let (last_line, last_save) = (now, now);
        Monitor { label: label.into(), handle, board, state, spinner, start: now, last_line, last_save, saving: None }
    }

    /// Shows the progress of the solve, and starts a save of its table if one is due.
    pub fn show(&mut self, progress: SolveProgress) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(self.line(progress));
            spinner.tick();
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            print_notice(format_args!("{}", self.line(progress)));
        }
        if let Some((path, every)) = self.state
            && self.last_save.elapsed() >= every
            && self.saving.as_ref().is_none_or(JoinHandle::is_finished)
        {
            self.last_save = Instant::now();
            let (handle, board, path) = (self.handle.clone(), self.board, path.to_path_buf());
            let save = move || {
                save(&handle, board, &path)
                    .inspect_err(|error| print_line(format_args!("cannot save the state: {error}")))
            };
            // Without a thread the state is saved at the end alone.
            match std::thread::Builder::new().name("save".into()).spawn(save) {
                Ok(saving) => self.saving = Some(saving),
                Err(error) => print_line(format_args!("cannot save the state now: {error}")),
            }
        }
    }

    /// Removes the progress line, and saves the table for the last time.
    pub fn end(&mut self) -> Result<(), Failure> {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
        if let Some(saving) = self.saving.take() {
            // Its error has been printed already. The last save decides.
            let _ = saving.join();
        }
        match self.state {
            Some((path, _)) => save(&self.handle, self.board, path).map_err(Failure::running),
            None => Ok(()),
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
        format!(
            "{}: margin{part} {lower:+} to {upper:+}{moves}, {:.1} M nodes, {:.2} M/s, {seconds:.0} s",
            self.label,
            nodes as f64 / 1e6,
            nodes as f64 / 1e6 / seconds.max(1e-3),
        )
    }
}
