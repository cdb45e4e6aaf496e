//! Logs of proofs, and solvers with tables of a given size, as several commands use them.

use std::path::{Path, PathBuf};

use crate::cli::terminal::count::counted;
use doublecross_core::board::Board;
use doublecross_core::shell::shell_word;
use doublecross_core::solver::Solver;
use doublecross_files::is_out_of_space;
use doublecross_proof::parallel::ParallelSolver;
use doublecross_proof::{Claim, DamagedLines, LemmaSet, LogError, ProofLog, board_of};

use crate::cli::Failure;
use crate::cli::terminal::stderr::{print_line, print_notice};

/// Returns a solver with a table of at most this many bytes, and no more positions than the board
/// has.
pub(crate) fn new_solver(board: Board, table: usize, threads: Option<u16>) -> Result<ParallelSolver, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let entries = ParallelSolver::entries_for(board, table);
    Solver::check_memory(entries).map_err(|error| {
        let bytes = Solver::table_bytes(entries);
        Failure::input(anyhow::anyhow!("--table: cannot allocate {bytes} bytes: {error}"))
    })?;
    Ok(ParallelSolver::new(board, entries, threads.map_or(cores, usize::from)))
}

/// Opens the log of a proof, and prints what it holds.
pub(crate) fn open_log(path: &Path, board: Board) -> Result<ProofLog, Failure> {
    let log = ProofLog::open(path, board).map_err(log_failure)?;
    print_damaged(log.damaged());
    if !log.lemmas().is_empty() {
        let (lemmas, path) = (counted(log.lemmas().len(), "lemma"), shell_word(path));
        print_notice(format_args!(
            "{path} has {lemmas}, which are believed (`doublecross prove check {path}` checks them)"
        ));
    }
    Ok(log)
}

/// Prints the first damaged lines of logs, and how many more there are.
pub(crate) fn print_damaged(damaged: &DamagedLines) {
    for (origin, error) in damaged.first() {
        print_line(format_args!("{origin}: left out: {error}"));
    }
    match damaged.count() - damaged.first().len() {
        0 => {}
        more => print_line(format_args!("{more} more damaged lines: left out")),
    }
}

/// Returns the board of the first of these logs that has a lemma, or `None` if all are empty.
///
/// # Errors
/// Returns an error if the logs have lines, and none of them is a lemma.
pub(crate) fn board_of_logs(paths: &[PathBuf]) -> Result<Option<Board>, Failure> {
    for path in paths {
        if let Some(board) = board_of(path).map_err(log_failure)? {
            return Ok(Some(board));
        }
    }
    // Lines that are no lemmas are read for any board.
    let (mut damaged, any) = (DamagedLines::default(), Board::new(1, 1).map_err(Failure::running)?);
    for path in paths {
        damaged.extend(LemmaSet::new(any).read(path).map_err(log_failure)?);
    }
    let Some((origin, error)) = damaged.first().first() else { return Ok(None) };
    let lines = damaged.count();
    Err(Failure::damaged(anyhow::anyhow!(
        "there are no lemmas, and {lines} lines of something else; {origin}: {error}"
    )))
}

/// Returns the error of logs that are empty.
pub(crate) fn no_lemmas(paths: &[PathBuf]) -> anyhow::Error {
    let names = paths.iter().map(shell_word).collect::<Vec<_>>().join(", ");
    anyhow::anyhow!("{names}: no lemma (what took fewer nodes than --log-from is not logged)")
}

/// Checks that no claim is assumed that another lemma refutes.
///
/// # Errors
/// Returns an error if one is.
pub(crate) fn check_refuted(refuted: &[Claim]) -> Result<(), Failure> {
    match refuted.first() {
        None => Ok(()),
        Some(claim) => Err(Failure::damaged(anyhow::anyhow!(
            "the lemmas contradict each other: one needs that {claim}, and another one refutes it"
        ))),
    }
}

/// Returns the failure of a log.
pub(crate) fn log_failure(error: LogError) -> Failure {
    match error {
        LogError::Contradiction(_) => Failure::damaged(error),
        // A path that cannot be written is refused, a disk that fills is not.
        LogError::Write { error: ref cause, .. } if is_out_of_space(cause) => Failure::running(error),
        error => Failure::input(error),
    }
}
