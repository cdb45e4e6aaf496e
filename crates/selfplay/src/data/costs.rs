//! The cost of self-play: counts and worker time.

use std::time::Duration;

/// The cost of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// The number of positions searched.
    pub searches: u64,
    /// The number of evaluations that searches asked for.
    pub evaluations: u64,
    /// The number of these that the cache did not hold.
    pub computed: u64,
    /// Worker time in all.
    pub total: Duration,
    /// Worker time in the network.
    pub network: Duration,
    /// Worker time in the solver at roots.
    pub solver: Duration,
    /// Worker time in the solver at leaves.
    pub leaves: Duration,
}

impl Costs {
    /// Returns the worker time in the search itself.
    pub fn search(&self) -> Duration {
        self.total.saturating_sub(self.network + self.solver + self.leaves)
    }

    /// Adds the cost of other games.
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
