//! The arena: its JSON, its referee, the bots, and matches between them.

mod action;
mod bot;
mod bots;
mod matches;
mod observation;
mod referee;
mod respond;
mod spec;
mod statistics;

pub use action::{ActionError, format_action, parse_action};
pub use bot::Bot;
pub use bots::{Chains, First, Greedy, Random, SearchBot, SolverBot};
pub use matches::{Game, MatchSettings, PairResult, play_pairs};
pub use observation::{Observation, ObservationError, format_observation, parse_observation};
pub use referee::{GameRecord, match_nonce, referee};
pub use respond::respond;
pub use spec::{BOT_FORMS, BotFactory, BotSpec, SpecError};
pub use statistics::{EloEstimate, elo, paired_elo, wilson_interval};
