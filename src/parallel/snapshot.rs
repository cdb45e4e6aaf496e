//! Snapshots of a table on disk, from which a killed solve resumes.
//!
//! The first line of the file has its version, the board and the number of entries. A little-endian
//! word for each entry follows, and after each block of them a checksum. A block that does not
//! match its checksum is left out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::board::Board;
use crate::mix::split_mix;
use crate::solver::SolverHandle;

/// The start of the first line. Keys have a meaning for one version of the solver only.
const VERSION: &str = "doublecross solver table 3";

/// The number of entries of a block.
const BLOCK: usize = 512;

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
    #[error("{path} holds a table of {found} entries, and the one to fill has {expected}; use the same --table")]
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
    let name = temporary_name(path);
    let write = || {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&name)?);
        writeln!(file, "{VERSION} {board} {}", handle.entries())?;
        let mut words = handle.words();
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            block.clear();
            block.extend(words.by_ref().take(BLOCK));
            if block.is_empty() {
                break;
            }
            for word in block.iter().copied().chain([checksum(&block)]) {
                file.write_all(&word.to_le_bytes())?;
            }
        }
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&name, path)
    };
    write().map_err(failed)
}

/// Returns the temporary name of a snapshot.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Checks that [`save`] can write here, before there is anything to lose.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn check_saving(path: &Path) -> Result<(), SnapshotError> {
    let name = temporary_name(path);
    let written = File::create(&name).and_then(|_| std::fs::remove_file(&name));
    written.map_err(|error| SnapshotError::Write { path: path.display().to_string(), error })
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
    let mut error = None;
    let blocks = (0..expected.div_ceil(BLOCK as u64)).map_while(|block| {
        let entries = (expected - block * BLOCK as u64).min(BLOCK as u64) as usize;
        read_block(&mut file, entries).map_err(|failure| error = Some(failure)).ok()
    });
    let taken = handle.restore(blocks.flatten());
    match error {
        // The file is truncated. The entries that it has are still true.
        Some(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(failed(error)),
        _ => Ok(taken),
    }
}

/// Reads the words of a block, or zeros if it is damaged.
fn read_block(file: &mut impl Read, entries: usize) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; (entries + 1) * 8];
    file.read_exact(&mut bytes)?;
    let mut words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let stored = words.pop();
    if stored != Some(checksum(&words)) {
        words.fill(0);
    }
    Ok(words)
}

/// Returns the checksum of a block. It changes if one word does, and almost always if several do.
fn checksum(block: &[u64]) -> u64 {
    block.iter().fold(block.len() as u64, |state, word| split_mix(state ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::State;
    use crate::solver::Solver;

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
        damaged.iter_mut().skip(100).step_by(3 * 8 * BLOCK).for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&path, &damaged[..damaged.len() - 1001]).unwrap();
        let mut again = Solver::new(board, 1 << 14);
        let taken = load(&again.handle(), board, &path).unwrap();
        assert!((100..known * 3 / 4).contains(&taken), "{taken} {known}");
        assert_eq!(again.margin(State::new(board), u64::MAX), Some(-3));

        std::fs::write(&path, &whole).unwrap();
        let error = load(&Solver::new(board, 1 << 15).handle(), board, &path).unwrap_err().to_string();
        assert!(error.contains("--table"), "{error}");
        let other = Board::new(2, 3).unwrap();
        let error = load(&Solver::new(other, 1 << 14).handle(), other, &path).unwrap_err().to_string();
        assert!(error.contains("3x3") && error.contains("2x3"), "{error}");
    }
}
