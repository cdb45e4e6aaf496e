//! Matches between bots: names of bots, the bots themselves, the referee, and logs of games; suites
//! of positions with exact answers, and puzzles.
//!
//! Start with [`BotSpec`], a bot as it is named on the command line; its [`BotFactory`] makes the
//! bots, and [`play_pairs`] plays a match between two of them (docs/bots.md). A program hands its
//! networks and books in as [`BuiltIn`].
//!
//! | module | contents |
//! |---|---|
//! | [`random`] | the streams of random numbers |
//! | [`statistics`] | Wilson intervals, Elo differences, means over seeds, and ratings |
//! | [`suite`] | positions with exact answers, and the scores of networks on them |
//! | [`puzzles`] | positions for people in which one move wins |
//!
//! Games are played on rayon's threads, and external bots run in processes of their own. Nothing here
//! knows training, or prints.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod bot;
mod built_in;
mod error;
mod external;
mod internal;
mod matches;
pub mod puzzles;
pub mod random;
mod spec;
mod spelling;
pub mod statistics;
pub mod suite;

pub use bot::Bot;
pub use built_in::{BuiltIn, BuiltInError};
pub use error::{MatchError, OpeningError, SpecError};
pub use external::{ExternalLimits, Launch, supervise};
pub use matches::{
    Game, GameRecord, LogContents, LoggedGame, LoggedGameError, MatchLog, MatchOutcome, MatchSettings, Observer,
    PairResult, Times, match_nonce, parse_log, play_pairs, read_log, referee,
};
pub use spec::{BotFactory, BotSpec, bot_help};
pub use spelling::edit_distance;
