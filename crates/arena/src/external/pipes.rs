//! The pipes to a bot, which are never waited for beyond a deadline.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::last_lines::LastLines;
use super::lines::Lines;
use super::{Answer, BotEnds};

/// The time between two checks of the stop flag while an answer is awaited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The most bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// The most bytes that are thrown away before a question. A pipe holds no more, unless the bot
/// prints without end.
const MAX_DISCARDED: usize = 1 << 20;

/// The arena's ends of the pipes to a bot.
pub(super) struct Pipes {
    stdin: PipeWriter,
    stdout: Source,
    stderr: Source,
    /// The last lines of stderr.
    last_errors: LastLines,
}

/// A pipe that is read.
struct Source {
    pipe: PipeReader,
    lines: Lines,
    is_open: bool,
}

impl Source {
    fn new(pipe: PipeReader) -> io::Result<Source> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Source { pipe, lines: Lines::default(), is_open: true })
    }

    /// Reads what is there, at most a chunk, and returns the number of bytes.
    fn read(&mut self) -> io::Result<usize> {
        let mut chunk = [0; CHUNK];
        match self.pipe.read(&mut chunk) {
            Ok(0) => self.is_open = false,
            Ok(count) => {
                self.lines.push(&chunk[..count]);
                return Ok(count);
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(0)
    }
}

/// Returns `true` for an error after which the same call may succeed.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl Pipes {
    /// Makes the pipes to a bot, and returns its ends too.
    pub fn new() -> io::Result<(Pipes, BotEnds)> {
        let (bot_stdin, stdin) = io::pipe()?;
        let (stdout, bot_stdout) = io::pipe()?;
        let (stderr, bot_stderr) = io::pipe()?;
        rustix::io::ioctl_fionbio(&stdin, true)?;
        let (stdout, stderr) = (Source::new(stdout)?, Source::new(stderr)?);
        let pipes = Pipes { stdin, stdout, stderr, last_errors: LastLines::default() };
        Ok((pipes, BotEnds { stdin: bot_stdin.into(), stdout: bot_stdout.into(), stderr: bot_stderr.into() }))
    }

    /// Writes a line to the bot and returns the line that it answers.
    ///
    /// # Errors
    /// Returns an error if this system fails to write or read, which is no failure of the bot.
    pub fn ask(&mut self, line: &[u8], deadline: Instant, stop: &AtomicBool) -> io::Result<Answer> {
        // Lines that were printed before the bot was asked are no answer.
        let mut discarded = 0;
        loop {
            let count = self.stdout.read()?;
            while self.stdout.lines.next_line().is_some() {}
            discarded += count;
            if count == 0 || discarded > MAX_DISCARDED {
                break;
            }
        }
        let mut unsent = line;
        loop {
            if unsent.is_empty() {
                if let Some(line) = self.stdout.lines.next_line() {
                    return Ok(Answer::Line(line));
                }
                if !self.stdout.is_open {
                    let rest = self.stdout.lines.take_rest();
                    return Ok(if rest.is_empty() { Answer::Closed } else { Answer::Line(rest) });
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if stop.load(Relaxed) {
                return Ok(Answer::Stopped);
            }
            if left.is_zero() {
                return Ok(Answer::Late);
            }
            self.wait(left.min(POLL_INTERVAL), !unsent.is_empty())?;
            if !unsent.is_empty() {
                match self.stdin.write(unsent) {
                    Ok(count) => unsent = &unsent[count..],
                    Err(error) if is_passing(&error) => {}
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Answer::Closed),
                    Err(error) => return Err(error),
                }
            }
            // More than a long line is not kept, so that a bot that prints without end blocks.
            if self.stdout.lines.len() < CHUNK {
                self.stdout.read()?;
            }
            self.read_errors()?;
        }
    }

    /// Waits until a pipe can be used, or for `time`.
    fn wait(&self, time: Duration, is_writing: bool) -> io::Result<()> {
        let mut pipes = Vec::with_capacity(3);
        if is_writing {
            pipes.push(PollFd::new(&self.stdin, PollFlags::OUT));
        }
        for source in [&self.stdout, &self.stderr] {
            if source.is_open && source.lines.len() < CHUNK {
                pipes.push(PollFd::from_borrowed_fd(source.pipe.as_fd(), PollFlags::IN));
            }
        }
        let time = Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ };
        match poll(&mut pipes, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what is there of stderr, at most a chunk, and keeps its last lines. Returns the number of
    /// bytes.
    fn read_errors(&mut self) -> io::Result<usize> {
        let count = if self.stderr.is_open { self.stderr.read()? } else { 0 };
        while let Some(line) = self.stderr.lines.next_line() {
            self.last_errors.push(&line);
        }
        Ok(count)
    }

    /// Returns the last lines of stderr of a bot that has ended.
    pub fn last_errors(&mut self) -> LastLines {
        let mut read = 0;
        while let Ok(count @ 1..) = self.read_errors() {
            read += count;
            if read > MAX_DISCARDED {
                break;
            }
        }
        let rest = self.stderr.lines.take_rest();
        self.last_errors.push(&rest);
        std::mem::take(&mut self.last_errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(50)
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// The bot's ends, for this process.
    fn opened(ends: BotEnds) -> (std::fs::File, std::fs::File, std::fs::File) {
        (ends.stdin.into(), ends.stdout.into(), ends.stderr.into())
    }

    #[test]
    fn an_answer_is_the_first_line_after_the_question() {
        let (mut pipes, ends) = Pipes::new().unwrap();
        let (mut stdin, mut stdout, _stderr) = opened(ends);
        stdout.write_all(b"too early\n").unwrap();
        assert!(matches!(pipes.ask(b"a\n", soon(), &NEVER).unwrap(), Answer::Late));
        let bot = std::thread::spawn(move || {
            let mut question = [0; 4];
            stdin.read_exact(&mut question).unwrap();
            stdout.write_all(b"one\ntwo\n").unwrap();
            (question, stdin, stdout)
        });
        let Answer::Line(line) = pipes.ask(b"b\n", later(), &NEVER).unwrap() else { panic!("no answer") };
        let (question, ..) = bot.join().unwrap();
        assert_eq!((&question, &line[..]), (b"a\nb\n", &b"one\n"[..]));
        let Answer::Closed = pipes.ask(b"c\n", later(), &NEVER).unwrap() else { panic!("two was printed too early") };
    }

    #[test]
    fn a_bot_that_does_not_read_is_late() {
        let (mut pipes, ends) = Pipes::new().unwrap();
        let long = vec![b'x'; 1 << 20];
        assert!(matches!(pipes.ask(&long, soon(), &NEVER).unwrap(), Answer::Late));
        assert!(matches!(pipes.ask(&long, later(), &AtomicBool::new(true)).unwrap(), Answer::Stopped));
        drop(ends.stdin);
        assert!(matches!(pipes.ask(b"a\n", later(), &NEVER).unwrap(), Answer::Closed));
    }

    #[test]
    fn a_last_line_needs_no_line_break() {
        let (mut pipes, ends) = Pipes::new().unwrap();
        let (stdin, mut stdout, mut stderr) = opened(ends);
        let bot = std::thread::spawn(move || {
            (&stdin).read_exact(&mut [0; 2]).unwrap();
            stdout.write_all(b"rest").unwrap();
            stderr.write_all(b"first\nlast\n \n").unwrap();
        });
        let Answer::Line(line) = pipes.ask(b"a\n", later(), &NEVER).unwrap() else { panic!("no answer") };
        bot.join().unwrap();
        assert_eq!(line, b"rest");
        assert_eq!(pipes.last_errors().text(), "\nfirst\nlast");
    }

    /// A bot that floods its output blocks on it, and no memory is taken for it.
    #[test]
    fn a_flood_is_cut_off() {
        let (mut pipes, ends) = Pipes::new().unwrap();
        let (stdin, mut stdout, mut stderr) = opened(ends);
        let floods = [
            std::thread::spawn(move || while stdout.write_all(&[b'y'; 1 << 12]).is_ok() {}),
            std::thread::spawn(move || while stderr.write_all(&[b'\n'; 1 << 12]).is_ok() {}),
        ];
        for _ in 0..3 {
            assert!(matches!(pipes.ask(b"a\n", later(), &NEVER).unwrap(), Answer::Line(_)));
        }
        assert!(pipes.stdout.lines.len() < 4 * CHUNK && pipes.stderr.lines.len() < 4 * CHUNK);
        assert!(pipes.last_errors().text().is_empty());
        drop((pipes, stdin));
        floods.into_iter().for_each(|flood| flood.join().unwrap());
    }
}
