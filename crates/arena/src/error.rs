//! Errors in the names of bots and in the settings of a match, and errors that end one.

use std::io;

use thiserror::Error;

use super::BuiltInError;
use super::spec::meant_bot;
use doublecross_core::board::Board;
use doublecross_core::net::{CanaryError, UnknownIsa};
use doublecross_core::shell::shell_word;

/// An error in a bot's name, or in the weights that it names.
#[derive(Debug, Error)]
pub enum SpecError {
    /// There is no such bot.
    #[error("unknown bot {}{}", shell_word(text), meant_bot(text))]
    Unknown {
        /// The bot's name as it was given.
        text: String,
    },
    /// A part that the bot's name lacks.
    #[error("bot {}: its {what} is missing (as in {example})", shell_word(text))]
    Missing {
        /// The bot's name as it was given.
        text: String,
        /// What is missing.
        what: String,
        /// A name that has it.
        example: String,
    },
    /// An option that the bot does not have.
    #[error("bot {}: it has no option {} ({hint})", shell_word(text), shell_word(option))]
    Option {
        /// The bot's name as it was given.
        text: String,
        /// The option.
        option: String,
        /// The option that was probably meant, or all that the bot has.
        hint: String,
    },
    /// Two options that change the same setting.
    #[error(
        "bot {}: {} and {} cannot be combined (leave out one)",
        shell_word(text),
        shell_word(other),
        shell_word(option)
    )]
    Clash {
        /// The bot's name as it was given.
        text: String,
        /// One option.
        option: String,
        /// The other, which stands before it.
        other: String,
    },
    /// An invalid number or value of an option.
    #[error("bot {}: {what} must be {expected}", shell_word(text))]
    Value {
        /// The bot's name as it was given.
        text: String,
        /// The option, or the number in the name.
        what: String,
        /// A description of the valid values.
        expected: String,
    },
    /// An instruction set that does not exist or that this processor lacks.
    #[error("bot {}: {error}", shell_word(text))]
    Isa {
        /// The bot's name as it was given.
        text: String,
        /// The error, which lists the available ones.
        error: UnknownIsa,
    },
    /// A network that does not reproduce its canaries on the instruction set.
    #[error("bot {}: {error}", shell_word(text))]
    Canary {
        /// The bot's name as it was given.
        text: String,
        /// The error.
        error: CanaryError,
    },
    /// Built-in networks that cannot be used.
    #[error("bot {}: {error}", shell_word(text))]
    BuiltIn {
        /// The bot's name as it was given.
        text: String,
        /// The error.
        error: BuiltInError,
    },
    /// A checkpoint that cannot be loaded.
    #[error("bot {}: {error}", shell_word(text))]
    Checkpoint {
        /// The bot's name as it was given.
        text: String,
        /// The error.
        error: String,
    },
}

/// An opening that asks for more edges than the board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an opening of {edges} edges is too long: {board} has {} edges", board.edges())]
pub struct OpeningError {
    /// The board.
    pub board: Board,
    /// The number of edges that were asked for.
    pub edges: usize,
}

/// An error that ends a match: the system failed to ask a bot. It is not the bot's failure.
#[derive(Debug, Error)]
#[error("bot {} cannot be asked: {error}", shell_word(bot))]
pub struct MatchError {
    /// The name of the bot.
    pub bot: String,
    /// The system's error.
    pub error: io::Error,
}
