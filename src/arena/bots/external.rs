//! `exec:COMMAND`: a bot in a process of its own, which is trusted with nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::remains;
use crate::arena::Bot;
use crate::board::{Edge, Position, Seat};
use crate::bots::RuleBot;
use crate::protocol::{format_observation, parse_action};

/// What a bot in a process of its own may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalLimits {
    /// Time for an action, in seconds.
    pub seconds: f64,
    /// Address space of each of its processes, in MiB; 0 leaves it as it is, and so does Windows.
    pub memory: u64,
}

impl Default for ExternalLimits {
    fn default() -> ExternalLimits {
        ExternalLimits { seconds: 10.0, memory: 4096 }
    }
}

/// Bytes of an action's line; a longer one is no action.
const LONGEST_LINE: u64 = 4096;

/// A bot that fails is started anew so many times a game; then its turns are missed.
const STARTS: usize = 3;

/// How long a bot is waited for before it is looked whether the match is to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// A bot that is asked over pipes, one observation and one action a line. Late, malformed and missing actions are none;
/// after a late or missing one its processes are ended and it is started anew. Nothing is left running when it goes.
pub struct External {
    command: String,
    limits: ExternalLimits,
    stop: Arc<AtomicBool>,
    process: Option<Running>,
    starts: usize,
    trouble: Option<String>,
}

struct Running {
    child: Child,
    mark: String,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    /// The last line of stderr.
    complaint: Arc<Mutex<Vec<u8>>>,
}

impl External {
    /// A bot that this shell command plays. It is not waited for when `stop` is set.
    pub fn new(command: &str, limits: ExternalLimits, stop: Arc<AtomicBool>) -> External {
        External { command: command.into(), limits, stop, process: None, starts: 0, trouble: None }
    }

    /// Tells the bot of a position and reads its answer, whatever that is.
    fn ask(&mut self, position: &Position, you: Seat, nonce: u64) -> Option<String> {
        if self.process.is_none() {
            if self.starts == STARTS {
                return None;
            }
            self.starts += 1;
            match Running::start(&self.command, self.limits) {
                Ok(process) => self.process = Some(process),
                Err(error) => self.had(error.to_string()),
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

    /// Keeps the first trouble of a game.
    fn had(&mut self, trouble: String) {
        self.trouble.get_or_insert(trouble);
    }
}

impl Bot for External {
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
            None => self.had(format!("no action: {}", shown(&text))),
            Some(edge) if !position.undrawn().contains(edge) => self.had(format!("drawn already: {}", shown(&text))),
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

/// What runs a command.
#[cfg(not(windows))]
fn shell(command: &str, limits: ExternalLimits) -> Command {
    let limit = if limits.memory > 0 { format!("ulimit -v {}; ", limits.memory * 1024) } else { String::new() };
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit}{command}"));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    shell
}

/// What runs a command. It limits no memory.
#[cfg(windows)]
fn shell(command: &str, _: ExternalLimits) -> Command {
    let mut shell = Command::new("cmd");
    std::os::windows::process::CommandExt::raw_arg(shell.arg("/C"), command);
    shell
}

impl Running {
    fn start(command: &str, limits: ExternalLimits) -> std::io::Result<Running> {
        let mark = remains::new_mark();
        let mut shell = shell(command, limits);
        shell.env(remains::MARK, &mark).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = remains::start(&mut shell)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // One line at a time is kept: a bot that prints without being asked waits for its own pipe.
        let (give, lines) = sync_channel(0);
        if let Some(stdout) = stdout {
            thread::spawn(move || read_lines(stdout, |line| give.send(line).is_ok()));
        }
        let complaint = Arc::new(Mutex::new(Vec::new()));
        if let Some(stderr) = stderr {
            let last = complaint.clone();
            thread::spawn(move || {
                read_lines(stderr, |line| {
                    if let (false, Ok(mut last)) = (line.trim_ascii().is_empty(), last.lock()) {
                        *last = line;
                    }
                    true
                })
            });
        }
        Ok(Running { child, mark, stdin, lines, complaint })
    }

    /// Why it gave no action in this time.
    fn trouble(&mut self, time: Duration) -> String {
        // Whoever ends closes its pipes a little before, and what it wrote may still be on its way.
        let patience = Instant::now() + Duration::from_millis(30);
        let mut status = None;
        while status.is_none() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait().ok().flatten();
        }
        let cause =
            status.map_or_else(|| format!("no action in {} s", time.as_secs_f64()), |status| status.to_string());
        let complaint = self.complaint.lock().map(|line| shown(&String::from_utf8_lossy(&line))).unwrap_or_default();
        if complaint.is_empty() { cause } else { format!("{cause}: {complaint}") }
    }

    /// The line that answers this one; `None` when there is none in time, the pipes are closed or it is to stop.
    fn ask(&mut self, line: String, time: Duration, stop: &AtomicBool) -> Option<Vec<u8>> {
        let deadline = Instant::now() + time;
        // What was said before it was asked is no answer.
        while Instant::now() < deadline && self.lines.try_recv().is_ok() {}
        // A bot that does not read must not hold up the match: the pipe is written to from a thread of its own.
        let mut stdin = self.stdin.take()?;
        let (give, written) = sync_channel(1);
        thread::spawn(move || {
            let result = stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush());
            let _ = give.send(result.is_ok().then_some(stdin));
        });
        self.stdin = wait(&written, deadline, stop).flatten();
        self.stdin.as_ref()?;
        wait(&self.lines, deadline, stop)
    }
}

/// Hands over line after line, cut where they are too long, until there are no more or `take` has enough.
fn read_lines(input: impl Read, mut take: impl FnMut(Vec<u8>) -> bool) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        match (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) if take(line) => {}
            _ => return,
        }
    }
}

/// A line as it can be shown: not long, and nothing in it that a terminal would obey.
fn shown(text: &str) -> String {
    const LONGEST: usize = 200;
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

/// What comes until the deadline, unless it is to stop before.
fn wait<T>(receiver: &Receiver<T>, deadline: Instant, stop: &AtomicBool) -> Option<T> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(BETWEEN_LOOKS)) {
            Ok(value) => return Some(value),
            Err(RecvTimeoutError::Timeout) if left > BETWEEN_LOOKS && !stop.load(Relaxed) => {}
            Err(_) => return None,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        remains::end(&mut self.child, &self.mark);
    }
}
