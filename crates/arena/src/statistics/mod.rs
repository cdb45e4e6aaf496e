//! Statistics of games and of shares: Wilson intervals, Elo differences, means over seeds and
//! ratings. The module uses the standard library alone.

mod elo;
mod interval;
mod rating;
mod seeds;

pub use elo::{EloEstimate, elo, paired_elo, score, score_of_elo};
pub use interval::wilson_interval;
pub use rating::{Rating, groups, ratings};
pub use seeds::{Mean, SeedScores, elo_of_seeds};
