//! The processes of an external bot, and the pipes to them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::{ExternalLimits, cleanup};

/// The most bytes of an action's line. The rest of a longer line is read as further lines.
const MAX_LINE: u64 = 4096;

/// The time between two checks of the stop flag while an answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The running processes of a bot.
pub(super) struct BotProcess {
    child: Child,
    /// The mark of its processes, see [`cleanup`].
    mark: String,
    /// The pipe to the bot, `None` while it is being written to.
    stdin: Option<ChildStdin>,
    /// The lines that the bot prints.
    lines: Receiver<Vec<u8>>,
    /// The last line of stderr.
    last_error: Arc<Mutex<Vec<u8>>>,
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
    /// Starts the bot of a shell command.
    pub fn start(command: &str, limits: ExternalLimits) -> std::io::Result<BotProcess> {
        let mark = cleanup::new_mark();
        let mut shell = shell(command, limits);
        shell.env(cleanup::MARK, &mark).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = cleanup::start(&mut shell)?;
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
    pub fn trouble(&mut self, time: Duration) -> String {
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
    pub fn ask(&mut self, line: String, time: Duration, stop: &AtomicBool) -> Option<Vec<u8>> {
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
        cleanup::end(&mut self.child, &self.mark);
    }
}

/// Returns a line that can be printed: cut to 200 characters, and without control characters, which
/// a terminal might interpret.
pub(super) fn printable(text: &str) -> String {
    const LONGEST: usize = 200;
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}
