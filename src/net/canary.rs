//! Canaries: positions with what training's own forward pass said of them. An engine that cannot reproduce that is not
//! the network that was trained, whatever the reason, and does not get to play.

use std::fmt;
use std::sync::Arc;

use crate::board::State;

use super::{Engine, Isa, Network, Output, Weights};

/// A capture-free state and its logits, laid out as in [`Output`].
#[derive(Clone, Debug, PartialEq)]
pub struct Canary {
    /// The state.
    pub state: State,
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
        /// The instruction set it was evaluated on.
        isa: Isa,
        /// How far its logits are off.
        percent: String,
    },
    /// The instruction set rounds too much for this network.
    Rounds {
        /// The instruction set.
        isa: Isa,
        /// How far its logits are off.
        percent: String,
    },
}

impl fmt::Display for CanaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CanaryError::Differs { position, isa, percent } => write!(
                f,
                "the network does not say of {position} what it said in training: it is off by {percent} on {}; the \
                 weights are damaged or of another program",
                isa.name()
            ),
            CanaryError::Rounds { isa, percent } => write!(
                f,
                "instruction set {} rounds too much for this network: what it says is off by {percent}; choose another one, as \
                 {}",
                isa.name(),
                isa.without_bytes().name()
            ),
        }
    }
}

impl std::error::Error for CanaryError {}

impl Network {
    /// The network, after its canaries have been compared: what the engine says in f32 with what training said of each, and
    /// what it says on the instruction set it is to play on with that, as closely as its rounding lets it in all.
    ///
    /// # Errors
    /// When an answer differs. Weights without canaries are taken as they are.
    ///
    /// # Panics
    /// As [`Network::new`].
    pub fn checked(weights: &Weights, isa: Isa) -> Result<Arc<Network>, CanaryError> {
        let network = Arc::new(Network::new(weights, isa));
        let in_floats = Isa::fastest_float();
        let mut floats = Engine::with_isa(network.clone(), in_floats);
        let mut engine = Engine::with_isa(network.clone(), isa);
        let mut rounded = [Deviation::default(), Deviation::default()];
        for canary in &weights.canaries {
            let exact = floats.forward(canary.state);
            // Twice, as training's own forward pass is off as well.
            compare(in_floats, &exact, canary, 2.0 * in_floats.tolerance())?;
            let found = engine.forward(canary.state);
            rounded[0].add(found.policy, exact.policy);
            rounded[1].add(found.margins, exact.margins);
        }
        // Of all positions together: where a network has next to no opinion, next to anything is a large part of it.
        match rounded.iter().map(Deviation::share).find(|&share| is_off(share, isa.tolerance())) {
            Some(share) => Err(CanaryError::Rounds { isa, percent: percent(share) }),
            None => Ok(network),
        }
    }
}

fn compare(isa: Isa, found: &Output, expected: &Canary, limit: f32) -> Result<(), CanaryError> {
    let differences = [deviation(found.policy, &expected.policy), deviation(found.margins, &expected.margins)];
    match differences.into_iter().find(|&share| is_off(share, limit)) {
        Some(share) => Err(CanaryError::Differs { position: expected.state.to_string(), isa, percent: percent(share) }),
        None => Ok(()),
    }
}

fn is_off(share: f32, limit: f32) -> bool {
    share.is_nan() || share > limit
}

/// How far logits are off.
#[derive(Default)]
struct Deviation {
    /// Sums of squares.
    differences: f32,
    expected: f32,
    count: usize,
}

impl Deviation {
    fn add(&mut self, found: &[f32], expected: &[f32]) {
        self.differences += found.iter().zip(expected).map(|(found, expected)| (found - expected).powi(2)).sum::<f32>();
        self.expected += expected.iter().map(|x| x * x).sum::<f32>();
        self.count += expected.len();
    }

    /// The root of the mean square of the differences, as a share of that of the expected logits or of 1.
    fn share(&self) -> f32 {
        (self.differences / self.expected.max(self.count.max(1) as f32)).sqrt()
    }
}

/// How far logits are off: the root of the mean square of the differences, as a share of that of the expected logits or of 1.
pub fn deviation(found: &[f32], expected: &[f32]) -> f32 {
    let mut deviation = Deviation::default();
    deviation.add(found, expected);
    deviation.share()
}

fn percent(share: f32) -> String {
    format!("{:.2} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_to_no_opinion_is_not_far_from_any() {
        let (flat, sharp) = ([1.0; 10], [10.0, -10.0, 0.0, 10.0]);
        assert_eq!(deviation(&[1.5; 10], &flat), 0.5);
        let mut together = Deviation::default();
        together.add(&[1.5; 10], &flat);
        together.add(&sharp, &sharp);
        assert!((0.05..0.1).contains(&together.share()), "{}", together.share());
        together.add(&[f32::NAN], &[0.0]);
        assert!(is_off(together.share(), 1.0) && !is_off(Deviation::default().share(), 0.0));
        let error = CanaryError::Rounds { isa: Isa::Int8, percent: percent(0.5) }.to_string();
        assert!(error.contains("instruction set int8") && error.contains("another one"), "{error}");
    }
}
