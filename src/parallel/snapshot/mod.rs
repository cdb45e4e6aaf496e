//! Snapshots of a table on disk, from which a killed solve resumes.
//!
//! The first line of the file has its version, the board and the number of entries. [`blocks`]
//! follow, of which damaged ones are left out.

mod blocks;

use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::board::Board;
use crate::solver::{Solver, SolverHandle};

/// The start of the first line. Keys have a meaning for one version of the solver only.
const VERSION: &str = "doublecross solver table 4";

/// An error of a snapshot.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The path of the file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The path of the file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// Another process uses the file.
    #[error("{path} is in use by another solve; wait for it, or give this one another file")]
    Busy {
        /// The path of the file.
        path: String,
    },
    /// The file is not a table of this board.
    #[error("{path} is not a solver's table for {board}: it begins with `{found}`, expected `{VERSION} {board}`")]
    Foreign {
        /// The path of the file.
        path: String,
        /// The board that is being solved.
        board: String,
        /// The start of the file.
        found: String,
    },
    /// The table has another size.
    #[error(
        "{path} holds a table of {found} entries, and the one to fill has {expected}; use --table {} (bytes)",
        found * Solver::ENTRY_BYTES as u64
    )]
    Size {
        /// The path of the file.
        path: String,
        /// The number of entries of the snapshot.
        found: u64,
        /// The number of entries of the table.
        expected: u64,
    },
}

/// Saves the table. The file is written under a temporary name and then renamed, so an older
/// snapshot remains until the new one is complete.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn save(handle: &SolverHandle, board: Board, path: &Path) -> Result<(), SnapshotError> {
    let failed = |error| SnapshotError::Write { path: path.display().to_string(), error };
    let name = name_with(path, ".new");
    let write = || {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&name)?);
        writeln!(file, "{VERSION} {board} {}", handle.entries())?;
        blocks::write(&mut file, handle.words())?;
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&name, path)
    };
    write().map_err(failed)
}

/// Returns the name of a file beside a snapshot.
fn name_with(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(extension);
    name.into()
}

/// The right of this process to a snapshot's file, until it is dropped.
#[derive(Debug)]
pub struct SnapshotLock(#[expect(dead_code, reason = "held")] File);

/// Locks a snapshot's file for this process, and checks that [`save`] can write there, before there
/// is anything to lose.
///
/// # Errors
/// Returns an error if another process holds the lock, or a file cannot be written.
pub fn lock(path: &Path) -> Result<SnapshotLock, SnapshotError> {
    let failed = |error| SnapshotError::Write { path: path.display().to_string(), error };
    let file = File::options().create(true).append(true).open(name_with(path, ".lock")).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(SnapshotError::Busy { path: path.display().to_string() }),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let name = name_with(path, ".new");
    File::create(&name).and_then(|_| std::fs::remove_file(&name)).map_err(failed)?;
    Ok(SnapshotLock(file))
}

/// Fills the table from a snapshot and returns the number of entries taken over, which is 0 if
/// there is no such file.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a snapshot of this board, or is of a table
/// of another size.
pub fn load(handle: &SolverHandle, board: Board, path: &Path) -> Result<usize, SnapshotError> {
    let failed = |error| SnapshotError::Read { path: path.display().to_string(), error };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        file => file.map_err(failed)?,
    };
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut line = Vec::new();
    file.by_ref().take(200).read_until(b'\n', &mut line).map_err(failed)?;
    let line = String::from_utf8_lossy(&line).trim_end().to_string();
    let entries = line.strip_prefix(&format!("{VERSION} {board} ")).and_then(|entries| entries.parse::<u64>().ok());
    let Some(found) = entries else {
        let found = line.chars().take(60).collect();
        return Err(SnapshotError::Foreign { path: path.display().to_string(), board: board.to_string(), found });
    };
    let expected = handle.entries() as u64;
    if found != expected {
        return Err(SnapshotError::Size { path: path.display().to_string(), found, expected });
    }
    let mut blocks = blocks::Words::new(&mut file, found);
    let taken = handle.restore(&mut blocks);
    match blocks.error {
        Some(error) => Err(failed(error)),
        None => Ok(taken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::State;

    /// The number of entries that a solver's table uses.
    fn used(solver: &Solver) -> usize {
        solver.handle().words().filter(|word| *word != 0).count()
    }

    #[test]
    fn a_file_has_one_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let held = lock(&path).unwrap();
        assert!(matches!(lock(&path), Err(SnapshotError::Busy { .. })));
        drop(held);
        lock(&path).unwrap();
    }

    #[test]
    fn a_solver_resumes_from_a_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 14);
        assert_eq!(load(&solver.handle(), board, &path).unwrap(), 0);
        assert_eq!(solver.margin(State::new(board), u64::MAX), Some(-3));
        let fresh = solver.nodes();
        save(&solver.handle(), board, &path).unwrap();

        let mut again = Solver::new(board, 1 << 14);
        let known = load(&again.handle(), board, &path).unwrap();
        assert!(known > 1000);
        assert_eq!(again.margin(State::new(board), u64::MAX), Some(-3));
        assert!(again.nodes() < fresh / 10, "{} {fresh}", again.nodes());

        // A damaged byte costs a block, but never a wrong answer.
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged.iter_mut().skip(100).step_by(20_000).for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&path, &damaged[..damaged.len() - 1001]).unwrap();
        let mut again = Solver::new(board, 1 << 14);
        let taken = load(&again.handle(), board, &path).unwrap();
        assert!((known / 4..known).contains(&taken), "{taken} {known}");
        assert_eq!(again.margin(State::new(board), u64::MAX), Some(-3));

        // A file grows with the entries that are used.
        let large = Solver::new(board, 1 << 22);
        load(&large.handle(), board, &path).unwrap_err();
        let mut large = Solver::new(board, 1 << 22);
        assert_eq!(large.margin(State::new(board), u64::MAX), Some(-3));
        save(&large.handle(), board, &path).unwrap();
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size < (1 << 22) * 8 / 8, "{size} bytes");
        assert_eq!(load(&Solver::new(board, 1 << 22).handle(), board, &path).unwrap(), used(&large));

        std::fs::write(&path, &whole).unwrap();
        let error = load(&Solver::new(board, 1 << 15).handle(), board, &path).unwrap_err().to_string();
        assert!(error.contains("--table"), "{error}");
        let other = Board::new(2, 3).unwrap();
        let error = load(&Solver::new(other, 1 << 14).handle(), other, &path).unwrap_err().to_string();
        assert!(error.contains("3x3") && error.contains("2x3"), "{error}");
    }
}
