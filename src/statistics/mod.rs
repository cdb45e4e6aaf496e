//! Statistics of games and of shares: Wilson intervals, Elo differences, ratings.

mod elo;
mod interval;
mod rating;

pub use elo::{EloEstimate, elo, paired_elo, score};
pub use interval::wilson_interval;
pub use rating::{Rating, ratings};
