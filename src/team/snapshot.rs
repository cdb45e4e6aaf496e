//! A table on disk: what a killed solve goes on from.
//!
//! A line says what the table is about and how large it is; two little-endian words for each entry follow. Entries
//! need no checksum of their own: one that is damaged says that it belongs somewhere else.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use thiserror::Error;

use crate::board::Board;
use crate::solver::Reins;

/// What is at the head of the first line. Keys mean something to one version of the solver alone.
const VERSION: &str = "doublecross solver table 1";

/// Why a snapshot cannot be used.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    File {
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
pub fn save(reins: &Reins, board: Board, path: &Path) -> Result<(), SnapshotError> {
    let failed = |error| SnapshotError::File { path: path.display().to_string(), error };
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let write = || {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&name)?);
        writeln!(file, "{VERSION} {board} {}", reins.entries())?;
        for [mixed, facts] in reins.words() {
            file.write_all(&mixed.to_le_bytes())?;
            file.write_all(&facts.to_le_bytes())?;
        }
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&name, path)
    };
    write().map_err(failed)
}

/// Fills the table from a snapshot and gives how many entries there were; none when there is no such file.
///
/// # Errors
/// When the file cannot be read, is not a snapshot of this board, or is of a table of another size.
pub fn load(reins: &Reins, board: Board, path: &Path) -> Result<usize, SnapshotError> {
    let failed = |error| SnapshotError::File { path: path.display().to_string(), error };
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
    let expected = reins.entries() as u64;
    if found != expected {
        return Err(SnapshotError::Size { path: path.display().to_string(), found, expected });
    }
    let mut error = None;
    let words = (0..found).map_while(|_| {
        let mut bytes = [[0; 8]; 2];
        let [mixed, facts] = &mut bytes;
        match file.read_exact(mixed).and_then(|()| file.read_exact(facts)) {
            Ok(()) => Some(bytes.map(u64::from_le_bytes)),
            Err(failure) => {
                error = Some(failure);
                None
            }
        }
    });
    let taken = reins.restore(words);
    match error {
        // Cut short: what is there is as true as ever.
        Some(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(failed(error)),
        _ => Ok(taken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Edges;
    use crate::solver::Solver;

    #[test]
    fn a_snapshot_carries_what_was_found_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 14);
        assert_eq!(load(&solver.reins(), board, &path).unwrap(), 0);
        assert_eq!(solver.margin(Edges::EMPTY, u64::MAX), Some(-3));
        let fresh = solver.nodes();
        save(&solver.reins(), board, &path).unwrap();

        let mut again = Solver::new(board, 1 << 14);
        assert!(load(&again.reins(), board, &path).unwrap() > 100);
        assert_eq!(again.margin(Edges::EMPTY, u64::MAX), Some(-3));
        assert!(again.nodes() < fresh / 10, "{} {fresh}", again.nodes());

        // Every damaged byte costs an entry at most, and never an answer.
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged.iter_mut().skip(100).step_by(37).for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&path, &damaged[..damaged.len() - 1001]).unwrap();
        let mut again = Solver::new(board, 1 << 14);
        load(&again.reins(), board, &path).unwrap();
        assert_eq!(again.margin(Edges::EMPTY, u64::MAX), Some(-3));

        std::fs::write(&path, &whole).unwrap();
        let error = load(&Solver::new(board, 1 << 15).reins(), board, &path).unwrap_err().to_string();
        assert!(error.contains("--table"), "{error}");
        let other = Board::new(2, 3).unwrap();
        let error = load(&Solver::new(other, 1 << 14).reins(), other, &path).unwrap_err().to_string();
        assert!(error.contains("3x3") && error.contains("2x3"), "{error}");
    }
}
