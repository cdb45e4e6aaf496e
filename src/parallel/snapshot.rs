//! A table on disk: what a killed solve goes on from.
//!
//! A line says what the table is about and how large it is; a little-endian word for each entry follows, and after each
//! block of them a word that tells whether the block is whole. One that is not is left out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::board::Board;
use crate::mix::split_mix;
use crate::solver::SolverHandle;

/// What is at the head of the first line. Keys mean something to one version of the solver alone.
const VERSION: &str = "doublecross solver table 3";

/// Entries of a block.
const BLOCK: usize = 512;

/// Why a snapshot cannot be used.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// The file is something else.
    #[error("{path} is not a solver's table for {board}: it begins with `{found}`, expected `{VERSION} {board}`")]
    Foreign {
        /// The file.
        path: String,
        /// The board that is being solved.
        board: String,
        /// What is there.
        found: String,
    },
    /// The table is of another size.
    #[error("{path} holds a table of {found} entries, and the one to fill has {expected}; use the same --table")]
    Size {
        /// The file.
        path: String,
        /// Entries of the snapshot.
        found: u64,
        /// Entries of the table.
        expected: u64,
    },
}

/// Saves the table, under a temporary name first, so that an older snapshot is there until the new one is whole.
///
/// # Errors
/// When the file cannot be written.
pub fn save(handle: &SolverHandle, board: Board, path: &Path) -> Result<(), SnapshotError> {
    let failed = |error| SnapshotError::Write { path: path.display().to_string(), error };
    let name = unfinished(path);
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
            for word in block.iter().copied().chain([check(&block)]) {
                file.write_all(&word.to_le_bytes())?;
            }
        }
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&name, path)
    };
    write().map_err(failed)
}

/// Where a snapshot is written before it takes its place.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// An error when [`save`] could not write here, before there is anything to be lost.
///
/// # Errors
/// When the file cannot be written.
pub fn check_saving(path: &Path) -> Result<(), SnapshotError> {
    let name = unfinished(path);
    let written = File::create(&name).and_then(|_| std::fs::remove_file(&name));
    written.map_err(|error| SnapshotError::Write { path: path.display().to_string(), error })
}

/// Fills the table from a snapshot and gives how many entries there were; none when there is no such file.
///
/// # Errors
/// When the file cannot be read, is not a snapshot of this board, or is of a table of another size.
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
        // Cut short: what is there is as true as ever.
        Some(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(failed(error)),
        _ => Ok(taken),
    }
}

/// The words of a block; zeros where it is damaged.
fn read_block(file: &mut impl Read, entries: usize) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; (entries + 1) * 8];
    file.read_exact(&mut bytes)?;
    let mut words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let said = words.pop();
    if said != Some(check(&words)) {
        words.fill(0);
    }
    Ok(words)
}

/// Differs whenever one word of a block does, and almost always when several do.
fn check(block: &[u64]) -> u64 {
    block.iter().fold(block.len() as u64, |state, word| split_mix(state ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::State;
    use crate::solver::Solver;

    #[test]
    fn a_snapshot_carries_what_was_found_out() {
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

        // A damaged byte costs a block, and never an answer.
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
