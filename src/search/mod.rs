//! Tree search over capture-free positions: PUCT for play, with a Gumbel root for self-play.
//!
//! A node is a capture-free position, or the answer to an opened chain: «take all» or «keep control». Each node holds
//! proved bounds of the margin beside the mean of its simulations; a node whose bounds meet is not searched further.
//! Network, solver and the game's end speak the same language, a margin still to come, and [`Utility`] alone turns
//! margins into what the search maximises.
//!
//! Danihelka, Guez, Schrittwieser and Silver, *Policy improvement by planning with Gumbel*, ICLR 2022.

mod budget;
mod cache;
mod diversity;
mod evaluator;
mod expand;
mod halving;
mod network;
mod outcome;
mod play;
mod proof;
mod rollout;
mod root;
mod selection;
mod settings;
mod simulate;
mod tree;
mod uniform;
mod utility;
mod variation;

pub use budget::Budget;
pub use cache::Cached;
pub use diversity::equivalent_moves;
pub use evaluator::{Evaluation, Evaluator, Prover};
pub use network::{NetworkEvaluator, write_evaluation};
pub use outcome::{Choice, Outcome, RootAction};
pub use play::{Play, Player};
pub use rollout::RolloutEvaluator;
pub use settings::{MOST_SIMULATIONS, Scale, Selection, Settings};
pub use tree::Search;
pub use uniform::UniformEvaluator;
pub use utility::Utility;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
