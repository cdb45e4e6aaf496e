//! Tree search over capture-free positions: PUCT for play, Gumbel noise and sequential halving at
//! the root for self-play.
//!
//! [`Player`] chooses the move of a position, with a [`Budget`] and an [`Evaluator`]. [`Search`] is
//! the tree search itself.
//!
//! A node is a capture-free position, or the answer to an opened chain: "take all" or "keep
//! control". Each node has proved bounds of the margin beside the mean of its simulations, and is
//! not searched further when its bounds meet. The evaluator, the solver and the end of the game all
//! give margins still to come, and [`Utility`] turns margins into the value that the search
//! maximizes.
//!
//! The module uses [`board`](crate::board), [`solver`](crate::solver) and [`net`](crate::net). The
//! papers referred to are:
//!
//! * Danihelka, Guez, Schrittwieser and Silver, *Policy improvement by planning with Gumbel*, ICLR
//!   2022.
//! * Karnin, Koren and Somekh, *Almost optimal exploration in multi-armed bandits*, ICML 2013.
//! * Rosin, *Multi-armed bandits with episode context*, 2011.
//! * Silver et al., *Mastering the game of Go without human knowledge*, Nature 2017.

mod budget;
mod cache;
mod decision;
mod diversity;
mod evaluator;
mod expand;
mod halving;
mod network;
mod node;
mod outcome;
mod player;
mod proof;
mod rollout;
mod root;
mod search;
mod selection;
mod settings;
mod simulate;
mod uniform;
mod utility;
mod variation;

pub use budget::{Budget, reach_on};
pub use cache::Cached;
pub use diversity::equivalent_moves;
pub use evaluator::{Evaluation, Evaluator, Prover};
pub use network::{NetworkEvaluator, write_evaluation};
pub use outcome::{Choice, Outcome, RootAction};
pub use player::{Play, Player};
pub use rollout::RolloutEvaluator;
pub use search::Search;
pub use settings::{MOST_SIMULATIONS, Scale, Selection, Settings};
pub use uniform::UniformEvaluator;
pub use utility::Utility;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
