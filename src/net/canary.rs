//! Canaries: positions with what training's own forward pass said of them. An engine that cannot reproduce that is not
//! the network that was trained, whatever the reason, and does not get to play.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, Edges, format_edges};

use super::{Engine, Network, Path, Weights};

/// How far a logit may be off, as a share of the largest.
const TOLERANCE: f32 = 1e-3;

/// A capture-free position and its logits, laid out as in [`Output`](super::Output).
#[derive(Clone, Debug, PartialEq)]
pub struct Canary {
    /// The position.
    pub drawn: Edges,
    /// `[cell][2]`
    pub policy: Vec<f32>,
    /// Of the margins -boxes..=boxes.
    pub margins: Vec<f32>,
}

/// Why a network is not to be played with on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanaryError {
    /// The instruction set that was asked for is not to be had.
    Path(String),
    /// The engine does not say what training said.
    Differs {
        /// The position, as text.
        position: String,
        /// The path it was evaluated on.
        path: Path,
        /// Found and expected logit, as text.
        logits: [String; 2],
    },
}

impl fmt::Display for CanaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CanaryError::Path(error) => write!(f, "{error}"),
            CanaryError::Differs { position, path, logits: [found, expected] } => write!(
                f,
                "the network does not say of {position} what it said in training (path {}): {found}, expected {expected}; \
                 the weights are damaged or of another program",
                path.name()
            ),
        }
    }
}

impl std::error::Error for CanaryError {}

impl Network {
    /// The network, after its canaries have been compared on [`Path::chosen`].
    ///
    /// # Errors
    /// When there is no such path, or an answer differs. Weights without canaries are taken as they are.
    ///
    /// # Panics
    /// As [`Network::new`].
    pub fn checked(weights: &Weights) -> Result<Arc<Network>, CanaryError> {
        let path = Path::chosen().map_err(CanaryError::Path)?;
        let network = Arc::new(Network::new(weights));
        let mut engine = Engine::with_path(network.clone(), path);
        weights.canaries.iter().try_for_each(|canary| compare(weights.board, &mut engine, path, canary))?;
        Ok(network)
    }
}

fn compare(board: Board, engine: &mut Engine, path: Path, canary: &Canary) -> Result<(), CanaryError> {
    let output = engine.forward(canary.drawn);
    let expected = canary.policy.iter().chain(&canary.margins);
    let largest = expected.clone().fold(1f32, |most, x| most.max(x.abs()));
    for (found, expected) in output.policy.iter().chain(output.margins).zip(expected) {
        let difference = (found - expected).abs();
        if difference.is_nan() || difference > TOLERANCE * largest {
            let logits = [found.to_string(), expected.to_string()];
            return Err(CanaryError::Differs { position: format_edges(board, canary.drawn), path, logits });
        }
    }
    Ok(())
}
