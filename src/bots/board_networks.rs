//! A network of several boards, ready to play each of them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::board::Board;
use crate::net::{CanaryError, Isa, Network, Weights};

/// A network that was trained on several boards. It plays any board, and is laid out for one when it
/// is first asked for.
pub struct BoardNetworks {
    weights: Weights,
    isa: Isa,
    laid_out: Mutex<Vec<Arc<Network>>>,
}

impl BoardNetworks {
    /// Lays out the network for its own board, and checks it by its canaries.
    ///
    /// # Errors
    /// Returns an error as [`Network::checked`] does.
    pub fn checked(weights: Weights, isa: Isa) -> Result<BoardNetworks, CanaryError> {
        let own = Network::checked(&weights, isa)?;
        Ok(BoardNetworks { isa: own.isa(), laid_out: Mutex::new(vec![own]), weights })
    }

    /// Returns the weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Returns the network laid out for a board.
    pub fn network(&self, board: Board) -> Arc<Network> {
        let mut laid_out = self.laid_out.lock().unwrap_or_else(PoisonError::into_inner);
        let found = laid_out.iter().find(|network| network.board() == board).cloned();
        found.unwrap_or_else(|| {
            let network = Arc::new(Network::new(&self.weights.on(board), self.isa));
            laid_out.push(network.clone());
            network
        })
    }
}
