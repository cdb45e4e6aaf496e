//! The questions of the query API.

use crate::board::{Position, TextError};
use crate::protocol::Json;

// The most simulations and nodes of one search or proof, so that it takes about a minute and not
// hours.
const MOST_SIMULATIONS: u64 = 100_000;
const MOST_NODES: u64 = 100_000_000;

/// A question about a position, within its limits.
pub(super) struct Question<'a> {
    pub position: Position,
    /// Simulations of the search.
    pub simulations: usize,
    /// The solver's budget in nodes.
    pub nodes: u64,
    pub nonce: u64,
    /// The kind of question.
    pub what: &'a str,
    /// The name of the bot that is to play.
    pub bot: &'a str,
}

impl<'a> Question<'a> {
    /// Reads the fields of a question.
    pub fn new(value: &'a Json) -> Result<Question<'a>, String> {
        let game =
            value.get("game").as_text().ok_or("\"game\" is missing: a board and its moves, as in \"3x3 H0,0\"")?;
        let position: Position = game.parse().map_err(|error: TextError| error.to_string())?;
        let count = |name: &str, most: u64| match value.get(name) {
            Json::Null => Ok(0),
            number => number
                .as_u64()
                .filter(|&number| number <= most)
                .ok_or_else(|| format!("\"{name}\" should be a whole number from 0 to {most}")),
        };
        Ok(Question {
            position,
            simulations: count("simulations", MOST_SIMULATIONS)? as usize,
            nodes: count("nodes", MOST_NODES)?,
            nonce: count("nonce", u64::MAX)?,
            what: value.get("what").as_text().unwrap_or_default(),
            bot: value.get("bot").as_text().unwrap_or("net"),
        })
    }
}
