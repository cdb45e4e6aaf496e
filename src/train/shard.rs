//! A shard: the rows of one generation's games, in the order of the games. Written once, never changed.
//!
//! Little-endian: the magic `DXSHARD2`, rows and cols of the board (u32), generation, games and row count (u64), the
//! rows (edges, margin, exactness, number of policy entries, then edge and weight of each; number of edges whose margins
//! are known, then edge and margin of each), and a checksum. Rows of `DXSHARD1`, which is still read, end after the policy.

use std::path::Path;
use std::{fs, io};

use thiserror::Error;

use super::Sample;
use super::files::write_whole;
use crate::board::{Board, Edge, Edges, MAX_EDGES, State};
use crate::net::checksum;

const MAGIC: &[u8; 8] = b"DXSHARD2";
const FIRST_MAGIC: &[u8; 8] = b"DXSHARD1";
const HEADER: usize = 8 + 2 * 4 + 3 * 8;

/// One generation's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The board of all rows.
    pub board: Board,
    /// The generation that played the games.
    pub generation: u64,
    /// How many games there were.
    pub games: u64,
    /// The rows of all games, in order.
    pub rows: Vec<Sample>,
}

/// Why a shard cannot be read.
#[derive(Debug, Error)]
pub enum ShardError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// The file is not a whole shard.
    #[error("{path} is not a whole game shard: {why}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        why: &'static str,
    },
    /// It is a shard, but not the one that belongs there.
    #[error("{path} holds generation {generation} on {board}; expected generation {expected_generation} on {expected}")]
    Foreign {
        /// The file.
        path: String,
        /// The generation it holds.
        generation: u64,
        /// The board it is of.
        board: Board,
        /// The generation that belongs there.
        expected_generation: u64,
        /// The run's board.
        expected: Board,
    },
}

impl Shard {
    /// The file's bytes: the same for the same rows.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for side in [self.board.rows(), self.board.cols()] {
            bytes.extend((side as u32).to_le_bytes());
        }
        for count in [self.generation, self.games, self.rows.len() as u64] {
            bytes.extend(count.to_le_bytes());
        }
        for row in &self.rows {
            bytes.extend(row.state.drawn().to_bytes());
            bytes.extend([row.margin as u8, row.is_exact as u8, row.policy.len() as u8]);
            for (edge, weight) in &row.policy {
                bytes.push(edge.index() as u8);
                bytes.extend(weight.to_le_bytes());
            }
            bytes.push(row.edge_margins.len() as u8);
            for (edge, margin) in &row.edge_margins {
                bytes.extend([edge.index() as u8, *margin as u8]);
            }
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Writes the shard, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_bytes())
    }

    /// Reads a shard.
    ///
    /// # Errors
    /// When the file cannot be read or is not a whole shard.
    pub fn read(path: &Path) -> Result<Shard, ShardError> {
        let name = path.display().to_string();
        match fs::read(path) {
            Ok(bytes) => Shard::from_bytes(&bytes, &name),
            Err(error) => Err(ShardError::Read { path: name, error }),
        }
    }

    /// Reads a shard from the bytes of a file, which errors call `name`.
    ///
    /// # Errors
    /// Returns [`ShardError::Damaged`] if the bytes are not a whole shard.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Shard, ShardError> {
        parse(bytes).map_err(|why| ShardError::Damaged { path: name.into(), why })
    }

    /// Reads the shard of a generation of games on this board.
    ///
    /// # Errors
    /// As [`Shard::read`], and when it is another generation's or of another board.
    pub fn read_of(path: &Path, generation: u64, board: Board) -> Result<Shard, ShardError> {
        let shard = Shard::read(path)?;
        if (shard.generation, shard.board) == (generation, board) {
            return Ok(shard);
        }
        Err(ShardError::Foreign {
            path: path.display().to_string(),
            generation: shard.generation,
            board: shard.board,
            expected_generation: generation,
            expected: board,
        })
    }
}

/// The error of a row that cannot be.
const IMPOSSIBLE: &str = "a row is impossible on its board";

fn parse(bytes: &[u8]) -> Result<Shard, &'static str> {
    let has_edge_margins = bytes.starts_with(MAGIC);
    if !has_edge_margins && !bytes.starts_with(FIRST_MAGIC) {
        return Err("it does not begin with DXSHARD2");
    }
    if bytes.len() < HEADER + 8 {
        return Err("it is cut short");
    }
    let (body, sum) = bytes.split_at(bytes.len() - 8);
    if checksum(body).to_le_bytes() != *sum {
        return Err("the checksum does not match");
    }
    let mut reader = Reader(&body[8..]);
    let (rows, cols) = (reader.number(4)? as usize, reader.number(4)? as usize);
    let board = Board::new(rows, cols).map_err(|_| "there is no such board")?;
    let (generation, games, count) = (reader.number(8)?, reader.number(8)?, reader.number(8)?);
    let mut rows = Vec::new();
    for _ in 0..count {
        let drawn = Edges::from_bytes(reader.number(8)?.to_le_bytes());
        let (margin, is_exact, entries) = (reader.number(1)? as u8 as i8, reader.number(1)? != 0, reader.number(1)?);
        let mut policy = Vec::new();
        for _ in 0..entries {
            policy.push((reader.edge()?, reader.number(2)? as u16));
        }
        let mut edge_margins = Vec::new();
        let entries = if has_edge_margins { reader.number(1)? } else { 0 };
        for _ in 0..entries {
            edge_margins.push((reader.edge()?, reader.number(1)? as u8 as i8));
        }
        let state = State::checked(board, drawn).ok_or(IMPOSSIBLE)?;
        let sample = Sample { state, margin, is_exact, policy, edge_margins };
        if !sample.is_possible() {
            return Err(IMPOSSIBLE);
        }
        rows.push(sample);
    }
    Ok(Shard { board, generation, games, rows })
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self, bytes: usize) -> Result<u64, &'static str> {
        let (head, tail) = self.0.split_at_checked(bytes).ok_or("a row is cut short")?;
        self.0 = tail;
        Ok(head.iter().rev().fold(0, |number, &byte| number << 8 | byte as u64))
    }

    fn edge(&mut self) -> Result<Edge, &'static str> {
        let index = self.number(1)? as usize;
        if index < MAX_EDGES { Ok(Edge::new(index)) } else { Err("a row names an edge that no board has") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_survives_its_file_and_damage_is_seen() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantise([(Edge::new(3), 0.25), (Edge::new(5), 0.75), (Edge::new(6), 0.0)]);
        assert_eq!(policy.len(), 2);
        let edge_margins = vec![(Edge::new(3), -2), (Edge::new(7), -4)];
        let row = Sample { state: State::new(board), margin: -2, is_exact: true, policy, edge_margins };
        let shard = Shard { board, generation: 3, games: 1, rows: vec![row; 4] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.shard");
        shard.write(&path).unwrap();
        assert_eq!(Shard::read(&path).unwrap(), shard);
        assert_eq!(Shard::read_of(&path, 3, board).unwrap(), shard);
        for (generation, board) in [(2, board), (3, Board::new(3, 3).unwrap())] {
            assert!(matches!(Shard::read_of(&path, generation, board), Err(ShardError::Foreign { .. })));
        }
        let bytes = shard.to_bytes();
        for cut in 0..bytes.len() {
            assert!(parse(&bytes[..cut]).is_err());
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 4;
            assert!(parse(&bytes).is_err(), "byte {at}");
        }
        assert!(matches!(Shard::read(&folder.path().join("b")), Err(ShardError::Read { .. })));
    }

    #[test]
    fn rows_once_ended_after_the_policy() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantise([(Edge::new(3), 0.25), (Edge::new(5), 0.75)]);
        let row = Sample { state: State::new(board), margin: -2, is_exact: true, policy, edge_margins: Vec::new() };
        let shard = Shard { board, generation: 3, games: 1, rows: vec![row; 4] };
        let bytes = shard.to_bytes();
        let (header, rows) = bytes[8..bytes.len() - 8].split_at(HEADER - 8);
        let mut earlier = [FIRST_MAGIC, header].concat();
        // Each row now ends with a zero: not one edge is known.
        rows.chunks_exact(rows.len() / 4).for_each(|row| earlier.extend(row.strip_suffix(&[0]).unwrap()));
        earlier.extend(checksum(&earlier).to_le_bytes());
        assert_eq!(parse(&earlier), Ok(shard));
    }
}
