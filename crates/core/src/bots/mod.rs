//! Bots that choose moves from positions: rules of thumb, levels for people, and players that
//! search.
//!
//! [`RuleBot`] follows a rule of thumb. [`LevelBot`] plays as a person of some level.
//! [`SearchPlayer`] builds searching bots; the arena, submissions and the browser's page all play
//! through it.
//!
//! The module uses [`board`](crate::board), [`solver`](crate::solver), [`net`](crate::net) and
//! [`search`](crate::search). It has no processes, clocks or files.

mod board_networks;
mod evaluator_source;
mod level;
mod of_board;
mod rule;
mod search_player;

pub use board_networks::BoardNetworks;
pub use evaluator_source::EvaluatorSource;
pub use level::{LEVELS, Level, LevelBot, Traits};
pub(crate) use of_board::OfBoard;
pub use rule::RuleBot;
pub use search_player::{AnyPlayer, SearchPlayer};
