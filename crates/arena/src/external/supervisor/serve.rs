//! The supervisor itself.

use std::io::{self, BufRead, BufReader, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, WaitOptions, getpid, set_child_subreaper, set_dumpable_behavior, setsid, wait,
};

use super::Settings;
use super::descendants::end_children;
use super::messages::{Event, Request};
use super::namespace::{Namespaces, is_refusal, map_users, run_first, split};
use super::sandbox::Unprotected;
use crate::external::BotEnds;

/// The time after which processes that cannot be ended are left alone.
const END_TIME: Duration = Duration::from_secs(5);

/// Serves the arena at the other end of stdin until that is closed.
pub(in crate::external) fn run(settings: Settings) -> ExitCode {
    match serve(&settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr must not end the supervisor otherwise.
            let _ = writeln!(io::stderr(), "doublecross: a supervisor of bots failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(settings: &Settings) -> io::Result<()> {
    // Signals of the terminal are the arena's to handle.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (deaths, of_children) = UnixStream::pair()?;
    deaths.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, of_children)?;
    let namespaces = if settings.is_sandboxed { Namespaces::User } else { Namespaces::Shared };
    let mut supervised = Supervised { settings, namespaces, bot: None };
    let result = supervised.serve(&control, &deaths);
    supervised.end();
    result
}

/// The first process of a running bot.
struct Running {
    first: Pid,
    /// The rest of the first process's report.
    report: BufReader<PipeReader>,
}

/// The bot, running or not.
struct Supervised<'a> {
    settings: &'a Settings,
    /// The strongest namespaces that are permitted, as far as is known.
    namespaces: Namespaces,
    bot: Option<Running>,
}

impl Supervised<'_> {
    /// Serves requests, and reports when the bot ends by itself.
    fn serve(&mut self, control: &UnixStream, mut deaths: &UnixStream) -> io::Result<()> {
        loop {
            let mut sources =
                [PollFd::new(control, PollFlags::IN), PollFd::from_borrowed_fd(deaths.as_fd(), PollFlags::IN)];
            match poll(&mut sources, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [is_asked, has_death] = sources.map(|source| !source.revents().is_empty());
            if has_death {
                let _ = deaths.read(&mut [0; 1024]);
                if let Some(status) = self.reap() {
                    self.end();
                    Event::Ended(status).send(control)?;
                }
            }
            if !is_asked {
                continue;
            }
            let event = match Request::receive(control) {
                Ok(None) => return Ok(()),
                Ok(Some(Request::Start(ends))) => match self.start(ends, control) {
                    Ok(()) => continue,
                    Err(error) => Event::Failed(error.to_string()),
                },
                // If no bot is running, its end has been reported.
                Ok(Some(Request::End)) if self.bot.is_none() => continue,
                Ok(Some(Request::End)) => {
                    self.end();
                    Event::Ended("ended".into())
                }
                Err(error) => Event::Failed(error.to_string()),
            };
            event.send(control)?;
        }
    }

    /// Starts the bot, and reports how it is protected before anything of it runs.
    fn start(&mut self, ends: BotEnds, control: &UnixStream) -> io::Result<()> {
        let mut ends = Some(ends);
        let result = loop {
            match self.start_in(self.namespaces, &mut ends, control) {
                Err(error) if is_refusal(&error) => match self.namespaces.weaker() {
                    Some(weaker) => self.namespaces = weaker,
                    None => break Err(error),
                },
                result => break result,
            }
            end_children(|_| false, END_TIME);
        };
        if result.is_err() {
            self.end();
        }
        result
    }

    /// Starts the bot in these namespaces. The new process takes the ends.
    fn start_in(&mut self, namespaces: Namespaces, ends: &mut Option<BotEnds>, control: &UnixStream) -> io::Result<()> {
        let (gate, mut opener) = io::pipe()?;
        let (report, reporter) = io::pipe()?;
        let Some(first) = split(namespaces)? else {
            drop((report, opener));
            let result = ends.take().map(|ends| run_first(namespaces, self.settings, ends, gate, reporter));
            // The supervisor's own values are not this process's to drop.
            std::process::exit(result.is_none_or(|result| result.is_err()).into());
        };
        drop((gate, reporter));
        match namespaces {
            Namespaces::User => map_users(first)?,
            Namespaces::Privileged => {}
            // Else the bot could change the memory of this process.
            Namespaces::Shared => set_dumpable_behavior(DumpableBehavior::NotDumpable)?,
        }
        opener.write_all(b"c")?;
        let mut report = BufReader::new(report);
        let (mut letters, mut outcome) = (String::new(), String::new());
        report.read_line(&mut letters)?;
        let letters = letters.strip_suffix('\n').ok_or_else(|| io::Error::other("the bot's first process ended"))?;
        // A bot that is not confined might end this process from here on.
        Event::Started(Unprotected::from_letters(letters)).send(control)?;
        *ends = None;
        opener.write_all(b"s")?;
        report.read_line(&mut outcome)?;
        let is_started = if namespaces == Namespaces::Shared { outcome.is_empty() } else { outcome == "started\n" };
        if !is_started {
            let outcome = if outcome.is_empty() { "the bot's first process ended" } else { outcome.trim() };
            return Err(io::Error::other(outcome));
        }
        self.bot = Some(Running { first, report });
        Ok(())
    }

    /// Waits for all children that have ended. Returns the bot's status if its first process is one
    /// of them.
    fn reap(&mut self) -> Option<String> {
        let mut status = None;
        while let Ok(Some((process, ended))) = wait(WaitOptions::NOHANG) {
            if let Some(bot) = self.bot.as_mut().filter(|bot| bot.first == process) {
                // The first process of a namespace reports the bot's status, its own says nothing.
                let mut told = String::new();
                let _ = bot.report.read_to_string(&mut told);
                status = Some(if told.is_empty() { ExitStatus::from_raw(ended.as_raw()).to_string() } else { told });
            }
        }
        status
    }

    /// Ends the bot and all that it has left behind.
    fn end(&mut self) {
        self.bot = None;
        end_children(|_| false, END_TIME);
    }
}
