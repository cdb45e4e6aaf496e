//! Start and end of a bot's processes, so that none is left running.
//!
//! A bot is the leader of a process group. A process that leaves the group still has the bot's mark
//! in its environment. On Linux, a process that clears its environment too becomes a child of this
//! process when its parents have ended, because this process is a child subreaper.

use std::io;
use std::process::{Child, Command};
#[cfg(target_os = "linux")]
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The environment variable that holds the mark by which the processes of a bot are found.
pub(super) const MARK: &str = "DOUBLECROSS_BOT";

/// Returns a new mark. If this process is itself a bot's, the mark begins with that bot's mark, so
/// that the outer bot's processes include those of the inner one.
pub(super) fn new_mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let outer = std::env::var(MARK).unwrap_or_default();
    format!("{outer}{}-{}/", std::process::id(), NEXT.fetch_add(1, Relaxed))
}

/// The process IDs of the leaders of all running bots.
#[cfg(target_os = "linux")]
static LEADERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Starts the leader of a bot's processes.
#[cfg(target_os = "linux")]
pub(super) fn start(leader: &mut Command) -> io::Result<Child> {
    // Locked during the start, so that `end` does not take the leader for an orphan.
    let mut leaders = LEADERS.lock().unwrap_or_else(|broken| broken.into_inner());
    // If this fails, orphans become children of another process, and those without the mark are not
    // found.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let child = leader.spawn()?;
    leaders.push(child.id());
    Ok(child)
}

/// Starts the leader of a bot's processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn start(leader: &mut Command) -> io::Result<Child> {
    leader.spawn()
}

/// Ends the processes of a bot: its leader, its group and all that have its mark. When no other bot
/// is running, the orphans of all bots are ended too.
pub(super) fn end(leader: &mut Child, mark: &str) {
    #[cfg(unix)]
    end_group(leader);
    let _ = leader.kill();
    let _ = leader.wait();
    #[cfg(target_os = "linux")]
    {
        end_all(|process| process.has_mark(mark));
        let mut leaders = LEADERS.lock().unwrap_or_else(|broken| broken.into_inner());
        leaders.retain(|&id| id != leader.id());
        if leaders.is_empty() {
            end_all(Process::is_orphan);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = mark;
}

/// Ends all processes of the child's group.
#[cfg(unix)]
fn end_group(child: &Child) {
    let group = rustix::process::Pid::from_child(child);
    // An error means that the group has ended already.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
}

/// A process of this machine.
#[cfg(target_os = "linux")]
struct Process(rustix::process::Pid);

#[cfg(target_os = "linux")]
impl Process {
    /// All processes that are listed in `/proc`.
    fn all() -> impl Iterator<Item = Process> {
        let names = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter_map(|name| rustix::process::Pid::from_raw(name.to_str()?.parse().ok()?).map(Process))
    }

    /// The contents of a file in the process's folder of `/proc`, empty if it cannot be read.
    fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(format!("/proc/{}/{name}", self.0.as_raw_nonzero())).unwrap_or_default()
    }

    /// Returns `true` if the environment holds this mark, or one that begins with it.
    fn has_mark(&self, mark: &str) -> bool {
        let start = format!("{MARK}={mark}");
        self.file("environ").split(|&byte| byte == 0).any(|variable| variable.starts_with(start.as_bytes()))
    }

    /// Returns `true` for a child of this process in another process group. Only orphans of bots
    /// are such children, besides the leaders, since this process starts nothing else in other
    /// groups.
    fn is_orphan(&self) -> bool {
        let stat = String::from_utf8_lossy(&self.file("stat")).into_owned();
        // The name is in parentheses and may hold any character. State, parent and group follow it.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(1);
        let number = |field: Option<&str>| field.and_then(|field| field.parse::<i32>().ok());
        let (parent, group) = (number(fields.next()), number(fields.next()));
        let own = |pid: rustix::process::Pid| Some(pid.as_raw_nonzero().get());
        parent == own(rustix::process::getpid()) && group.is_some() && group != own(rustix::process::getpgrp())
    }
}

/// Ends the processes that `is_meant` selects, and those that they start meanwhile.
#[cfg(target_os = "linux")]
fn end_all(is_meant: impl Fn(&Process) -> bool) {
    use rustix::process::{Signal, WaitOptions, kill_process, waitpid};
    let mut ended: Vec<Process> = Vec::new();
    for _ in 0..10 {
        let meant: Vec<Process> = Process::all().filter(&is_meant).collect();
        let is_done = meant.is_empty();
        for process in meant {
            let _ = kill_process(process.0, Signal::KILL);
            ended.push(process);
        }
        // A child of this process remains a zombie until it is waited for. Others cannot be waited
        // for.
        ended.retain(|process| {
            let is_reaped = waitpid(Some(process.0), WaitOptions::NOHANG).is_ok_and(|status| status.is_some());
            !is_reaped && !process.file("stat").is_empty()
        });
        if is_done && ended.is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
