//! Networks that together play any board.

use std::sync::{Arc, Mutex, PoisonError};

use crate::board::Board;
use crate::net::{CanaryError, Isa, Network, Weights};

/// A network that was trained on several boards, and networks of one board each, if there are any
/// beside it. The first is laid out for a board when it is first asked for.
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

    /// Returns this with networks that play their own boards instead.
    #[must_use]
    pub fn beside(mut self, networks: Vec<Arc<Network>>) -> BoardNetworks {
        let laid_out = self.laid_out.get_mut().unwrap_or_else(PoisonError::into_inner);
        // The first of a board is found.
        laid_out.splice(..0, networks);
        self
    }

    /// Returns the weights of the network of several boards.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Returns the network for a board.
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
