//! What is to be seen and saved while a long solve goes on.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::Failure;
use crate::board::{Board, format_edge};
use crate::solver::Reins;
use crate::stderr::tell;
use crate::team::{Glimpse, SnapshotError, save};

/// How often a plain line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(30);

/// Watches over one solve.
pub(super) struct Vigil<'a> {
    label: String,
    reins: Reins,
    board: Board,
    state: Option<(&'a Path, Duration)>,
    spinner: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
    last_save: Instant,
    saving: Option<JoinHandle<Result<(), SnapshotError>>>,
}

impl<'a> Vigil<'a> {
    pub fn new(label: &str, reins: Reins, board: Board, state: Option<(&'a Path, Duration)>) -> Vigil<'a> {
        let now = Instant::now();
        let spinner = stderr().is_terminal().then(ProgressBar::new_spinner);
        let (last_line, last_save) = (now, now);
        Vigil { label: label.into(), reins, board, state, spinner, start: now, last_line, last_save, saving: None }
    }

    /// Shows how far the solve has come, and starts to save its table when that is due.
    pub fn look(&mut self, glimpse: Glimpse) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(self.line(glimpse));
            spinner.tick();
        } else if self.last_line.elapsed() >= EVERY {
            self.last_line = Instant::now();
            tell(format_args!("{}", self.line(glimpse)));
        }
        if let Some((path, every)) = self.state
            && self.last_save.elapsed() >= every
            && self.saving.as_ref().is_none_or(JoinHandle::is_finished)
        {
            self.last_save = Instant::now();
            let (reins, board, path) = (self.reins.clone(), self.board, path.to_path_buf());
            self.saving = Some(std::thread::spawn(move || {
                save(&reins, board, &path).inspect_err(|error| tell(format_args!("cannot save the state: {error}")))
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
            Some((path, _)) => save(&self.reins, self.board, path).map_err(Failure::running),
            None => Ok(()),
        }
    }

    fn line(&self, glimpse: Glimpse) -> String {
        let Glimpse { nodes, lower, upper, edge } = glimpse;
        let seconds = self.start.elapsed().as_secs_f64();
        let part = edge.map(|edge| format!(" after {}", format_edge(self.board, edge))).unwrap_or_default();
        let tries: Vec<String> = self.reins.tries().iter().map(|one| format!("{}/{}", one.number, one.of)).collect();
        let tries = if tries.is_empty() { String::new() } else { format!(", at move {}", tries.join(" ")) };
        format!(
            "{}: margin{part} {lower:+} to {upper:+}{tries}, {:.1} M nodes, {:.2} M/s, {seconds:.0} s",
            self.label,
            nodes as f64 / 1e6,
            nodes as f64 / 1e6 / seconds.max(1e-3),
        )
    }
}
