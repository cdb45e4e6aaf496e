//! The arena at home: its referee, the bots, and matches between them.

mod bot;
mod bots;
mod factory;
mod log;
mod matches;
mod options;
mod referee;
mod spec;

pub use bot::Bot;
pub use bots::{External, ExternalLimits, SearchBot, SolverBot};
pub use factory::BotFactory;
pub use log::{LoggedGame, ReadLog, append_log, parse_log, read_log};
pub use matches::{Game, MatchSettings, Observer, PairResult, play_pairs};
pub use options::{BOT_OPTIONS, BotOption};
pub use referee::{GameRecord, Times, match_nonce, referee};
pub use spec::{BotSpec, SpecError, bot_forms};
