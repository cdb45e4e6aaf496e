//! What the processes of a bot leave behind, and how it is ended.
//!
//! A bot is the leader of a process group of its own. What leaves the group still carries the mark in its environment;
//! what drops that too and whose parents are gone comes to this process, which has asked to be told of orphans.

use std::io;
use std::process::{Child, Command};
#[cfg(target_os = "linux")]
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Marks the processes of one bot, so that what it leaves behind is found.
pub(super) const MARK: &str = "DOUBLECROSS_BOT";

/// A new mark. Within a bot that itself has bots it goes on from that one's, so that both find what is theirs.
pub(super) fn new_mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let outer = std::env::var(MARK).unwrap_or_default();
    format!("{outer}{}-{}/", std::process::id(), NEXT.fetch_add(1, Relaxed))
}

/// Leaders of bots that are running.
#[cfg(target_os = "linux")]
static LEADERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Starts a bot's leader.
#[cfg(target_os = "linux")]
pub(super) fn start(leader: &mut Command) -> io::Result<Child> {
    // Held meanwhile, so that nobody takes it for an orphan.
    let mut leaders = LEADERS.lock().unwrap_or_else(|broken| broken.into_inner());
    // Without it orphans go to another process, and only those that left everything behind are not found.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let child = leader.spawn()?;
    leaders.push(child.id());
    Ok(child)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn start(leader: &mut Command) -> io::Result<Child> {
    leader.spawn()
}

/// Ends a bot: its leader, its group, all that carries its mark, and orphans of any bot when it is the last one.
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

/// Ends every process of the child's group.
#[cfg(unix)]
fn end_group(child: &Child) {
    let group = rustix::process::Pid::from_child(child);
    // A group that is gone already is as good.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
}

#[cfg(target_os = "linux")]
struct Process(rustix::process::Pid);

#[cfg(target_os = "linux")]
impl Process {
    fn all() -> impl Iterator<Item = Process> {
        let names = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter_map(|name| rustix::process::Pid::from_raw(name.to_str()?.parse().ok()?).map(Process))
    }

    fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(format!("/proc/{}/{name}", self.0.as_raw_nonzero())).unwrap_or_default()
    }

    fn has_mark(&self, mark: &str) -> bool {
        let start = format!("{MARK}={mark}");
        self.file("environ").split(|&byte| byte == 0).any(|variable| variable.starts_with(start.as_bytes()))
    }

    /// Whether it came to this process, which starts nothing but bots in a session or group other than its own.
    fn is_orphan(&self) -> bool {
        let stat = String::from_utf8_lossy(&self.file("stat")).into_owned();
        // The name is in brackets and may hold anything; state, parent and group follow.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(1);
        let number = |field: Option<&str>| field.and_then(|field| field.parse::<i32>().ok());
        let (parent, group) = (number(fields.next()), number(fields.next()));
        let own = |pid: rustix::process::Pid| Some(pid.as_raw_nonzero().get());
        parent == own(rustix::process::getpid()) && group.is_some() && group != own(rustix::process::getpgrp())
    }
}

/// Ends the processes of which this holds, and those that they start meanwhile.
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
        // One that comes to this process stays a zombie until it is waited for; the others are not ours to wait for.
        ended.retain(|process| {
            let is_waited_for = waitpid(Some(process.0), WaitOptions::NOHANG).is_ok_and(|status| status.is_some());
            !is_waited_for && !process.file("stat").is_empty()
        });
        if is_done && ended.is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
