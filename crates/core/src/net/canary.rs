//! Canaries: positions stored in a weights file with the output of training's own forward pass.
//!
//! An engine that does not reproduce them does not compute the network that was trained, whatever
//! the reason, and is not used.

use std::fmt;
use std::sync::Arc;

use crate::board::State;

use super::{Engine, Isa, Network, Output, Weights};

/// A capture-free state and its logits, in the layout of [`Output`].
#[derive(Clone, Debug, PartialEq)]
pub struct Canary {
    /// The state.
    pub state: State,
    /// Logits of the policy, `[cell][2]`.
    pub policy: Vec<f32>,
    /// Logits of the margins -boxes..=boxes.
    pub margins: Vec<f32>,
}

/// An error for a network that does not reproduce its canaries on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanaryError {
    /// The output in f32 differs from the stored one.
    Differs {
        /// The position, as text.
        position: String,
        /// The instruction set that it was evaluated on.
        isa: Isa,
        /// The relative deviation of the logits, as in "1.25 %".
        percent: String,
    },
    /// The instruction set rounds too much for this network.
    Rounds {
        /// The instruction set.
        isa: Isa,
        /// The relative deviation of the logits, as in "1.25 %".
        percent: String,
    },
}

impl fmt::Display for CanaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CanaryError::Differs { position, isa, percent } => write!(
                f,
                "the network does not compute what it did in training: on instruction set {} its output for {position} is \
                 off by {percent} (the weights are damaged, or another program wrote them)",
                isa.name()
            ),
            CanaryError::Rounds { isa, percent } => write!(
                f,
                "instruction set {} rounds too much for this network: the output is off by {percent} (choose another \
                 one, such as {})",
                isa.name(),
                isa.without_bytes().name()
            ),
        }
    }
}

impl std::error::Error for CanaryError {}

impl Network {
    /// Lays out weights for inference as [`Network::new`] does, and checks them by their canaries.
    ///
    /// In f32, the output for each canary must agree with the stored one. On the instruction set
    /// `isa`, the outputs for all canaries together must agree with those in f32 within its
    /// [tolerance](Isa::tolerance). Weights without canaries are not checked.
    ///
    /// # Errors
    /// Returns an error if an output differs by more than that.
    ///
    /// # Panics
    /// Panics if the tensors are not those of the architecture.
    pub fn checked(weights: &Weights, isa: Isa) -> Result<Arc<Network>, CanaryError> {
        let network = Arc::new(Network::new(weights, isa));
        let in_floats = Isa::fastest_float();
        let mut floats = Engine::with_isa(network.clone(), in_floats);
        let mut engine = Engine::with_isa(network.clone(), isa);
        let mut rounded = [Deviation::default(), Deviation::default()];
        for canary in &weights.canaries {
            let exact = floats.forward(canary.state);
            // Twice the tolerance, since training's own forward pass rounds as well.
            compare(in_floats, &exact, canary, 2.0 * in_floats.tolerance())?;
            let found = engine.forward(canary.state);
            rounded[0].add(found.policy, exact.policy);
            rounded[1].add(found.margins, exact.margins);
        }
        // All positions together: where the logits of one are all small, a small difference is a
        // large share of them.
        match rounded.iter().map(Deviation::share).find(|&share| is_off(share, isa.tolerance())) {
            Some(share) => Err(CanaryError::Rounds { isa, percent: percent(share) }),
            None => Ok(network),
        }
    }
}

/// Compares the output for a canary, computed on `isa`, with the stored one.
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

/// The relative deviation of logits, summed over several positions.
#[derive(Default)]
struct Deviation {
    /// The sum of the squared differences.
    differences: f32,
    /// The sum of the squared expected logits.
    expected: f32,
    count: usize,
}

impl Deviation {
    fn add(&mut self, found: &[f32], expected: &[f32]) {
        self.differences +=
            found.iter().zip(expected).map(|(found, expected)| (found - expected) * (found - expected)).sum::<f32>();
        self.expected += expected.iter().map(|x| x * x).sum::<f32>();
        self.count += expected.len();
    }

    /// The root mean square of the differences divided by that of the expected logits, or by 1 if
    /// that is larger.
    fn share(&self) -> f32 {
        (self.differences / self.expected.max(self.count.max(1) as f32)).sqrt()
    }
}

/// The relative deviation of logits: the root mean square of the differences divided by that of the
/// expected logits, or by 1 if that is larger.
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
    fn small_logits_count_little_in_the_deviation_of_several_positions() {
        let (flat, sharp) = ([1.0; 10], [10.0, -10.0, 0.0, 10.0]);
        assert_eq!(deviation(&[1.5; 10], &flat), 0.5);
        let mut together = Deviation::default();
        together.add(&[1.5; 10], &flat);
        together.add(&sharp, &sharp);
        assert!((0.05..0.1).contains(&together.share()), "{}", together.share());
        together.add(&[f32::NAN], &[0.0]);
        assert!(is_off(together.share(), 1.0) && !is_off(Deviation::default().share(), 0.0));
    }
}
