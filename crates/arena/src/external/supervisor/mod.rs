//! The supervisor of a bot: a process between the arena and the bot's processes, which starts them,
//! reaps those that have ended, and ends the others.
//!
//! The supervisor is this program again, with one thread. Where the system allows it, the bot's
//! processes are in a namespace of process IDs, which the kernel ends as a whole. Elsewhere every
//! process that the bot leaves behind becomes a child of the supervisor, because that is a child
//! subreaper, and the supervisor ends its children until there is none. The supervisor ends when
//! the arena does, however that ends.

mod descendants;
mod messages;
mod namespace;
mod sandbox;
mod serve;

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

pub(super) use sandbox::Unprotected;
pub(super) use serve::run;

use super::pipes::Pipes;
use messages::{Event, Events, Request};

/// The first argument of a supervisor.
const SUPERVISE: &str = "supervise-bot";

/// The time for a supervisor to start a bot on a machine under load.
pub(super) const START_TIME: Duration = Duration::from_secs(60);

/// The time for a supervisor to end a bot. It gives up earlier by itself.
const END_TIME: Duration = Duration::from_secs(10);

/// The things that a supervisor has to know of its bot.
pub(super) struct Settings {
    /// The shell command.
    pub command: String,
    /// Confines the bot.
    pub is_sandboxed: bool,
    /// The files that the bot cannot change, even where it may change others.
    pub read_only: Vec<PathBuf>,
}

impl Settings {
    /// Returns the settings if the arguments are those of a supervisor.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Option<Settings> {
        let mut arguments = arguments.into_iter().skip(1);
        arguments.next().filter(|first| first == SUPERVISE)?;
        let is_sandboxed = arguments.next()? == "sandbox";
        let command = arguments.next()?.into_string().ok()?;
        Some(Settings { command, is_sandboxed, read_only: arguments.map(PathBuf::from).collect() })
    }

    /// The arguments, without the name of the program.
    fn arguments(&self) -> Vec<OsString> {
        let mode = if self.is_sandboxed { "sandbox" } else { "plain" };
        let mut arguments: Vec<OsString> = [SUPERVISE, mode, &self.command].map(OsString::from).into();
        arguments.extend(self.read_only.iter().map(|path| path.into()));
        arguments
    }
}

/// A supervisor, as the arena sees it.
pub(super) struct Supervisor {
    process: Child,
    control: UnixStream,
    events: Events,
    /// A bot was started, and the supervisor has not said yet that it ended.
    is_running: bool,
    is_lost: bool,
    unprotected: Unprotected,
}

impl Supervisor {
    /// Starts a supervisor.
    pub fn spawn(settings: &Settings) -> io::Result<Supervisor> {
        let (control, other_end) = UnixStream::pair()?;
        let mut command = Command::new("/proc/self/exe");
        command.arg0("doublecross").args(settings.arguments());
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(other_end))).stdout(Stdio::null());
        let process = descendants::spawn(&mut command)?;
        let events = Events::new(control.try_clone()?);
        let unprotected = Unprotected::default();
        Ok(Supervisor { process, control, events, is_running: false, is_lost: false, unprotected })
    }

    /// Starts the bot, which must not be running, and returns the pipes to it. If the system fails
    /// to do so at last, [`Supervisor::end`] returns the error.
    pub fn start(&mut self) -> io::Result<Pipes> {
        let (pipes, ends) = Pipes::new()?;
        let result = Request::Start(ends).send(&self.control);
        self.is_lost = true;
        result?;
        match self.events.next(Instant::now() + START_TIME)? {
            Some(Event::Started(unprotected)) => self.unprotected = unprotected,
            Some(Event::Failed(error)) => return Err(io::Error::other(error)),
            Some(Event::Ended(_)) | None => return Err(io::Error::other("the bot's supervisor does not answer")),
        }
        (self.is_lost, self.is_running) = (false, true);
        Ok(pipes)
    }

    /// Ends the bot, as [`Launcher::end`](super::launch::Launcher::end) does.
    pub fn end(&mut self, patience: Duration) -> io::Result<Option<String>> {
        if !self.is_running {
            return Ok(None);
        }
        self.is_running = false;
        match self.events.next(Instant::now() + patience) {
            Ok(Some(Event::Ended(status))) => return Ok(Some(status)),
            Ok(Some(Event::Failed(error))) => return Err(io::Error::other(error)),
            _ => {}
        }
        // A bot without a sandbox may have stopped or ended the supervisor.
        let _ = kill_process(Pid::from_child(&self.process), Signal::CONT);
        self.is_lost = Request::End.send(&self.control).is_err();
        match self.events.next(Instant::now() + END_TIME) {
            // A bot that has just ended by itself has no status that would matter.
            Ok(Some(Event::Ended(_))) => {}
            Ok(Some(Event::Failed(error))) => return Err(io::Error::other(error)),
            _ => self.is_lost = true,
        }
        Ok(None)
    }

    /// Returns `true` if the supervisor is of no use any more.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The protections that the bot that was started last lacks.
    pub fn unprotected(&self) -> Unprotected {
        self.unprotected
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.control.shutdown(std::net::Shutdown::Write);
        // It closes its end when all processes of the bot have ended.
        let has_ended = !self.is_lost && self.events.wait_for_end(Instant::now() + END_TIME).is_ok();
        if !has_ended {
            let _ = self.process.kill();
        }
        descendants::wait(&mut self.process);
        if !has_ended || self.is_running {
            // A bot that has ended its supervisor has become a child of this process.
            descendants::end_orphans(END_TIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_arguments() {
        let settings = Settings { command: "a 'b' \u{e4}".into(), is_sandboxed: true, read_only: vec!["c d".into()] };
        let arguments = [vec!["doublecross".into()], settings.arguments()].concat();
        let read = Settings::from_arguments(arguments.clone()).unwrap();
        assert_eq!((read.command, read.is_sandboxed, read.read_only), (settings.command, true, settings.read_only));
        assert!(Settings::from_arguments(arguments[..2].to_vec()).is_none());
        assert!(Settings::from_arguments(["doublecross", "match"].map(OsString::from)).is_none());
    }
}
