//! Errors in the names of bots and in the settings of a match, and errors that end one.

use std::io;

use thiserror::Error;

use super::BuiltInError;
use super::spec::bot_forms;
use doublecross_core::board::Board;
use doublecross_core::net::{CanaryError, UnknownIsa};

/// An error in a bot's name, or in the weights that it names.
#[derive(Debug, Error)]
pub enum SpecError {
    /// There is no such bot.
    #[error("unknown bot {text:?}; expected {}", bot_forms())]
    Unknown {
        /// The bot's name as it was given.
        text: String,
    },
    /// An option that the bot does not have.
    #[error("bot {text:?}: no option {option:?}; expected {expected}, each with =VALUE")]
    Option {
        /// The bot's name as it was given.
        text: String,
        /// The option.
        option: String,
        /// The options that the bot has.
        expected: String,
    },
    /// Two options that change the same setting.
    #[error("bot {text:?}: {option:?} cannot be combined with {other:?}; expected one of them")]
    Clash {
        /// The bot's name as it was given.
        text: String,
        /// One option.
        option: String,
        /// The other.
        other: String,
    },
    /// An invalid value of an option.
    #[error("bot {text:?}: {option:?} is not valid; expected {expected}")]
    Value {
        /// The bot's name as it was given.
        text: String,
        /// The option with its value.
        option: String,
        /// A description of the valid values.
        expected: String,
    },
    /// An instruction set that does not exist or that this processor lacks.
    #[error("bot {text:?}: isa: {error}")]
    Isa {
        /// The bot's name as it was given.
        text: String,
        /// The error, which lists the available ones.
        error: UnknownIsa,
    },
    /// A network that does not reproduce its canaries on the instruction set.
    #[error("bot {text:?}: {error}")]
    Canary {
        /// The bot's name as it was given.
        text: String,
        /// The error.
        error: CanaryError,
    },
    /// Built-in networks that cannot be used.
    #[error("bot {text:?}: {error}")]
    BuiltIn {
        /// The bot's name as it was given.
        text: String,
        /// The error.
        error: BuiltInError,
    },
    /// A checkpoint that cannot be loaded.
    #[error("bot {text:?}: {error}")]
    Checkpoint {
        /// The bot's name as it was given.
        text: String,
        /// The error.
        error: String,
    },
}

/// An opening that asks for more edges than the board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an opening of {edges} edges on {board}; expected at most {}", board.edges())]
pub struct OpeningError {
    /// The board.
    pub board: Board,
    /// The number of edges that were asked for.
    pub edges: usize,
}

/// An error that ends a match: the system failed to ask a bot. It is not the bot's failure.
#[derive(Debug, Error)]
#[error("cannot ask {bot}: {error}")]
pub struct MatchError {
    /// The name of the bot.
    pub bot: String,
    /// The system's error.
    pub error: io::Error,
}
