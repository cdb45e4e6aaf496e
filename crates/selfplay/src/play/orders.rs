//! Orders: everything that the items of one generation are a function of.
//!
//! An item is a game of self-play or a position for the solver to label. Items are numbered: the
//! games first, then the positions. The samples of an item depend on its number and on the orders
//! alone, so that any machine can play it, and any other can check what came out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data::bytes::{Unparsed, seal};
use doublecross_arena::random::{Purpose, stream};
use doublecross_core::board::{Board, State};
use doublecross_core::net::{Isa, Weights, checksum};
use doublecross_core::solver::Book;
use doublecross_proof::Books;
use doublecross_run::config::{Config, GenerationConfig, LabeledConfig, SelfPlayConfig};
use rand_chacha::ChaCha8Rng;

const MAGIC: &[u8; 8] = b"DXORDER1";

/// The version of what games depend on beside their orders: the search, the solver and the format.
/// It changes whenever a game may come out otherwise.
pub(crate) const GAMES_VERSION: u32 = 7;

/// The most bytes that orders may have.
pub const MAX_ORDERS: usize = 256 << 20;

/// Everything that the games and the labeled positions of a generation are a function of.
#[derive(Clone, Debug, PartialEq)]
pub struct Orders {
    /// The board.
    pub board: Board,
    /// The run's seed.
    pub seed: u64,
    /// The generation.
    pub generation: u64,
    /// The instruction set that the network runs on.
    pub isa: Isa,
    /// The config's keys of self-play.
    pub selfplay: SelfPlayConfig,
    /// The config's keys of labeled positions.
    pub labeled: LabeledConfig,
    /// `true` to give the samples with exact answers the values of their edges.
    pub learns_edges: bool,
    /// The weights to play with, without canaries.
    pub weights: Weights,
    /// The states that games may begin with.
    pub starts: Vec<State>,
    /// The board's book, if games begin with its positions.
    pub book: Option<Arc<Book>>,
}

/// The members of orders that are text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    games_version: u32,
    board: String,
    seed: u64,
    generation: u64,
    isa: String,
    selfplay: SelfPlayConfig,
    labeled: LabeledConfig,
    learns_edges: bool,
    /// The checksum of the board's book, if the games depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<String>,
}

/// An error of bytes that are not orders, or not for this program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrdersError {
    /// The bytes are damaged or no orders.
    #[error("damaged orders: {0}")]
    Damaged(String),
    /// The orders' games depend on another book than this program's.
    #[error(
        "the run's games depend on another book of {board} than this program has (install the same version on both \
         machines)"
    )]
    Book {
        /// The board.
        board: Board,
    },
    /// The orders were written by a program whose games come out otherwise.
    #[error(
        "the run's program plays games of version {found}, and this one of version {GAMES_VERSION} (install the same \
         version on both machines)"
    )]
    Version {
        /// The version of the program that wrote the orders.
        found: u32,
    },
}

/// Returns the book of a board, if games with these keys depend on it.
fn book_of(board: Board, selfplay: &SelfPlayConfig, books: &Books) -> Option<Arc<Book>> {
    books.of(board).filter(|book| selfplay.book_share > 0.0 && !book.is_empty()).cloned()
}

/// Returns the checksum of a book, in hexadecimal digits.
fn digest(book: &Arc<Book>) -> String {
    format!("{:016x}", checksum(&book.to_bytes()))
}

impl Orders {
    /// Returns the orders of a generation whose games are played with these weights and may begin
    /// with these states, or with positions of the board's book. A board without a book has none.
    pub fn new(config: &Config, generation: u64, weights: Weights, starts: Vec<State>, books: &Books) -> Orders {
        let board = config.board_of(generation);
        let GenerationConfig { mut selfplay, mut labeled, learn, .. } = config.at(generation).on(config.board, board);
        // A folder on this machine matters to no player.
        labeled.data = None;
        let book = book_of(board, &selfplay, books);
        if book.is_none() {
            selfplay.book_share = 0.0;
        }
        Orders {
            board,
            seed: config.seed,
            generation,
            isa: config.isa(),
            selfplay,
            labeled,
            learns_edges: learn.learns_edges(),
            weights: Weights { canaries: Vec::new(), ..weights },
            starts,
            book,
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u32 {
        self.selfplay.games as u32
    }

    /// Returns the number of items: games and labeled positions.
    pub fn items(&self) -> u32 {
        self.games() + self.labeled.positions as u32
    }

    /// Returns the random stream of an item.
    pub(crate) fn stream(&self, item: u32) -> ChaCha8Rng {
        match item.checked_sub(self.games()) {
            None => stream(self.seed, self.generation, item as u64, Purpose::SelfPlay),
            Some(number) => stream(self.seed, self.generation, number as u64, Purpose::Labeling),
        }
    }

    /// Returns the orders as bytes, the same for the same orders.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            games_version: GAMES_VERSION,
            board: self.board.to_string(),
            seed: self.seed,
            generation: self.generation,
            isa: self.isa.name().into(),
            selfplay: self.selfplay.clone(),
            labeled: self.labeled.clone(),
            learns_edges: self.learns_edges,
            book: self.book.as_ref().map(digest),
        };
        let header = serde_json::to_vec(&header).expect("numbers and names can be written as JSON");
        let weights = self.weights.to_bytes();
        let mut bytes = MAGIC.to_vec();
        for part in [&header, &weights] {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part);
        }
        bytes.extend((self.starts.len() as u32).to_le_bytes());
        for start in &self.starts {
            start.drawn().write(self.board, &mut bytes);
        }
        seal(&mut bytes);
        bytes
    }

    /// Reads orders from bytes, for a program that has these books.
    ///
    /// # Errors
    /// Returns an error if the bytes are not whole orders, if a value is out of its config key's
    /// range, or if the program that wrote them plays other games.
    pub fn from_bytes(bytes: &[u8], books: &Books) -> Result<Orders, OrdersError> {
        let damaged = |why: &dyn std::fmt::Display| OrdersError::Damaged(why.to_string());
        let cut = |why: &'static str| OrdersError::Damaged(why.into());
        let mut unparsed = Unparsed::sealed(bytes, MAGIC, "it does not begin with DXORDER1").map_err(cut)?;
        let length = unparsed.count(4, 1).map_err(cut)?;
        let header = unparsed.take(length).map_err(cut)?;
        // Before the other members, which may be others in other versions.
        let value: serde_json::Value = serde_json::from_slice(header).map_err(|error| damaged(&error))?;
        let found = value["games_version"].as_u64().ok_or(cut("they lack `games_version`"))?;
        if found != GAMES_VERSION as u64 {
            return Err(OrdersError::Version { found: found as u32 });
        }
        let header: Header = serde_json::from_value(value).map_err(|error| damaged(&error))?;
        let isa = Isa::named(&header.isa, &Isa::ALL).map_err(|error| damaged(&error))?;
        let length = unparsed.count(4, 1).map_err(cut)?;
        let weights = Weights::from_bytes(unparsed.take(length).map_err(cut)?).map_err(|error| damaged(&error))?;
        let board = weights.board;
        if board.to_string() != header.board {
            return Err(OrdersError::Damaged(format!("a game on {} with a network for {board}", header.board)));
        }
        let count = unparsed.count(4, 8).map_err(cut)?;
        let starts: Vec<State> = (0..count).map(|_| unparsed.state(board)).collect::<Result<_, _>>().map_err(cut)?;
        unparsed.end().map_err(cut)?;
        let Header { seed, generation, selfplay, labeled, learns_edges, book: expected, .. } = header;
        let config = GenerationConfig { selfplay, labeled, ..GenerationConfig::default() };
        config.check_ranges().map_err(|error| damaged(&error))?;
        let GenerationConfig { selfplay, labeled, .. } = config;
        let book = book_of(board, &selfplay, books);
        if book.as_ref().map(digest) != expected {
            return Err(OrdersError::Book { board });
        }
        Ok(Orders { board, seed, generation, isa, selfplay, labeled, learns_edges, weights, starts, book })
    }
}

/// Orders as bytes, with the number that names them.
#[derive(Clone, Debug)]
pub struct SealedOrders {
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// The checksum of the bytes, by which parts name the orders that they were played by.
    pub id: u64,
}

impl SealedOrders {
    /// Writes orders as bytes.
    pub fn new(orders: &Orders) -> SealedOrders {
        let bytes = orders.to_bytes();
        SealedOrders { id: checksum(&bytes), bytes: bytes.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::Edge;
    use doublecross_run::IsaSetting;
    use doublecross_run::initial_weights;

    /// The book of the repository.
    fn books() -> Books {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/books/5x5.log");
        let log = std::fs::read_to_string(path).unwrap();
        Books::new([doublecross_proof::parse_lemmas("5x5".parse().unwrap(), "5x5.log", &log).unwrap()])
    }

    pub(crate) fn orders() -> Orders {
        let board = Board::new(2, 3).unwrap();
        let isa = IsaSetting::Named(Isa::Portable);
        let mut config = Config { board: "2x3".parse().unwrap(), isa, ..Config::default() };
        (config.network.channels, config.network.blocks, config.selfplay.games) = (16, 1, 5);
        let weights = initial_weights(board, config.network.architecture(), 1);
        let starts = vec![State::new(board), State::new(board).after(Edge::new(3))];
        Orders::new(&config, 4, weights, starts, &Books::default())
    }

    #[test]
    fn orders_are_read_back_and_damage_is_found() {
        let orders = orders();
        let bytes = orders.to_bytes();
        assert_eq!(Orders::from_bytes(&bytes, &Books::default()), Ok(orders.clone()));
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Orders::from_bytes(&damaged, &Books::default()).is_err(), "byte {at}");
            assert!(Orders::from_bytes(&bytes[..at], &Books::default()).is_err());
        }
    }

    #[test]
    fn games_that_depend_on_a_book_name_it() {
        let board = Board::new(5, 5).unwrap();
        let mut config = Config { isa: IsaSetting::Named(Isa::Portable), ..Config::default() };
        (config.network.channels, config.network.blocks) = (16, 0);
        let of = |config: &Config| {
            let weights = initial_weights(board, config.network.architecture(), 1);
            Orders::new(config, 1, weights, Vec::new(), &books())
        };
        let plain = of(&config).to_bytes();
        config.selfplay.book_share = 0.5;
        let orders = of(&config);
        let bytes = orders.to_bytes();
        assert_eq!(Orders::from_bytes(&bytes, &books()), Ok(orders));
        assert_eq!(Orders::from_bytes(&bytes, &Books::default()), Err(OrdersError::Book { board }));
        let has_book = |bytes: &[u8]| bytes.windows(8).any(|window| window == b"\"book\":\"");
        assert!(has_book(&bytes) && !has_book(&plain));
        // Another digit of its checksum.
        let mut other = bytes.clone();
        let at = other.windows(8).position(|window| window == b"\"book\":\"").unwrap() + 8;
        other[at] = if other[at] == b'0' { b'1' } else { b'0' };
        let body = other.len() - 8;
        let sum = checksum(&other[..body]).to_le_bytes();
        other[body..].copy_from_slice(&sum);
        assert_eq!(Orders::from_bytes(&other, &books()), Err(OrdersError::Book { board }));
    }

    #[test]
    fn values_out_of_range_and_other_versions_are_refused() {
        let altered = |from: &str, to: &str| {
            assert_eq!(from.len(), to.len());
            let mut bytes = orders().to_bytes();
            let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect(from);
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            let body = bytes.len() - 8;
            let sum = checksum(&bytes[..body]).to_le_bytes();
            bytes[body..].copy_from_slice(&sum);
            Orders::from_bytes(&bytes, &Books::default()).map(drop).unwrap_err().to_string()
        };
        let error = altered("\"simulations\":64", "\"simulations\":00");
        assert!(error.contains("JSON") || error.contains("number"), "{error}");
        let error = altered("\"full_share\":1.0", "\"full_share\":9.0");
        assert!(error.contains("selfplay.full_share = 9 is out of range"), "{error}");
        let error = altered(&format!("\"games_version\":{GAMES_VERSION}"), "\"games_version\":9");
        assert!(error.contains("games of version 9") && error.contains("install the same version"), "{error}");
        assert!(altered("\"board\":\"2x3\"", "\"board\":\"3x2\"").contains("network for 2x3"));
        assert!(altered("\"isa\":\"portable\"", "\"isa\":\"mortable\"").contains("instruction set"));
        assert!(altered("\"seed\"", "\"sled\"").contains("sled"));
    }
}
