//! Canaries: positions with what training's own forward pass said of them. An engine that cannot reproduce that is not
//! the network that was trained, whatever the reason, and does not get to play.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, Edges, format_edges};

use super::{Engine, Network, Output, Path, Weights};

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
    /// The network, after its canaries have been compared: what the engine says in f32 with what training said, and what it
    /// says on the path it is to play on with that, as closely as the path's rounding lets it.
    ///
    /// # Errors
    /// When an answer differs. Weights without canaries are taken as they are.
    ///
    /// # Panics
    /// As [`Network::new`].
    pub fn checked(weights: &Weights, path: Path) -> Result<Arc<Network>, CanaryError> {
        let network = Arc::new(Network::new(weights));
        let in_floats = Path::fastest_float();
        let mut floats = Engine::with_path(network.clone(), in_floats);
        let mut engine = Engine::with_path(network.clone(), path);
        for canary in &weights.canaries {
            let exact = floats.forward(canary.drawn);
            // Twice, as training's own forward pass is off as well.
            compare(weights.board, in_floats, &exact, canary, 2.0 * in_floats.tolerance())?;
            let Canary { drawn, .. } = *canary;
            let exact = Canary { drawn, policy: exact.policy.to_vec(), margins: exact.margins.to_vec() };
            compare(weights.board, path, &engine.forward(drawn), &exact, path.tolerance())?;
        }
        Ok(network)
    }
}

fn compare(board: Board, path: Path, found: &Output, expected: &Canary, limit: f32) -> Result<(), CanaryError> {
    let differences = [deviation(found.policy, &expected.policy), deviation(found.margins, &expected.margins)];
    let is_off = |difference: &f32| difference.is_nan() || *difference > limit;
    if let Some(difference) = differences.into_iter().find(is_off) {
        return Err(CanaryError::Differs {
            position: format_edges(board, expected.drawn),
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
