//! The items of generations that were learned from.

use doublecross_run::workers::Workers;

/// The items of a run's finished generations, which can be played again from the run's folder.
pub trait FinishedItems {
    /// Returns the number of generations with games.
    fn generations(&self) -> u64;

    /// Returns the items of a generation that workers on other machines played.
    fn workers(&self, generation: u64) -> Workers;

    /// Plays items of a generation again, and returns `true` if one of them does not come out as its
    /// shard says, or by the digest that is given. A generation that cannot be read has no such item.
    fn differ(&self, generation: u64, items: &[(u32, Option<u64>)]) -> bool;
}
