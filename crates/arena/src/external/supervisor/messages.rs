//! The messages between the arena and a supervisor, over a socket.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

use super::sandbox::Unprotected;
use crate::external::BotEnds;
use crate::external::lines::Lines;

/// A message to a supervisor.
pub(super) enum Request {
    /// Start the bot with these ends of the pipes to it.
    Start(BotEnds),
    /// End the bot.
    End,
}

impl Request {
    /// Sends the request.
    pub fn send(self, control: &UnixStream) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let (letter, ends) = match self {
            Request::Start(ends) => (b"S", Some(ends)),
            Request::End => (b"E", None),
        };
        let handles = ends.as_ref().map(|ends| [ends.stdin.as_fd(), ends.stdout.as_fd(), ends.stderr.as_fd()]);
        if let Some(handles) = &handles {
            ancillary.push(SendAncillaryMessage::ScmRights(handles));
        }
        sendmsg(control, &[IoSlice::new(letter)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Waits for the next request. Returns `None` when there will be none, since the arena has ended.
    pub fn receive(control: &UnixStream) -> io::Result<Option<Request>> {
        let mut letter = [0];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let message = recvmsg(control, &mut [IoSliceMut::new(&mut letter)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        let mut handles: Vec<OwnedFd> = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                handles.extend(received);
            }
        }
        match (message.bytes, letter) {
            (0, _) => Ok(None),
            (_, [b'S']) => match <[OwnedFd; 3]>::try_from(handles) {
                Ok([stdin, stdout, stderr]) => Ok(Some(Request::Start(BotEnds { stdin, stdout, stderr }))),
                // This process has too many files open.
                Err(_) => Err(rustix::io::Errno::MFILE.into()),
            },
            _ => Ok(Some(Request::End)),
        }
    }
}

/// A message from a supervisor, as one line of text.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// The bot was started, without these protections.
    Started(Unprotected),
    /// The system failed to start the bot.
    Failed(String),
    /// All processes of the bot have ended, the first one with this status.
    Ended(String),
}

impl Event {
    /// Sends the event.
    pub fn send(&self, mut control: &UnixStream) -> io::Result<()> {
        let line = match self {
            Event::Started(unprotected) => format!("started {}", unprotected.letters()),
            Event::Failed(error) => format!("failed {error}"),
            Event::Ended(status) => format!("ended {status}"),
        };
        control.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes())
    }

    fn parse(line: &[u8]) -> Option<Event> {
        let line = String::from_utf8_lossy(line);
        let (word, rest) = line.trim_end_matches('\n').split_once(' ')?;
        match word {
            "started" => Some(Event::Started(Unprotected::from_letters(rest))),
            "failed" => Some(Event::Failed(rest.into())),
            "ended" => Some(Event::Ended(rest.into())),
            _ => None,
        }
    }
}

/// The events of a supervisor as the arena receives them.
pub(super) struct Events {
    control: UnixStream,
    lines: Lines,
}

impl Events {
    pub fn new(control: UnixStream) -> Events {
        Events { control, lines: Lines::default() }
    }

    /// Waits for an event until a deadline. Returns `None` if there will be none.
    ///
    /// # Errors
    /// Returns an error at the deadline.
    pub fn next(&mut self, deadline: Instant) -> io::Result<Option<Event>> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(Event::parse(&line));
            }
            // A time of zero would be no limit.
            let left = deadline.saturating_duration_since(Instant::now()).max(std::time::Duration::from_micros(1));
            self.control.set_read_timeout(Some(left))?;
            let mut chunk = [0; 1024];
            match self.control.read(&mut chunk) {
                Ok(0) => return Ok(None),
                Ok(count) => self.lines.push(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() < deadline => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until there will be no further event.
    ///
    /// # Errors
    /// Returns an error at the deadline.
    pub fn wait_for_end(&mut self, deadline: Instant) -> io::Result<()> {
        while self.next(deadline)?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn requests_carry_the_pipes() {
        let (arena, supervisor) = UnixStream::pair().unwrap();
        let (reader, _writer) = io::pipe().unwrap();
        let (mut read, stdout) = io::pipe().unwrap();
        let (_, stderr) = io::pipe().unwrap();
        let ends = BotEnds { stdin: reader.into(), stdout: stdout.into(), stderr: stderr.into() };
        Request::Start(ends).send(&arena).unwrap();
        Request::End.send(&arena).unwrap();
        let Some(Request::Start(ends)) = Request::receive(&supervisor).unwrap() else { panic!("no start") };
        std::fs::File::from(ends.stdout).write_all(b"x").unwrap();
        let mut text = String::new();
        read.read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
        assert!(matches!(Request::receive(&supervisor).unwrap(), Some(Request::End)));
        drop(arena);
        assert!(Request::receive(&supervisor).unwrap().is_none());
    }

    #[test]
    fn events_are_read_as_they_were_sent() {
        let (arena, supervisor) = UnixStream::pair().unwrap();
        let mut events = Events::new(arena);
        let all = [
            Event::Started(Unprotected { files: true, ..Unprotected::default() }),
            Event::Failed("too many".into()),
            Event::Ended("exit status: 3".into()),
        ];
        for event in &all {
            event.send(&supervisor).unwrap();
        }
        let soon = || Instant::now() + Duration::from_secs(20);
        for event in all {
            assert_eq!(events.next(soon()).unwrap(), Some(event));
        }
        assert!(events.next(Instant::now()).is_err());
        drop(supervisor);
        assert_eq!(events.next(soon()).unwrap(), None);
    }
}
