//! Canaries: positions with what training's own forward pass said of them. An engine that cannot reproduce that is not
//! the network that was trained, whatever the reason, and does not get to play.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, Edges, format_edges};

use super::{Engine, Network, Path, Weights};

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
    /// The engine does not say what training said.
    Differs {
        /// The position, as text.
        position: String,
        /// The path it was evaluated on.
        path: Path,
        /// How far its logits are off.
        percent: String,
    },
}

impl fmt::Display for CanaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CanaryError::Differs { position, path, percent } => write!(
                f,
                "the network does not say of {position} what it said in training: it is off by {percent} on path {}; the \
                 weights are damaged or of another program",
                path.name()
            ),
        }
    }
}

impl std::error::Error for CanaryError {}

impl Network {
    /// The network, after its canaries have been compared on the path it is to play on.
    ///
    /// # Errors
    /// When an answer differs. Weights without canaries are taken as they are.
    ///
    /// # Panics
    /// As [`Network::new`].
    pub fn checked(weights: &Weights, path: Path) -> Result<Arc<Network>, CanaryError> {
        let network = Arc::new(Network::new(weights));
        let mut engine = Engine::with_path(network.clone(), path);
        weights.canaries.iter().try_for_each(|canary| compare(weights.board, &mut engine, path, canary))?;
        Ok(network)
    }
}

fn compare(board: Board, engine: &mut Engine, path: Path, canary: &Canary) -> Result<(), CanaryError> {
    let output = engine.forward(canary.drawn);
    let differences = [deviation(output.policy, &canary.policy), deviation(output.margins, &canary.margins)];
    // Twice, as training's own forward pass is off as well.
    let is_off = |difference: &f32| difference.is_nan() || *difference > 2.0 * path.tolerance();
    if let Some(difference) = differences.into_iter().find(is_off) {
        return Err(CanaryError::Differs {
            position: format_edges(board, canary.drawn),
            path,
            percent: percent(difference),
        });
    }
    Ok(())
}

/// The root of the mean square of the differences, as a share of that of the expected logits or of 1.
pub fn deviation(found: &[f32], expected: &[f32]) -> f32 {
    let squares = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>() / expected.len() as f32;
    let size = squares(&mut expected.iter().copied()).max(1.0);
    let differences = squares(&mut found.iter().zip(expected).map(|(found, expected)| found - expected));
    (differences / size).sqrt()
}

fn percent(share: f32) -> String {
    format!("{:.2} %", 100.0 * share)
}
