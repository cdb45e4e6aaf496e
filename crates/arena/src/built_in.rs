//! The networks and books that a program brings with it.

use doublecross_core::bots::BoardNetworks;
use doublecross_core::net::{CanaryError, Isa, Network, Weights};
use doublecross_proof::Books;

/// The networks and books that a program brings with it, for bots whose names ask for them.
///
/// The default has none: bots that need a network are refused then.
#[derive(Clone, Debug, Default)]
pub struct BuiltIn {
    /// Weights files of networks that were each trained on one board, the largest board first.
    pub networks: &'static [&'static [u8]],
    /// The weights file of the network that plays all other boards.
    pub network_of_others: Option<&'static [u8]>,
    /// The books of proved positions.
    pub books: Books,
}

/// An error of built-in networks that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BuiltInError {
    /// The program has no networks.
    #[error("this program has no network of its own (name a checkpoint, as in net:FILE)")]
    NoNetwork,
    /// A network does not reproduce its canaries.
    #[error(transparent)]
    Canary(#[from] CanaryError),
}

impl BuiltIn {
    /// Returns the networks, which together play any board.
    ///
    /// # Errors
    /// Returns an error if there are none, or if one of them does not reproduce its canaries on this
    /// instruction set.
    ///
    /// # Panics
    /// Panics if the bytes are not weights files.
    pub fn pretrained_networks(&self, isa: Isa) -> Result<BoardNetworks, BuiltInError> {
        let others = self.network_of_others.ok_or(BuiltInError::NoNetwork)?;
        let of_one_board = self.networks.iter().map(|bytes| Network::checked(&read(bytes), isa));
        let of_one_board: Vec<_> = of_one_board.collect::<Result<_, _>>()?;
        Ok(BoardNetworks::checked(read(others), isa)?.beside(of_one_board))
    }
}

fn read(bytes: &[u8]) -> Weights {
    Weights::from_bytes(bytes).expect("built-in weights should be weights files")
}

/// The networks and books of the repository, for tests.
#[cfg(test)]
pub(crate) fn of_repository() -> BuiltIn {
    let read = |path: &str| std::fs::read(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let weights = |name: &str| &*read(&format!("checkpoints/{name}/ema.dxw")).leak();
    let log = String::from_utf8(read("data/books/5x5.log")).unwrap();
    let lemmas = doublecross_proof::parse_lemmas("5x5".parse().unwrap(), "5x5.log", &log).unwrap();
    BuiltIn {
        networks: vec![weights("5x5"), weights("4x4"), weights("3x3")].leak(),
        network_of_others: Some(weights("any")),
        books: Books::new([lemmas]),
    }
}
