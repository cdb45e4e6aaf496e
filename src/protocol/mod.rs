//! What passes between an arena and a bot: observations and actions as JSON, read with care and without dependencies.

mod action;
mod json;
mod observation;
mod respond;

pub use action::{ActionError, format_action, parse_action};
pub use json::{Json, JsonError};
pub use observation::{Observation, ObservationError, format_observation, parse_observation};
pub use respond::respond;
