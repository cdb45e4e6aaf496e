//! The pipes to a bot on Windows, each served by a thread, since they cannot be polled.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::last_lines::LastLines;
use super::{Answer, BotEnds};

/// The most bytes of a line. The rest of a longer line is read as further lines.
const MAX_LINE: u64 = 4096;

/// The time between two checks of the stop flag while an answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The arena's ends of the pipes to a bot.
pub(super) struct Pipes {
    /// The lines for the bot, one at a time.
    questions: SyncSender<Vec<u8>>,
    /// The lines that the bot prints.
    lines: Receiver<Vec<u8>>,
    /// The last lines of stderr.
    last_errors: Arc<Mutex<LastLines>>,
}

impl Pipes {
    /// Makes the pipes to a bot, and returns its ends too.
    pub fn new() -> io::Result<(Pipes, BotEnds)> {
        let (bot_stdin, mut stdin) = io::pipe()?;
        let (stdout, bot_stdout) = io::pipe()?;
        let (stderr, bot_stderr) = io::pipe()?;
        let (questions, asked) = sync_channel::<Vec<u8>>(1);
        Builder::new().spawn(move || {
            while asked.recv().is_ok_and(|line| stdin.write_all(&line).and_then(|()| stdin.flush()).is_ok()) {}
        })?;
        // The channel holds no lines, so that a bot that prints unasked blocks on its own pipe.
        let (sender, lines) = sync_channel(0);
        Builder::new().spawn(move || read_lines(stdout, |line| sender.send(line).is_ok()))?;
        let last_errors = Arc::new(Mutex::new(LastLines::default()));
        let last = last_errors.clone();
        Builder::new().spawn(move || {
            read_lines(stderr, |line| {
                last.lock().is_ok_and(|mut last| {
                    last.push(&line);
                    true
                })
            })
        })?;
        let ends = BotEnds { stdin: bot_stdin.into(), stdout: bot_stdout.into(), stderr: bot_stderr.into() };
        Ok((Pipes { questions, lines, last_errors }, ends))
    }

    /// Writes a line to the bot and returns the line that it answers.
    ///
    /// # Errors
    /// Returns no error on this system.
    pub fn ask(&mut self, line: &[u8], deadline: Instant, stop: &AtomicBool) -> io::Result<Answer> {
        // Lines that were printed before the bot was asked are no answer.
        while Instant::now() < deadline && self.lines.try_recv().is_ok() {}
        match self.questions.try_send(line.to_vec()) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Ok(Answer::Late),
            Err(TrySendError::Disconnected(_)) => return Ok(Answer::Closed),
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(line) => return Ok(Answer::Line(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Answer::Closed),
                Err(RecvTimeoutError::Timeout) if stop.load(Relaxed) => return Ok(Answer::Stopped),
                Err(RecvTimeoutError::Timeout) if left <= POLL_INTERVAL => return Ok(Answer::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns the last lines of stderr of a bot that has ended.
    pub fn last_errors(&mut self) -> LastLines {
        self.last_errors.lock().map(|lines| lines.clone()).unwrap_or_default()
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
