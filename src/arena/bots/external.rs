//! `exec:COMMAND`: a bot in processes of its own, which are limited in time and memory and always
//! ended (docs/protocol.md).

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::processes;
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

/// The most bytes of an action's line. The rest of a longer line is read as further lines.
const MAX_LINE: u64 = 4096;

/// The number of times that a bot is started in a game. If it fails after that, it misses its
/// turns.
const MAX_STARTS: usize = 3;

/// The time between two checks of the stop flag while an answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

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

/// The running processes of a bot.
struct BotProcess {
    child: Child,
    /// The mark of its processes, see [`processes`].
    mark: String,
    /// The pipe to the bot, `None` while it is being written to.
    stdin: Option<ChildStdin>,
    /// The lines that the bot prints.
    lines: Receiver<Vec<u8>>,
    /// The last line of stderr.
    last_error: Arc<Mutex<Vec<u8>>>,
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

/// Returns the shell that runs a command, in a process group of its own.
#[cfg(not(windows))]
fn shell(command: &str, limits: ExternalLimits) -> Command {
    let limit = if limits.memory > 0 { format!("ulimit -v {}; ", limits.memory * 1024) } else { String::new() };
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit}{command}"));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    shell
}

/// Returns the shell that runs a command, without a limit of memory.
#[cfg(windows)]
fn shell(command: &str, _: ExternalLimits) -> Command {
    let mut shell = Command::new("cmd");
    std::os::windows::process::CommandExt::raw_arg(shell.arg("/C"), command);
    shell
}

impl BotProcess {
    fn start(command: &str, limits: ExternalLimits) -> std::io::Result<BotProcess> {
        let mark = processes::new_mark();
        let mut shell = shell(command, limits);
        shell.env(processes::MARK, &mark).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = processes::start(&mut shell)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // The channel holds no lines, so that a bot that prints unasked blocks on its own pipe.
        let (sender, lines) = sync_channel(0);
        if let Some(stdout) = stdout {
            thread::spawn(move || read_lines(stdout, |line| sender.send(line).is_ok()));
        }
        let last_error = Arc::new(Mutex::new(Vec::new()));
        if let Some(stderr) = stderr {
            let last = last_error.clone();
            thread::spawn(move || {
                read_lines(stderr, |line| {
                    if let (false, Ok(mut last)) = (line.trim_ascii().is_empty(), last.lock()) {
                        *last = line;
                    }
                    true
                })
            });
        }
        Ok(BotProcess { child, mark, stdin, lines, last_error })
    }

    /// A description of the reason for which there was no action in `time`.
    fn trouble(&mut self, time: Duration) -> String {
        // A process closes its pipes a little before it ends, and its last output may not have been
        // read yet.
        let patience = Instant::now() + Duration::from_millis(30);
        let mut status = None;
        while status.is_none() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait().ok().flatten();
        }
        let cause =
            status.map_or_else(|| format!("no action in {} s", time.as_secs_f64()), |status| status.to_string());
        let last_error = self.last_error.lock();
        let message = last_error.map(|line| printable(&String::from_utf8_lossy(&line))).unwrap_or_default();
        if message.is_empty() { cause } else { format!("{cause}: {message}") }
    }

    /// Writes a line to the bot and returns the line that it answers, or `None` if there is none in
    /// time, the pipes are closed, or `stop` is set.
    fn ask(&mut self, line: String, time: Duration, stop: &AtomicBool) -> Option<Vec<u8>> {
        let deadline = Instant::now() + time;
        // Lines that were printed before the bot was asked are no answer.
        while Instant::now() < deadline && self.lines.try_recv().is_ok() {}
        // Another thread writes to the pipe, since a bot that does not read would block this one.
        let mut stdin = self.stdin.take()?;
        let (sender, written) = sync_channel(1);
        thread::spawn(move || {
            let result = stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush());
            let _ = sender.send(result.is_ok().then_some(stdin));
        });
        self.stdin = wait(&written, deadline, stop).flatten();
        self.stdin.as_ref()?;
        wait(&self.lines, deadline, stop)
    }
}

/// Calls `take` with each line, and with the pieces of lines that are too long, until the input
/// ends or `take` returns `false`.
fn read_lines(input: impl Read, mut take: impl FnMut(Vec<u8>) -> bool) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        match (&mut input).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(1..) if take(line) => {}
            _ => return,
        }
    }
}

/// Returns a line that can be printed: cut to 200 characters, and without control characters, which
/// a terminal might interpret.
fn printable(text: &str) -> String {
    const LONGEST: usize = 200;
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

/// Receives a value, or returns `None` at the deadline or if `stop` is set.
fn wait<T>(receiver: &Receiver<T>, deadline: Instant, stop: &AtomicBool) -> Option<T> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(POLL_INTERVAL)) {
            Ok(value) => return Some(value),
            Err(RecvTimeoutError::Timeout) if left > POLL_INTERVAL && !stop.load(Relaxed) => {}
            Err(_) => return None,
        }
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        processes::end(&mut self.child, &self.mark);
    }
}
