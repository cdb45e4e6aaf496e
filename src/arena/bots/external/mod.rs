//! `exec:COMMAND`: a bot in processes of its own, which are limited in time and memory and always
//! ended (docs/protocol.md).

mod cleanup;
mod process;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use process::{BotProcess, printable};

use crate::arena::Bot;
use crate::board::{Edge, Position, Seat};
use crate::bots::RuleBot;
use crate::protocol::{format_observation, parse_action};

/// The limits of a bot in processes of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalLimits {
    /// The time for an action, in seconds.
    pub seconds: f64,
    /// The address space of each process in MiB, or 0 for no limit. On Windows there is no limit.
    pub memory: u64,
}

impl Default for ExternalLimits {
    fn default() -> ExternalLimits {
        ExternalLimits { seconds: 10.0, memory: 4096 }
    }
}

/// The number of times that a bot is started in a game. If it fails after that, it misses its
/// turns.
const MAX_STARTS: usize = 3;

/// A bot that receives observations and sends actions over pipes, one on each line.
///
/// A late, malformed or missing action is no action. After a late or missing one the bot's
/// processes are ended, and it is started again on the next turn. No process is left running when
/// the bot is dropped.
pub struct ExternalBot {
    command: String,
    limits: ExternalLimits,
    stop: Arc<AtomicBool>,
    process: Option<BotProcess>,
    /// The number of starts in this game.
    starts: usize,
    /// The first failure of this game.
    trouble: Option<String>,
}

impl ExternalBot {
    /// Returns the bot of a shell command. While `stop` is set, its answers are not waited for.
    pub fn new(command: &str, limits: ExternalLimits, stop: Arc<AtomicBool>) -> ExternalBot {
        ExternalBot { command: command.into(), limits, stop, process: None, starts: 0, trouble: None }
    }

    /// Sends the bot an observation, and returns the line that it answers, or `None` if there is no
    /// answer in time.
    fn ask(&mut self, position: &Position, you: Seat, nonce: u64) -> Option<String> {
        if self.process.is_none() {
            if self.starts == MAX_STARTS {
                return None;
            }
            self.starts += 1;
            match BotProcess::start(&self.command, self.limits) {
                Ok(process) => self.process = Some(process),
                Err(error) => self.note_trouble(error.to_string()),
            }
        }
        let observation = format!("{}\n", format_observation(position, you, nonce));
        let time = Duration::from_secs_f64(self.limits.seconds);
        let process = self.process.as_mut()?;
        let answer = process.ask(observation, time, &self.stop);
        if answer.is_none() {
            if self.trouble.is_none() {
                self.trouble = Some(process.trouble(time));
            }
            self.process = None;
        }
        answer.map(|answer| String::from_utf8_lossy(&answer).into_owned())
    }

    /// Keeps a failure if it is the first one of the game.
    fn note_trouble(&mut self, trouble: String) {
        self.trouble.get_or_insert(trouble);
    }
}

impl Bot for ExternalBot {
    fn start_game(&mut self) {
        self.process = None;
        self.starts = 0;
        self.trouble = None;
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        self.answer(position, nonce).unwrap_or_else(|| RuleBot::First.choose(position, nonce))
    }

    fn answer(&mut self, position: &Position, nonce: u64) -> Option<Edge> {
        let text = self.ask(position, position.mover(), nonce)?;
        let action = parse_action(position.board(), &text).ok();
        match action {
            None => self.note_trouble(format!("no action: {}", printable(&text))),
            Some(edge) if !position.undrawn().contains(edge) => {
                self.note_trouble(format!("drawn already: {}", printable(&text)));
            }
            Some(_) => {}
        }
        action
    }

    fn watch(&mut self, position: &Position, nonce: u64) {
        self.ask(position, 1 - position.mover(), nonce);
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.clone()
    }

    fn end_game(&mut self) {
        self.process = None;
    }
}
