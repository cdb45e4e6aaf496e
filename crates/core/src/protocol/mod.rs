//! The protocol between an arena and a bot: observations and actions as JSON (docs/protocol.md).
//!
//! A bot calls [`respond`] with each line that it receives. An arena writes observations with
//! [`format_observation`] and reads actions with [`parse_action`].
//!
//! This module belongs to the bot core: it uses [`board`](crate::board) and the standard library
//! alone, with a JSON reader of its own. No input makes it panic.

mod action;
mod json;
mod last_turn;
mod lines;
mod observation;
mod respond;

pub use action::{ActionError, format_action, parse_action};
pub use json::{Json, JsonError};
pub(crate) use json::{list, quoted};
pub use last_turn::LastTurn;
pub use lines::{Line, Lines, MAX_LINE, numbered_lines, trim_line};
pub use observation::{Observation, ObservationError, format_observation, parse_observation};
pub use respond::{Response, respond, response};
