//! Statistics of games and of shares: Wilson intervals, Elo differences and ratings. The module
//! uses the standard library alone.

mod elo;
mod interval;
mod rating;

pub use elo::{EloEstimate, elo, paired_elo, score};
pub use interval::wilson_interval;
pub use rating::{Rating, groups, ratings};
