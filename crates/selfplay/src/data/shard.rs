//! A shard: the training samples of one generation, those of games in the order of the games.
//! Shards never change.
//!
//! A shard's file is little-endian: the magic `DXSHARD4`, the board's rows and columns (u32), the
//! generation, the number of games and that of samples (u64), the number of items and the number of
//! the samples of each (u32), the samples, and a checksum. Samples are described in
//! `bytes.rs`.

use std::path::Path;
use std::{fs, io};

use thiserror::Error;

use crate::Sample;
use crate::data::bytes::{Unparsed, seal, write_sample};
use crate::data::kinds::Kinds;
use crate::data::played_item::PlayedItem;
use doublecross_core::board::Board;
use doublecross_core::shell::shell_word;
use doublecross_files::write_whole;

const MAGIC: &[u8; 8] = b"DXSHARD4";

/// The training samples of one generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The board of all samples.
    pub board: Board,
    /// The generation that played the games.
    pub generation: u64,
    /// The number of games.
    pub games: u64,
    /// The samples, those of games in the order of the games, and then those of labeled positions.
    pub samples: Vec<Sample>,
    /// The number of samples of each game, and then of each labeled position.
    pub counts: Vec<u32>,
}

/// An error of a shard that cannot be read.
#[derive(Debug, Error)]
pub enum ShardError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}; the run needs these games still, so put the file back")]
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
    #[error(
        "{path} holds generation {generation} on {board} instead of generation {expected_generation} on {expected}"
    )]
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
    /// Returns the shard of a generation with so many games from its items.
    pub fn new(board: Board, generation: u64, games: u64, items: Vec<PlayedItem>) -> Shard {
        let counts = items.iter().map(|item| item.samples.len() as u32).collect();
        let samples = items.into_iter().flat_map(|item| item.samples).collect();
        Shard { board, generation, games, samples, counts }
    }

    /// Returns the bytes of the shard's file, which are the same for the same samples.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for side in [self.board.rows(), self.board.cols()] {
            bytes.extend((side as u32).to_le_bytes());
        }
        for count in [self.generation, self.games, self.samples.len() as u64] {
            bytes.extend(count.to_le_bytes());
        }
        bytes.extend((self.counts.len() as u32).to_le_bytes());
        for count in &self.counts {
            bytes.extend(count.to_le_bytes());
        }
        for sample in &self.samples {
            write_sample(&mut bytes, sample);
        }
        seal(&mut bytes);
        bytes
    }

    /// Returns the number of samples of each kind.
    pub fn kinds(&self) -> Kinds {
        Kinds::of(&self.samples)
    }

    /// Adds the samples of labeled positions of another shard.
    pub fn append(&mut self, other: Shard) {
        self.samples.extend(other.samples);
        self.counts.extend(other.counts);
    }

    /// Keeps the samples of which `is_kept` is `true`.
    pub fn retain(&mut self, is_kept: impl Fn(&Sample) -> bool) {
        let mut first = 0;
        for count in &mut self.counts {
            let item = &self.samples[first..first + *count as usize];
            first += item.len();
            *count = item.iter().filter(|sample| is_kept(sample)).count() as u32;
        }
        self.samples.retain(is_kept);
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
        let name = shell_word(path);
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
    /// Returns an error if [`Shard::read`] does, or if the shard is for another generation or
    /// board.
    pub fn read_of(path: &Path, generation: u64, board: Board) -> Result<Shard, ShardError> {
        let shard = Shard::read(path)?;
        match (shard.generation, shard.board) == (generation, board) {
            true => Ok(shard),
            false => Err(shard.foreign(path, generation, board)),
        }
    }

    /// Reads the shard of any generation of games on one of these boards, of which there is at least
    /// one.
    ///
    /// # Errors
    /// Returns an error if [`Shard::read`] does, or if the shard is for another board.
    pub fn read_of_any(path: &Path, boards: &[Board]) -> Result<Shard, ShardError> {
        let shard = Shard::read(path)?;
        match boards.contains(&shard.board) {
            true => Ok(shard),
            false => Err(shard.foreign(path, shard.generation, boards[0])),
        }
    }

    fn foreign(&self, path: &Path, expected_generation: u64, expected: Board) -> ShardError {
        let (path, generation, board) = (shell_word(path), self.generation, self.board);
        ShardError::Foreign { path, generation, board, expected_generation, expected }
    }
}

fn parse(bytes: &[u8]) -> Result<Shard, &'static str> {
    let mut unparsed = Unparsed::sealed(bytes, MAGIC, "it does not begin with DXSHARD4")?;
    let (rows, cols) = (unparsed.number(4)? as usize, unparsed.number(4)? as usize);
    let board = Board::new(rows, cols).map_err(|_| "there is no such board")?;
    let (generation, games, count) = (unparsed.number(8)?, unparsed.number(8)?, unparsed.number(8)?);
    let items = unparsed.count(4, 4)?;
    let counts: Vec<u32> = (0..items).map(|_| Ok(unparsed.number(4)? as u32)).collect::<Result<_, &'static str>>()?;
    if counts.iter().map(|&count| count as u64).sum::<u64>() != count {
        return Err("the numbers of samples of its games do not add up");
    }
    let samples = (0..count).map(|_| unparsed.sample(board)).collect::<Result<Vec<Sample>, _>>()?;
    unparsed.end()?;
    Ok(Shard { board, generation, games, samples, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarginTarget;
    use doublecross_core::board::{Edge, State};

    #[test]
    fn a_shard_is_read_back_and_damage_is_detected() {
        let board = Board::new(2, 2).unwrap();
        let policy = Sample::quantize([(Edge::new(3), 0.25), (Edge::new(5), 0.75), (Edge::new(6), 0.0)]);
        assert_eq!(policy.len(), 2);
        let edge_margins = vec![(Edge::new(3), -2), (Edge::new(7), -4)];
        let sample = Sample { state: State::new(board), margin: MarginTarget::Exact(-2), policy, edge_margins };
        let shard = Shard { board, generation: 3, games: 1, samples: vec![sample; 4], counts: vec![3, 0, 1] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.shard");
        shard.write(&path).unwrap();
        assert_eq!(Shard::read(&path).unwrap(), shard);
        assert_eq!(Shard::read_of(&path, 3, board).unwrap(), shard);
        for (generation, board) in [(2, board), (3, Board::new(3, 3).unwrap())] {
            assert!(matches!(Shard::read_of(&path, generation, board), Err(ShardError::Foreign { .. })));
        }
        let other = Board::new(3, 3).unwrap();
        assert_eq!(Shard::read_of_any(&path, &[other, board]).unwrap(), shard);
        assert!(matches!(Shard::read_of_any(&path, &[other]), Err(ShardError::Foreign { .. })));
        let bytes = shard.to_bytes();
        let mut longer = [&bytes[..bytes.len() - 8], &[0]].concat();
        seal(&mut longer);
        assert_eq!(parse(&longer), Err("it is too long"));
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
    fn numbers_of_samples_have_to_add_up() {
        let board = Board::new(2, 2).unwrap();
        let shard = |counts: Vec<u32>| Shard { board, generation: 1, games: 2, samples: Vec::new(), counts };
        assert_eq!(parse(&shard(vec![0, 0]).to_bytes()), Ok(shard(vec![0, 0])));
        for counts in [vec![1], vec![u32::MAX, 1], vec![0, 0, 2]] {
            assert!(parse(&shard(counts).to_bytes()).unwrap_err().contains("add up"));
        }
    }
}
