//! Matches: pairs of games, the referee, results and logs.

mod log;
mod logged_game;
mod pairs;
mod referee;
mod result;

pub use log::{LogContents, MatchLog, parse_log, read_log};
pub use logged_game::{LoggedGame, LoggedGameError};
pub use pairs::{MatchOutcome, MatchSettings, Observer, play_pairs};
pub use referee::{GameRecord, Times, match_nonce, referee};
pub use result::{Game, PairResult};
