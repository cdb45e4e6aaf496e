//! The arena at home: its referee, the bots, and matches between them.

mod bot;
mod bots;
mod log;
mod matches;
mod rating;
mod referee;
mod spec;
mod statistics;

pub use bot::Bot;
pub use bots::{External, ExternalLimits, SearchBot, SolverBot};
pub use log::{LoggedGame, ReadLog, append_log, read_log};
pub use matches::{Audience, Game, MatchSettings, PairResult, play_pairs};
pub use rating::{Rating, ratings};
pub use referee::{GameRecord, Times, match_nonce, referee};
pub use spec::{BOT_FORMS, BotFactory, BotSpec, SpecError};
pub use statistics::{EloEstimate, elo, paired_elo, score, wilson_interval};
