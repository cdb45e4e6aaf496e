//! A shard: the training samples of one generation, those of games in the order of the games.
//! Shards never change.
//!
//! A shard's file is little-endian: the magic `DXSHARD2`, the board's rows and columns (u32), the
//! generation, the number of games and that of samples (u64), the samples, and a checksum. A sample
//! is its drawn edges, the margin, whether that is exact, the number of policy entries and the edge
//! and weight of each, then the number of known edge values and the edge and margin of each. In
//! `DXSHARD1`, which is still read, a sample ends after the policy.

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

/// The training samples of one generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The board of all samples.
    pub board: Board,
    /// The generation that played the games.
    pub generation: u64,
    /// The number of games.
    pub games: u64,
    /// The samples, those of games in the order of the games.
    pub samples: Vec<Sample>,
}

/// An error of a shard that cannot be read.
#[derive(Debug, Error)]
pub enum ShardError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}; the run learns from these games still, so put the file back")]
    Read {
        /// The file.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// The file is not a whole shard.
    #[error("{path} is not a whole game shard: {why}; put back a copy, or start a new run with --from this one")]
    Damaged {
        /// The file.
        path: String,
        /// The fault of the file.
        why: &'static str,
    },
    /// The file is a shard, but not the one that belongs there.
    #[error("{path} holds generation {generation} on {board}; expected generation {expected_generation} on {expected}")]
    Foreign {
        /// The file.
        path: String,
        /// The generation it holds.
        generation: u64,
        /// The board of its samples.
        board: Board,
        /// The generation that belongs there.
        expected_generation: u64,
        /// The run's board.
        expected: Board,
    },
}

impl Shard {
    /// Returns the bytes of the shard's file, which are the same for the same samples.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for side in [self.board.rows(), self.board.cols()] {
            bytes.extend((side as u32).to_le_bytes());
        }
        for count in [self.generation, self.games, self.samples.len() as u64] {
            bytes.extend(count.to_le_bytes());
        }
        for sample in &self.samples {
            bytes.extend(sample.state.drawn().to_bytes());
            bytes.extend([sample.margin as u8, sample.is_exact as u8, sample.policy.len() as u8]);
            for (edge, weight) in &sample.policy {
                bytes.push(edge.index() as u8);
                bytes.extend(weight.to_le_bytes());
            }
            bytes.push(sample.edge_margins.len() as u8);
            for (edge, margin) in &sample.edge_margins {
                bytes.extend([edge.index() as u8, *margin as u8]);
            }
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Writes the shard, whole or not at all.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_bytes())
    }

    /// Reads a shard.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a whole shard.
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

    /// Reads the shard of a generation of games on this board, or of any generation if it is `None`.
    ///
    /// # Errors
    /// Returns an error if [`Shard::read`] does, or if the shard is for another generation or
    /// board.
    pub fn read_of(path: &Path, generation: Option<u64>, board: Board) -> Result<Shard, ShardError> {
        let shard = Shard::read(path)?;
        let expected_generation = generation.unwrap_or(shard.generation);
        if (shard.generation, shard.board) == (expected_generation, board) {
            return Ok(shard);
        }
        Err(ShardError::Foreign {
            path: path.display().to_string(),
            generation: shard.generation,
            board: shard.board,
            expected_generation,
            expected: board,
        })
    }
}

/// The fault of a shard with a sample that no game can give.
const IMPOSSIBLE: &str = "a sample is impossible on its board";

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
    let mut unparsed = Unparsed(&body[8..]);
    let (rows, cols) = (unparsed.number(4)? as usize, unparsed.number(4)? as usize);
    let board = Board::new(rows, cols).map_err(|_| "there is no such board")?;
    let (generation, games, count) = (unparsed.number(8)?, unparsed.number(8)?, unparsed.number(8)?);
    let mut samples = Vec::new();
    for _ in 0..count {
        let drawn = Edges::from_bytes(unparsed.number(8)?.to_le_bytes());
        let (margin, is_exact, entries) =
            (unparsed.number(1)? as u8 as i8, unparsed.number(1)? != 0, unparsed.number(1)?);
        let mut policy = Vec::new();
        for _ in 0..entries {
            policy.push((unparsed.edge()?, unparsed.number(2)? as u16));
        }
        let mut edge_margins = Vec::new();
        let entries = if has_edge_margins { unparsed.number(1)? } else { 0 };
        for _ in 0..entries {
            edge_margins.push((unparsed.edge()?, unparsed.number(1)? as u8 as i8));
        }
        let state = State::checked(board, drawn).ok_or(IMPOSSIBLE)?;
        let sample = Sample { state, margin, is_exact, policy, edge_margins };
        if !sample.is_possible() {
            return Err(IMPOSSIBLE);
        }
        samples.push(sample);
    }
    Ok(Shard { board, generation, games, samples })
}

/// The bytes of a shard that have not been parsed yet.
struct Unparsed<'a>(&'a [u8]);

impl Unparsed<'_> {
    /// Takes a number of so many bytes.
    fn number(&mut self, bytes: usize) -> Result<u64, &'static str> {
        let (head, tail) = self.0.split_at_checked(bytes).ok_or("a sample is cut short")?;
        self.0 = tail;
        Ok(head.iter().rev().fold(0, |number, &byte| number << 8 | byte as u64))
    }

    /// Takes the index of an edge.
    fn edge(&mut self) -> Result<Edge, &'static str> {
        let index = self.number(1)? as usize;
        if index < MAX_EDGES { Ok(Edge::new(index)) } else { Err("a sample names an edge that no board has") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_read_back_and_damage_is_detected() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantise([(Edge::new(3), 0.25), (Edge::new(5), 0.75), (Edge::new(6), 0.0)]);
        assert_eq!(policy.len(), 2);
        let edge_margins = vec![(Edge::new(3), -2), (Edge::new(7), -4)];
        let sample = Sample { state: State::new(board), margin: -2, is_exact: true, policy, edge_margins };
        let shard = Shard { board, generation: 3, games: 1, samples: vec![sample; 4] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.shard");
        shard.write(&path).unwrap();
        assert_eq!(Shard::read(&path).unwrap(), shard);
        assert_eq!(Shard::read_of(&path, Some(3), board).unwrap(), shard);
        for (generation, board) in [(2, board), (3, Board::new(3, 3).unwrap())] {
            assert!(matches!(Shard::read_of(&path, Some(generation), board), Err(ShardError::Foreign { .. })));
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
    fn shards_of_the_first_format_are_read() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantise([(Edge::new(3), 0.25), (Edge::new(5), 0.75)]);
        let sample = Sample { state: State::new(board), margin: -2, is_exact: true, policy, edge_margins: Vec::new() };
        let shard = Shard { board, generation: 3, games: 1, samples: vec![sample; 4] };
        let bytes = shard.to_bytes();
        let (header, samples) = bytes[8..bytes.len() - 8].split_at(HEADER - 8);
        let mut earlier = [FIRST_MAGIC, header].concat();
        // A sample without known edge values now ends with a zero.
        for sample in samples.chunks_exact(samples.len() / 4) {
            earlier.extend(sample.strip_suffix(&[0]).unwrap());
        }
        earlier.extend(checksum(&earlier).to_le_bytes());
        assert_eq!(parse(&earlier), Ok(shard));
    }
}
