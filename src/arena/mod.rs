//! Matches between bots: names of bots, the bots themselves, the referee, and logs of games.
//!
//! Start with [`BotSpec`], a bot as it is named on the command line; its [`BotFactory`] makes the
//! bots, and [`play_pairs`] plays a match between two of them (docs/bots.md).
//!
//! This module may use everything above `arena` in the list of layers in [the crate's
//! documentation](crate). It plays games on rayon's threads and starts the processes of external
//! bots, but prints nothing.

mod bot;
mod bots;
mod error;
mod factory;
mod help;
mod log;
mod logged_game;
mod matches;
mod options;
mod referee;
mod result;
mod spec;

pub use bot::Bot;
pub use bots::{ExternalLimits, Launch, supervise};
pub use error::{MatchError, OpeningError, SpecError};
pub use factory::BotFactory;
pub use help::bot_help;
pub use log::{LogContents, append_log, check_log, parse_log, read_log};
pub use logged_game::{LoggedGame, LoggedGameError};
pub use matches::{MatchOutcome, MatchSettings, Observer, play_pairs};
pub use referee::{GameRecord, Times, match_nonce, referee};
pub use result::{Game, PairResult};
pub use spec::BotSpec;
