//! The cost of self-play: counts and worker time.

use std::time::Duration;

/// The cost of a generation's games.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// Positions searched.
    pub searches: u64,
    /// Evaluations asked for, and those the cache did not hold.
    pub evaluations: u64,
    pub computed: u64,
    /// Worker time in all, in the network, in the solver at roots, and in the solver at leaves.
    pub total: Duration,
    pub network: Duration,
    pub solver: Duration,
    pub leaves: Duration,
}

impl Costs {
    /// Worker time in the search itself.
    pub fn search(&self) -> Duration {
        self.total.saturating_sub(self.network + self.solver + self.leaves)
    }

    pub fn add(&mut self, other: &Costs) {
        self.searches += other.searches;
        self.evaluations += other.evaluations;
        self.computed += other.computed;
        self.total += other.total;
        self.network += other.network;
        self.solver += other.solver;
        self.leaves += other.leaves;
    }
}
