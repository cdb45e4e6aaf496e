//! The arena at home: its referee, the bots, and matches between them.

mod bot;
mod bots;
mod matches;
mod referee;
mod spec;
mod statistics;

pub use bot::Bot;
pub use bots::{Chains, First, Greedy, Random, SearchBot, SolverBot};
pub use matches::{Game, MatchSettings, PairResult, play_pairs};
pub use referee::{GameRecord, match_nonce, referee};
pub use spec::{BOT_FORMS, BotFactory, BotSpec, SpecError};
pub use statistics::{EloEstimate, elo, paired_elo, wilson_interval};
