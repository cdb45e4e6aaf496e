//! Positions that a run never learns from.

use std::collections::HashSet;

use doublecross_core::board::State;
use doublecross_selfplay::Shard;

/// Positions that a run is scored on and never learns from, under any symmetry.
#[derive(Clone, Debug, Default)]
pub struct HeldOut {
    canonical: HashSet<State>,
}

impl HeldOut {
    /// Returns `true` if a state is one of these positions under some symmetry.
    pub fn holds(&self, state: State) -> bool {
        self.canonical.contains(&state.canonical().0)
    }

    /// Returns the number of different positions.
    pub fn len(&self) -> usize {
        self.canonical.len()
    }

    /// Returns `true` if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty()
    }

    /// Adds the positions of another set.
    pub(crate) fn add(&mut self, other: &HeldOut) {
        self.canonical.extend(&other.canonical);
    }

    /// Returns a shard without the samples of these positions.
    pub(crate) fn without(&self, mut shard: Shard) -> Shard {
        if !self.is_empty() {
            shard.retain(|sample| !self.holds(sample.state));
        }
        shard
    }
}

impl Extend<State> for HeldOut {
    fn extend<I: IntoIterator<Item = State>>(&mut self, states: I) {
        self.canonical.extend(states.into_iter().map(|state| state.canonical().0));
    }
}

impl FromIterator<State> for HeldOut {
    fn from_iter<I: IntoIterator<Item = State>>(states: I) -> HeldOut {
        let mut held_out = HeldOut::default();
        held_out.extend(states);
        held_out
    }
}
