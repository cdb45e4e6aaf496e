//! The weights file (`.dxw`): a network's board, shape, tensors and canaries, with a checksum.
//!
//! All numbers are little-endian. In this order:
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | the magic `DXWEIGHT` |
//! | 9 x 4 | u32: version, rows, cols, channels, blocks, value_hidden, planes, kind of blocks, number of other boards |
//! | 2 for each other board that the network was trained on | u8: rows, cols |
//! | 4 for each number | f32: the tensors in the order of [`Architecture::tensors`], row by row |
//! | 4 | u32: the number of canaries |
//! | for each canary: 8, 16 or 24 | the drawn edges, [`Board::edge_bytes`] |
//! | 4 for each logit | f32: the policy, then the margins |
//! | 8 | u64: the FNV-1a checksum of everything before it |
//!
//! Names and shapes of the tensors follow from the header.

use std::fmt;

use crate::board::{Board, BoardError, Edges, State};
use crate::mix::checksum;

use super::{Architecture, ArchitectureError, BlockKind, Canary, PLANES, PolicyCell};

const MAGIC: &[u8; 8] = b"DXWEIGHT";
/// The version of the file and of the meaning of the input planes. An appended plane or kind of
/// block leaves it.
const VERSION: u32 = 4;
/// A limit of the number of other boards that is read.
const MOST_BOARDS: usize = 320;
/// A limit of the number of canaries that is read, larger than the number in any valid file.
const MOST_CANARIES: usize = 256;
/// The numbers of the header.
const NUMBERS: usize = 9;
/// The length in bytes of the magic and the header.
const HEADER: usize = 8 + 4 * NUMBERS;

/// A network's board, shape, tensors and canaries: the contents of a weights file.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The board that the network was trained for: the largest, if it was trained on several.
    pub board: Board,
    /// The other boards that it was trained on.
    pub other_boards: Vec<Board>,
    /// The shape of the network.
    pub architecture: Architecture,
    /// The elements of each tensor, in the order of [`Architecture::tensors`].
    pub tensors: Vec<Vec<f32>>,
    /// A few positions with the output that training computed for them.
    pub canaries: Vec<Canary>,
}

impl Weights {
    /// Returns the bytes of a weights file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Architecture { channels, blocks, value_hidden, planes, block } = self.architecture;
        let kind = BlockKind::ALL.iter().position(|&kind| kind == block).expect("a kind of the list of all");
        let sizes = [self.board.rows(), self.board.cols(), channels, blocks, value_hidden, planes, kind];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        for number in sizes.into_iter().chain([self.other_boards.len()]) {
            bytes.extend((number as u32).to_le_bytes());
        }
        bytes.extend(self.other_boards.iter().flat_map(|board| [board.rows() as u8, board.cols() as u8]));
        for number in self.tensors.iter().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((self.canaries.len() as u32).to_le_bytes());
        for canary in &self.canaries {
            canary.state.drawn().write(self.board, &mut bytes);
            for number in canary.policy.iter().chain(&canary.margins) {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the bytes of a weights file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a weights file, are damaged or cut short, or have a
    /// version, board or shape that this build does not support.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::Foreign);
        }
        if bytes.len() < HEADER + 8 {
            return Err(WeightsError::Length { found: bytes.len(), expected: HEADER + 8 });
        }
        let word = |at: usize| bytes.get(at..at + 4).map_or(0, |w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        let [version, rows, cols, channels, blocks, value_hidden, planes, kind, others]: [u32; NUMBERS] =
            std::array::from_fn(|index| word(8 + 4 * index));
        if version != VERSION {
            return Err(WeightsError::Version { version });
        }
        if planes as usize > PLANES {
            return Err(WeightsError::Planes { planes });
        }
        let block = *BlockKind::ALL.get(kind as usize).ok_or(WeightsError::BlockKind { kind })?;
        let [channels, blocks, value_hidden, planes] = [channels, blocks, value_hidden, planes].map(|n| n as usize);
        let architecture = Architecture { channels, blocks, value_hidden, planes, block };
        let board = Board::new(rows as usize, cols as usize).map_err(WeightsError::Board)?;
        architecture.validate().map_err(WeightsError::Architecture)?;
        let start = HEADER + 2 * (others as usize).min(MOST_BOARDS);
        let others = bytes.get(HEADER..start).unwrap_or_default();
        let others = others.chunks_exact(2).map(|sides| Board::new(sides[0] as usize, sides[1] as usize));
        let other_boards: Vec<Board> = others.collect::<Result<_, _>>().map_err(WeightsError::Board)?;
        let is_other = |(index, other): (usize, &Board)| {
            *other != board && other.boxes() <= board.boxes() && !other_boards[..index].contains(other)
        };
        if !other_boards.iter().enumerate().all(is_other) {
            return Err(WeightsError::OtherBoards);
        }
        let specs = architecture.tensors(board);
        let after_tensors = start + 4 * specs.iter().map(|spec| spec.len()).sum::<usize>();
        let (policy, margins) = (2 * PolicyCell::count(board), 2 * board.boxes() + 1);
        let canary_size = board.edge_bytes() + 4 * (policy + margins);
        let canaries = (word(after_tensors) as usize).min(MOST_CANARIES);
        let expected = after_tensors + 4 + canaries * canary_size + 8;
        if bytes.len() != expected {
            return Err(WeightsError::Length { found: bytes.len(), expected });
        }
        let (body, sum) = bytes.split_at(expected - 8);
        if checksum(body).to_le_bytes() != *sum {
            return Err(WeightsError::Checksum);
        }
        let mut numbers =
            body[start..after_tensors].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let tensors: Vec<Vec<f32>> = specs.iter().map(|spec| numbers.by_ref().take(spec.len()).collect()).collect();
        if let Some(index) = tensors.iter().position(|tensor| tensor.iter().any(|x| !x.is_finite())) {
            return Err(WeightsError::NotFinite { tensor: specs[index].name.clone() });
        }
        let canaries = body[after_tensors + 4..].chunks_exact(canary_size).map(|canary| {
            let (drawn, numbers) = canary.split_at(board.edge_bytes());
            let numbers = numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let drawn = Edges::from_bytes(drawn).intersection(board.all());
            let (policy, margins) = (numbers.clone().take(policy).collect(), numbers.skip(policy).collect());
            Canary { state: State::from_drawn(board, drawn), policy, margins }
        });
        let canaries: Vec<Canary> = canaries.collect();
        if canaries.iter().any(|canary| !canary.state.is_capture_free()) {
            return Err(WeightsError::Canary);
        }
        Ok(Weights { board, other_boards, architecture, tensors, canaries })
    }
}

/// An error in the bytes of a weights file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// The bytes are not a weights file.
    Foreign,
    /// An unsupported version of the format.
    Version {
        /// The file's version.
        version: u32,
    },
    /// More input planes than this build has.
    Planes {
        /// The file's number of planes.
        planes: u32,
    },
    /// A kind of block that this build does not have.
    BlockKind {
        /// The file's number of the kind.
        kind: u32,
    },
    /// An invalid board.
    Board(BoardError),
    /// An invalid shape.
    Architecture(ArchitectureError),
    /// Too few or too many bytes.
    Length {
        /// The number of bytes.
        found: usize,
        /// The number of bytes that the header implies.
        expected: usize,
    },
    /// The checksum does not match.
    Checksum,
    /// Other boards that are not smaller ones, each once.
    OtherBoards,
    /// A canary that is not a capture-free position of the board.
    Canary,
    /// An element that is infinite or not a number.
    NotFinite {
        /// The name of the tensor that holds it.
        tensor: String,
    },
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightsError::Foreign => write!(f, "not a weights file: it does not begin with DXWEIGHT"),
            WeightsError::Version { version } => {
                write!(
                    f,
                    "the weights have version {version}: this program reads version {VERSION} (use the program that wrote them)"
                )
            }
            WeightsError::Planes { planes } => {
                write!(f, "the weights have {planes} input planes: this program knows {PLANES} (use a newer one)")
            }
            WeightsError::BlockKind { kind } => {
                write!(f, "the weights have blocks of kind {kind}: this program does not know it (use a newer one)")
            }
            WeightsError::Board(error) => write!(f, "damaged weights: {error}"),
            WeightsError::Architecture(error) => write!(f, "damaged weights: {error}"),
            WeightsError::Length { found, expected } => {
                write!(f, "damaged weights: the file has {found} bytes instead of {expected}")
            }
            WeightsError::Checksum => write!(f, "damaged weights: the checksum does not match"),
            WeightsError::OtherBoards => {
                write!(f, "damaged weights: their list of boards is not in order")
            }
            WeightsError::Canary => {
                write!(f, "damaged weights: a position of their self-test has a box that can be taken")
            }
            WeightsError::NotFinite { tensor } => {
                write!(f, "damaged weights: {tensor} holds a number that is not finite")
            }
        }
    }
}

impl std::error::Error for WeightsError {}

#[cfg(test)]
impl Weights {
    /// Returns small weights that differ from each other, for tests.
    pub(crate) fn sample(board: Board, architecture: Architecture) -> Weights {
        let value = |index: usize| ((crate::mix::split_mix(index as u64) >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.2;
        let tensor = |spec: super::TensorSpec| (0..spec.len()).map(value).collect();
        let tensors = architecture.tensors(board).into_iter().map(tensor).collect();
        Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn small() -> Weights {
        let board = Board::new(2, 3).unwrap();
        let architecture = Architecture::new(16, 1, 8);
        let specs = architecture.tensors(board);
        let tensors = specs.iter().map(|spec| (0..spec.len()).map(|i| (i as f32).sin()).collect()).collect();
        let numbers = |count: usize| (0..count).map(|i| (i as f32).cos()).collect();
        let canary =
            |drawn| Canary { state: State::from_drawn(board, drawn), policy: numbers(24), margins: numbers(13) };
        let canaries = vec![canary(Edges::EMPTY), canary(board.sides(0))];
        Weights { board, other_boards: Vec::new(), architecture, tensors, canaries }
    }

    #[test]
    fn written_weights_are_read_back() {
        let weights = small();
        assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights.clone()));
        // With other boards.
        let other_boards = vec![Board::new(1, 1).unwrap(), Board::new(2, 2).unwrap()];
        let several = Weights { other_boards, ..weights };
        assert_eq!(Weights::from_bytes(&several.to_bytes()), Ok(several));
    }

    /// The header of a network of fewer planes, as it stands in [`Weights`]' table.
    #[test]
    fn the_header_states_the_shape_of_the_network() {
        let (board, architecture) =
            (Board::new(2, 3).unwrap(), Architecture { planes: 5, ..Architecture::new(32, 1, 8) });
        let bytes = Weights::sample(board, architecture).to_bytes();
        let numbers: Vec<u8> = bytes[8..44].chunks(4).map(|number| number[0]).collect();
        assert_eq!(numbers, [4, 2, 3, 32, 1, 8, 5, 0, 0]);
        assert_eq!(Weights::from_bytes(&bytes).unwrap().architecture, architecture);
    }

    #[test]
    fn foreign_and_damaged_files_are_refused_with_their_reason() {
        let bytes = small().to_bytes();
        let error = |bytes: &[u8]| Weights::from_bytes(bytes).unwrap_err();
        assert_eq!(error(b"PK\x03\x04"), WeightsError::Foreign);
        assert_eq!(error(b""), WeightsError::Foreign);
        assert!(matches!(error(&bytes[..20]), WeightsError::Length { .. }));
        assert!(matches!(error(&bytes[..bytes.len() - 1]), WeightsError::Length { .. }));
        assert!(matches!(error(&[&bytes[..], &[0]].concat()), WeightsError::Length { .. }));
        let changed = |index: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[index] = value;
            bytes
        };
        assert_eq!(error(&changed(8, 3)), WeightsError::Version { version: 3 });
        assert!(matches!(error(&changed(12, 0)), WeightsError::Board(_)));
        assert!(matches!(error(&changed(20, 17)), WeightsError::Architecture(_)));
        assert_eq!(error(&changed(32, PLANES as u8 + 1)), WeightsError::Planes { planes: PLANES as u32 + 1 });
        assert!(matches!(error(&changed(32, 0)), WeightsError::Architecture(_)));
        assert_eq!(error(&changed(36, 250)), WeightsError::BlockKind { kind: 250 });
        assert_eq!(error(&changed(40, 1)), WeightsError::Board(Board::new(0, 0).unwrap_err()));
        assert_eq!(error(&changed(100, 1)), WeightsError::Checksum);
        let own = small().board;
        for others in [vec![own], vec![Board::new(2, 2).unwrap(); 2], vec![Board::new(3, 3).unwrap()]] {
            assert_eq!(error(&Weights { other_boards: others, ..small() }.to_bytes()), WeightsError::OtherBoards);
        }
        let mut weights = small();
        weights.tensors[3][0] = f32::NAN;
        assert!(matches!(error(&weights.to_bytes()), WeightsError::NotFinite { .. }));
    }

    /// A file that is cut anywhere, or has one other byte, is refused.
    #[test]
    fn every_cut_and_every_changed_byte_is_found() {
        let bytes = Weights { other_boards: vec![Board::new(2, 2).unwrap()], ..small() }.to_bytes();
        // All places of the header and of the canaries, and some among the tensors.
        let is_tested = |at: &usize| *at < 64 || *at + 400 > bytes.len() || at.is_multiple_of(241);
        for at in (0..bytes.len()).filter(is_tested) {
            assert!(Weights::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(Weights::from_bytes(&changed).is_err(), "changed at {at}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(tail in prop::collection::vec(any::<u8>(), 0..80), at in 0..52usize, byte: u8) {
            let _ = Weights::from_bytes(&[MAGIC, &tail[..]].concat());
            let several = Weights { other_boards: vec![Board::new(2, 2).unwrap()], ..small() };
            for mut bytes in [small().to_bytes(), several.to_bytes()] {
                let before = bytes[at];
                bytes[at] = byte;
                prop_assert_eq!(Weights::from_bytes(&bytes).is_ok(), byte == before);
            }
        }
    }
}
