//! The first process of a bot, in namespaces of its own where the system allows it.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::ExitStatus;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, getegid, geteuid, set_dumpable_behavior,
    set_parent_process_death_signal, wait,
};

use super::{Settings, sandbox};
use crate::external::BotEnds;
use crate::external::launch::shell;

/// The namespaces of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespaces {
    /// Namespaces of process IDs and mounts, in a user namespace that permits them to everybody.
    User,
    /// Namespaces of process IDs and mounts, which root may make.
    Privileged,
    /// Those of the arena.
    Shared,
}

impl Namespaces {
    /// The next choice where this one is not permitted.
    pub fn weaker(self) -> Option<Namespaces> {
        match self {
            Namespaces::User => Some(Namespaces::Privileged),
            Namespaces::Privileged => Some(Namespaces::Shared),
            Namespaces::Shared => None,
        }
    }

    /// The flags of `clone`.
    fn flags(self) -> libc::c_int {
        match self {
            Namespaces::User => libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS,
            Namespaces::Privileged => libc::CLONE_NEWPID | libc::CLONE_NEWNS,
            Namespaces::Shared => 0,
        }
    }
}

/// Returns `true` if the error means that namespaces are not permitted or all in use.
pub(super) fn is_refusal(error: &io::Error) -> bool {
    let refusals = [Errno::PERM, Errno::ACCESS, Errno::INVAL, Errno::NOSPC, Errno::USERS, Errno::NOSYS];
    error.raw_os_error().is_some_and(|error| refusals.iter().any(|refusal| refusal.raw_os_error() == error))
}

/// Splits this process, which must have one thread. Returns the new process to the old one, and
/// `None` to the new one, which is in these namespaces.
pub(super) fn split(namespaces: Namespaces) -> io::Result<Option<Pid>> {
    let flags = libc::c_long::from(namespaces.flags() | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with no stack this is `fork`. No lock is held by another thread,
    // since there is none. No library call makes a process in new namespaces.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(i32::try_from(pid).ok().and_then(Pid::from_raw)),
    }
}

/// Gives the process's user namespace the users and groups of this process's one: all of them to
/// root, and only its own to another user.
pub(super) fn map_users(process: Pid) -> io::Result<()> {
    let folder = format!("/proc/{}", process.as_raw_nonzero());
    // All users that this namespace has, each under its own number.
    let ranges = |file: &str| -> io::Result<String> {
        let text = std::fs::read_to_string(format!("/proc/self/{file}"))?;
        let ranges = text.lines().filter_map(|line| {
            let mut numbers = line.split_whitespace();
            let (first, count) = (numbers.next()?, numbers.nth(1)?);
            Some(format!("{first} {first} {count}\n"))
        });
        Ok(ranges.collect())
    };
    let write = |file: &str, text: &str| std::fs::write(format!("{folder}/{file}"), text);
    if geteuid().is_root()
        && write("uid_map", &ranges("uid_map")?).is_ok()
        && write("gid_map", &ranges("gid_map")?).is_ok()
    {
        return Ok(());
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    write("setgroups", "deny")?;
    write("uid_map", &format!("{user} {user} 1\n"))?;
    write("gid_map", &format!("{group} {group} 1\n"))
}

/// Confines a process that has just been split off when a byte comes through `gate`, runs the bot
/// in it when another does, and ends with the bot. Sends `report` one line each: the protections
/// that are missing, then `started` or an error, and the bot's status.
///
/// In namespaces of its own this process is the first one, which reaps all others and with which
/// the kernel ends them. Otherwise it becomes the bot, and the report ends without `started`.
pub(super) fn run_first(
    namespaces: Namespaces,
    settings: &Settings,
    ends: BotEnds,
    mut gate: PipeReader,
    mut report: PipeWriter,
) -> io::Result<()> {
    let is_own = namespaces != Namespaces::Shared;
    if is_own {
        set_parent_process_death_signal(Some(Signal::KILL))?;
    }
    gate.read_exact(&mut [0])?;
    // The supervisor may have ended before the signal was set.
    let mut supervisor = [PollFd::from_borrowed_fd(report.as_fd(), PollFlags::empty())];
    if poll(&mut supervisor, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? > 0 {
        return Ok(());
    }
    // Else a bot of root's could change the memory of this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let unprotected = sandbox::confine(settings, is_own);
    writeln!(report, "{}", unprotected.letters())?;
    gate.read_exact(&mut [0])?;
    let mut shell = shell(&settings.command);
    ends.give_to(&mut shell);
    if !is_own {
        return writeln!(report, "cannot start sh: {}", shell.exec());
    }
    let bot = match shell.spawn() {
        Ok(bot) => Pid::from_child(&bot),
        Err(error) => return writeln!(report, "cannot start sh: {error}"),
    };
    // This process must not keep the bot's pipes open.
    drop(shell);
    writeln!(report, "started")?;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == bot => {
                return write!(report, "{}", ExitStatus::from_raw(status.as_raw()));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
