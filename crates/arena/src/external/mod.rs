//! `exec:COMMAND`: a bot in processes of its own, which are limited in time and memory, confined
//! where the system allows it, and always ended (docs/protocol.md).

mod last_lines;
mod launch;
#[cfg(unix)]
mod lines;
#[cfg_attr(windows, path = "pipes_windows.rs")]
mod pipes;
#[cfg(target_os = "linux")]
mod supervisor;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub use launch::{Launch, supervise};

use launch::{BotEnds, Launcher};
use pipes::Pipes;

use crate::Bot;
use doublecross_core::board::{Edge, Position, Seat};
use doublecross_core::bots::RuleBot;
use doublecross_core::protocol::{ActionError, format_observation, parse_action};

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

/// The outcome of a question to a bot.
enum Answer {
    /// The line that the bot answered.
    Line(Vec<u8>),
    /// The bot did not answer in time.
    Late,
    /// The bot closed a pipe, as it does when it ends.
    Closed,
    /// The stop flag was set.
    Stopped,
}

/// The number of times that a bot is started in a game. If it fails after that, it misses its
/// turns.
const MAX_STARTS: usize = 3;

/// Words of messages about memory that the system refused.
const MEMORY_WORDS: [&str; 5] = ["memory", "alloc", "mmap", "reserve", "pthread_create"];

/// The time for a bot that closed its pipes to end. A process closes its pipes a little before it
/// ends.
const PATIENCE: Duration = Duration::from_millis(100);

/// A bot that receives observations and sends actions over pipes, one on each line.
///
/// A late, malformed or missing action is no action. After a late or missing one the bot's
/// processes are ended, and it is started again on the next turn. No process is left running when
/// the bot is dropped.
pub struct ExternalBot {
    limits: ExternalLimits,
    stop: Arc<AtomicBool>,
    launcher: Launcher,
    /// The pipes to the running bot.
    pipes: Option<Pipes>,
    /// The number of starts in this game.
    starts: usize,
    /// The first failure of this game.
    trouble: Option<String>,
}

impl ExternalBot {
    /// Returns the bot of a shell command. While `stop` is set, its answers are not waited for.
    pub fn new(command: &str, limits: ExternalLimits, launch: Launch, stop: Arc<AtomicBool>) -> ExternalBot {
        let launcher = Launcher::new(command, limits, launch);
        ExternalBot { limits, stop, launcher, pipes: None, starts: 0, trouble: None }
    }

    /// Sends the bot an observation, and returns the line that it answers, or `None` if there is no
    /// answer in time.
    ///
    /// # Errors
    /// Returns an error if this system fails to start or ask the bot.
    fn ask(&mut self, position: &Position, you: Seat, nonce: u64) -> io::Result<Option<String>> {
        let time = Duration::from_secs_f64(self.limits.seconds);
        let deadline = Instant::now() + time;
        if self.pipes.is_none() {
            if self.starts == MAX_STARTS {
                return Ok(None);
            }
            self.starts += 1;
        }
        let pipes = match &mut self.pipes {
            Some(pipes) => pipes,
            None => self.pipes.insert(self.launcher.start()?),
        };
        let observation = format!("{}\n", format_observation(position, you, nonce));
        let patience = match pipes.ask(observation.as_bytes(), deadline, &self.stop)? {
            Answer::Line(line) => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
            Answer::Late => Some(Duration::ZERO),
            Answer::Closed => Some(PATIENCE),
            Answer::Stopped => None,
        };
        let mut pipes = self.pipes.take();
        let status = self.launcher.end(patience.unwrap_or_default())?;
        let last_errors = pipes.as_mut().map(Pipes::last_errors).unwrap_or_default();
        if let Some(patience) = patience {
            let cause = match status {
                Some(status) => format!("it ended ({status})"),
                None if patience.is_zero() => {
                    format!("it did not act within {} s (--timeout gives it longer)", self.limits.seconds)
                }
                None => "it closed its stdin or stdout".into(),
            };
            let hint = match self.limits.memory {
                memory if memory > 0 && last_errors.mention(&MEMORY_WORDS) => {
                    format!(
                        "; each of its processes has {memory} MiB of address space (--memory raises that, 0 lifts it)"
                    )
                }
                _ => String::new(),
            };
            self.note_trouble(format!("{cause}{hint}{}", last_errors.text()));
        }
        Ok(None)
    }

    /// Ends the bot's processes.
    fn end(&mut self) {
        if self.pipes.take().is_some() {
            // A failure to start a bot that is not asked any more does not matter.
            let _ = self.launcher.end(Duration::ZERO);
        }
    }

    /// Keeps a failure if it is the first one of the game.
    fn note_trouble(&mut self, trouble: String) {
        self.trouble.get_or_insert(trouble);
    }
}

impl Bot for ExternalBot {
    fn start_game(&mut self) {
        self.end();
        self.starts = 0;
        self.trouble = None;
    }

    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let answer = self.answer(position, nonce).unwrap_or_else(|error| {
            self.note_trouble(error.to_string());
            None
        });
        answer.unwrap_or_else(|| RuleBot::First.choose(position, nonce))
    }

    fn answer(&mut self, position: &Position, nonce: u64) -> io::Result<Option<Edge>> {
        let Some(text) = self.ask(position, position.mover(), nonce)? else { return Ok(None) };
        let action = parse_action(position.board(), &text);
        match &action {
            Err(error @ ActionError::OffBoard { .. }) => {
                self.note_trouble(format!("{error}: {}", printable(text.trim())));
            }
            Err(_) => self.note_trouble(format!("it answered no action: {}", printable(text.trim()))),
            Ok(edge) if !position.undrawn().contains(*edge) => {
                self.note_trouble(format!("it chose an edge that is drawn already: {}", printable(text.trim())));
            }
            Ok(_) => {}
        }
        Ok(action.ok())
    }

    fn watch(&mut self, position: &Position, nonce: u64) -> io::Result<()> {
        self.ask(position, 1 - position.mover(), nonce).map(|_| ())
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.clone()
    }

    fn end_game(&mut self) {
        self.end();
    }
}

impl Drop for ExternalBot {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns a line that can be printed: cut to 1000 characters, and without control characters, which
/// a terminal might interpret.
fn printable(line: &str) -> String {
    const LONGEST: usize = 1000;
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use doublecross_core::board::Board;

    /// A bot that this process starts itself is ended with its process group.
    #[test]
    fn a_bot_is_started_and_ended_without_a_supervisor() {
        let limits = ExternalLimits { seconds: 20.0, ..ExternalLimits::default() };
        let command = r#"sleep 1000 & while read line; do echo '{"orient":"H","r":0,"c":1}'; done"#;
        let mut bot = ExternalBot::new(command, limits, Launch::default(), Arc::default());
        let position = Position::new(Board::new(2, 2).unwrap());
        bot.start_game();
        assert_eq!(bot.answer(&position, 1).unwrap(), Some(Edge::new(1)));
        bot.watch(&position, 1).unwrap();
        bot.end_game();
        assert_eq!(bot.trouble(), None);

        for (said, limits, trouble) in [
            ("echo why; echo not", limits, "it ended (exit status: 3)\nwhy\nnot"),
            (
                "echo MemoryError",
                ExternalLimits { memory: 300, ..limits },
                "it ended (exit status: 3); each of its processes has 300 MiB of address space (--memory raises that, 0 lifts \
                 it)\n\
                 MemoryError",
            ),
            ("echo MemoryError", ExternalLimits { memory: 0, ..limits }, "it ended (exit status: 3)\nMemoryError"),
        ] {
            let mut bot = ExternalBot::new(&format!("({said}) >&2; exit 3"), limits, Launch::default(), Arc::default());
            assert_eq!(bot.answer(&position, 1).unwrap(), None);
            assert_eq!(bot.trouble().as_deref(), Some(trouble));
        }
    }
}
